"""When a fact holds, in the user's own words ("2010", "last March", 去年五月), as an interval.

The model only points at the words; the calendar is reckoned here.
"""

from __future__ import annotations

import re
from datetime import datetime, tzinfo

from memory_store import Interval
from memory_store.timeframe import find_timeframes

_LEAD = re.compile(r"^(?:since|from|until|till|to|in|自从?|从|到|直到|至)\s*", re.IGNORECASE)
_COMING = re.compile(
    r"\b(?:will|going\s+to|plan(?:ning)?\s+to)\b|['’]ll\b|将|会|打算", re.IGNORECASE
)
_OVER = re.compile(
    r"\b(?:was|were|had|did|spent|went|used\s+to|(?!need|feed|speed|indeed)\w{2,}ed)\b"
    r"|曾|过(?!敏)[^。]|以前|之前|当时",
    re.IGNORECASE,
)

_YEAR = r"((?:19|20)\d\d)"
_YEARS = re.compile(
    rf"\b(?:from|between)\s+{_YEAR}\s*(?:to|until|till|through|and|[-–—])\s*{_YEAR}\b"
    rf"|{_YEAR}\s*年?\s*[到至—–-]\s*{_YEAR}\s*年",
    re.IGNORECASE,
)


def years(sentence: str) -> tuple[str, str]:
    """Return the years "from … to …" of a sentence, which a model may leave out; or two empty."""
    found = _YEARS.search(sentence)
    first, last = [year for year in found.groups() if year] if found else ("", "")
    return first, last


def span(since: str, until: str, message: str, told_at: datetime, zone: tzinfo) -> Interval | None:
    """Return the interval in which a fact of `message` holds; None where no end of it can be read.

    Without an end it reaches to when it was told, or begins later; without a beginning it begins
    when it was told or, where it was over by then, with the period named. So `memory_store` judges
    an interval that reaches to the telling as still open.

    Args:
        since: the first day or period in which it holds, as the message names it; or empty.
        until: the last one.
    """
    first = _period(since, told_at, zone, ahead=_COMING.search(message) is not None)
    last = _period(until, told_at, zone, ahead=_OVER.search(message) is None)
    if last is None:
        return None if first is None else Interval(first.start, max(first.start, told_at))
    if first is None:
        return Interval(last.start if last.end <= told_at else told_at, last.end)
    return Interval(first.start, last.end) if first.start < last.end else None


def _period(words: str, told_at: datetime, zone: tzinfo, *, ahead: bool) -> Interval | None:
    bare = _LEAD.sub("", words.strip())
    for text in (bare, f"in {bare}"):  # a year or a month alone is read as one only with "in"
        frames = find_timeframes(text, now=told_at, zone=zone, ahead=ahead)
        if len(frames) == 1:
            return frames[0].interval
    return None
