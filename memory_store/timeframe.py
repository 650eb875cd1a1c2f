"""Time in a question: which local days does it name, in English and Chinese, and is it past?

Own rules rather than a library: dateparser reads "march on", "a second opinion" and "3.14" as
dates, knows no 去年三月, and takes half a second to load.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import date, datetime, time, tzinfo

from memory_store import timeframe_en, timeframe_zh, words_en, words_zh
from memory_store.calendar_days import DAY, Days, Here, beside, here_at
from memory_store.chunk import Interval

LONGEST = 4000
"""Characters of a text that are searched; a question is shorter, a pasted page is no question."""

_DISTANT_PAST, _DISTANT_FUTURE = date(1970, 1, 1), date(2200, 1, 1)
_JOINED = re.compile(r"\s*(?:to|until|till|through|and|-|–|—|~|到|至|和)\s*", re.I)
_BETWEEN = re.compile(r"\b(?:between|from)\s*$", re.I)
_BYGONE = re.compile(r"\b(?:last|past|previous|ago|back)\b|过去|最近|近|前", re.I)
_LEAD = re.compile(
    rf"(?:{words_en.NUMBER}\s+|(?:the\s+|last\s+)+)(?P<unit>day|week|weekend|month|year)s?\s+"
    r"(?:(?P<just_before>before|prior to|preceding)|(?P<just_after>after|following))"
    r"\s+(?:the\s+)?$"
    r"|(?P<since>\b(?:ever )?since|自从)\s*(?:the\s+)?$|(?P<from>从|自)$"
    r"|(?P<before>\b(?:before|prior to))\s+(?:the\s+)?$"
    r"|(?P<until>\b(?:(?:from |between )now (?:to|and|until|till)|until|till|up to)\s+(?:the\s+)?"
    r"|直到|截至|截止)$|(?P<by>\bby)\s+(?:the\s+)?$"
    r"|(?P<after>\bafter)\s+(?:the\s+)?$",
    re.I,
)
_TRAIL = re.compile(
    r"\s*(?:(?:之|的)?(?:(?P<just_before>前)|(?P<just_after>后))"
    r"(?P<count>[一二两三四五六七八九十几])个?(?P<unit>天|周|星期|月)"
    r"|(?P<since>以来|至今|到现在|\bonwards?\b)|(?P<from>起|开始)"
    r"|(?P<before>以前|之前)|(?P<until>为止)|(?P<after>以后|之后)"
    r"|(?P<due>前(?![一二两三四五六七八九十几半天年夕后往台])))"
)
_SINCE = re.compile(r"\bsince\b|以来|至今|现在", re.I)
_ENDS = re.compile(r"\bend of\b|(?<!周)[底末]$", re.I)


@dataclass(frozen=True, slots=True)
class Timeframe:
    """A span of time that a text names.

    Attributes:
        interval: whole local days, in UTC.
        text: the words that name it.
        past: whether it asks for what was: it is over, or runs from the past up to today.
        start: where `text` begins in the whole text.
    """

    interval: Interval
    text: str
    past: bool
    start: int = 0


@dataclass(frozen=True, slots=True)
class _Found:
    """Days that text[start:end] names; `past` is None where the days and the words tell it."""

    start: int
    end: int
    days: Days
    past: bool | None = None


def find_timeframes(
    text: str, *, now: datetime, zone: tzinfo, ahead: bool | None = None
) -> tuple[Timeframe, ...]:
    """Find the time expressions of `text`, in its order; empty where it names no time.

    Args:
        now: the run's time, aware.
        zone: the user's zone, in which days begin and end.
        ahead: whether "in March" and "on Friday" mean the next one rather than the latest; None
            lets the text's own words ("will", 打算) decide.
    """
    frames: list[Timeframe] = []
    here = _here(text, now, zone) if ahead is None else here_at(now, zone, ahead=ahead)
    for found in _find(text, here):
        interval = found.days.interval(zone)
        if interval is None:
            continue
        words = text[found.start : found.end]
        past = found.past
        if past is None:
            past = found.days.after <= here.today or _BYGONE.search(words) is not None
        frames.append(Timeframe(interval, words, past, found.start))
    return tuple(frames)


def asks_for_past(text: str, *, now: datetime, zone: tzinfo) -> bool:
    """Whether a question wants what was rather than what is.

    It does where it names a past span of time, or says "used to", "originally", 以前, 原来 …
    """
    words = text[:LONGEST]
    if words_en.PAST.search(words) or words_zh.PAST.search(words):
        return True
    return any(frame.past for frame in find_timeframes(text, now=now, zone=zone))


def parse_date(text: str, now: datetime, zone: tzinfo, *, ahead: bool = False) -> date | None:
    """Read a text that is one date: `2026-01-18`, `yesterday`, `last Tuesday`, 前天, 5月3日.

    Args:
        ahead: whether "Tuesday" and "5 May" mean the next one rather than the latest.

    Returns:
        The local date, or None where the text is no date or more than one day.
    """
    words = text.strip()
    found = _find(words, here_at(now, zone, ahead=ahead))
    if len(found) != 1 or found[0].days.after - found[0].days.first != DAY:
        return None
    rest = (words[: found[0].start] + words[found[0].end :]).strip().lower()
    return found[0].days.first if rest in ("", "on", "the", "在", "那天") else None


def _here(text: str, now: datetime, zone: tzinfo) -> Here:
    words = text[:LONGEST]
    ahead = words_en.FUTURE.search(words) or words_zh.FUTURE.search(words)
    habit = words_en.HABIT.search(words) or words_zh.HABIT.search(words)
    return here_at(now, zone, ahead=ahead is not None, habit=habit is not None)


def _find(text: str, here: Here) -> list[_Found]:
    words = text[:LONGEST].translate(words_zh.FULL_WIDTH)
    opened = [_opened(found, words, here) for found in _merged(words, here)]
    # "last weekend before 10 April" is one span, not last weekend and another.
    return [one for one in opened if not any(_within(one, other) for other in opened)]


def _within(one: _Found, other: _Found) -> bool:
    shorter = one.end - one.start < other.end - other.start
    return shorter and other.start <= one.start and one.end <= other.end


def _atoms(text: str, here: Here) -> list[_Found]:
    """The longest matches that do not overlap, in the text's order."""
    chosen: list[tuple[int, int, Days | None]] = []
    for start, end, days in sorted(_matches(text, here), key=lambda found: found[0] - found[1]):
        if all(end <= other[0] or start >= other[1] for other in chosen):
            chosen.append((start, end, days))
    return [_Found(start, end, days) for start, end, days in sorted(chosen, key=_place) if days]


def _place(found: tuple[int, int, Days | None]) -> int:
    return found[0]


def _matches(text: str, here: Here) -> Iterator[tuple[int, int, Days | None]]:
    """Every match; one that names no day of the calendar has None, and keeps its words taken."""
    for pattern, resolve in (*timeframe_en.rules(), *timeframe_zh.rules()):
        for match in pattern.finditer(text):
            try:
                days = resolve(match, here)
            except (ValueError, OverflowError):  # 30 February, a year 12026
                yield *match.span(), None
                continue
            if days is not None and days.first < days.after:
                yield *match.span(), days


def _merged(text: str, here: Here) -> Iterator[_Found]:
    """Join "from X to Y" and "between X and Y" into one span."""
    waiting = _atoms(text, here)
    while waiting:
        first = waiting.pop(0)
        if waiting:
            second = waiting[0]
            link = _JOINED.fullmatch(text, first.end, second.start)
            if link is not None and _is_range(link, text, first, second):
                last = _last(first, second, text, here)
                if first.days.first < last.after:
                    waiting.pop(0)
                    days = Days(first.days.first, last.after)
                    past = True if days.first < here.today and not here.ahead else None
                    first = _Found(first.start, second.end, days, past)
        yield first


def _last(first: _Found, second: _Found, text: str, here: Here) -> Days:
    """The end of a range: of the Fridays or Marches that it may be, the next after the start."""

    start = first.days.after - DAY
    certain = _seen(second, text, replace(here, ahead=not here.ahead)) == second.days
    if certain or start - first.days.first > 31 * DAY:
        return second.days
    return _seen(second, text, replace(here, now=datetime.combine(start, time()), ahead=True))


def _seen(found: _Found, text: str, here: Here) -> Days:
    """The days of the same words, seen from elsewhere."""
    begin = max(0, found.start - 40)
    around = _atoms(text[begin : found.end + 40], here)
    return next((one.days for one in around if begin + one.start == found.start), found.days)


def _is_range(link: re.Match[str], text: str, first: _Found, second: _Found) -> bool:
    """Whether two days that are joined are the ends of a span: "and" joins a list as well."""
    word = link[0].strip().lower()
    if word == "and":
        return _BETWEEN.search(text[max(0, first.start - 12) : first.start]) is not None
    return text[second.end :].startswith(("之间", "间")) if word == "和" else bool(word)


def _opened(found: _Found, text: str, here: Here) -> _Found:
    """Widen by "since", "before", "the week after", 以来, 以前, 前一天."""
    lead = _LEAD.search(text[max(0, found.start - 30) : found.start])
    trail = _TRAIL.match(text, found.end)
    kind = _kind(lead, trail)
    span = (
        found.start - len(lead[0]) if lead and kind else found.start,
        trail.end() if trail and kind else found.end,
    )
    today, days = here.today, found.days
    if kind in ("just_before", "just_after"):
        near = _beside(days, lead or trail, kind)
        return _Found(*span, near) if near is not None else found
    if kind == "since" and _SINCE.search(text[slice(*span)]):
        days = _seen(found, text, replace(here, ahead=False))
    if kind in ("since", "after"):
        return _from(days.first if kind == "since" else days.after, span, days, today)
    if kind is None:
        return found
    ends = _ENDS.search(text[found.start : found.end]) is not None
    edge = days.after if ends or kind in ("until", "by") else days.first
    if days.first > today or (ends and edge > today):
        return _Found(*span, Days(today, edge), past=False)
    if kind in ("by", "due"):
        return found
    return _Found(*span, Days(_DISTANT_PAST, edge if ends or edge > today else days.first), True)


def _from(first: date, span: tuple[int, int], days: Days, today: date) -> _Found:
    """From a day of the past up to today, or to its own end; from one to come, without an end."""
    if first > today:
        return _Found(*span, Days(first, _DISTANT_FUTURE), past=False)
    return _Found(*span, Days(first, max(days.after, today + DAY)), past=True)


def _kind(lead: re.Match[str] | None, trail: re.Match[str] | None) -> str | None:
    groups = {**(trail.groupdict() if trail else {}), **(lead.groupdict() if lead else {})}
    for name in ("just_before", "just_after", "since", "before", "until", "by", "after", "due"):
        if groups.get(name) or (trail and trail.groupdict().get(name)):
            return name
    # 三月起 is a span only with its 从: 二月开始训练 tells when it began.
    started = trail is not None and trail["from"] is not None
    return "since" if started and lead is not None and lead["from"] is not None else None


def _beside(days: Days, match: re.Match[str] | None, kind: str) -> Days | None:
    if match is None:
        return None
    words, unit = match["count"] or "one", match["unit"]
    try:
        chinese = unit in words_zh.UNITS
        count = (words_zh if chinese else words_en).number(words if words != "one" else "1")
        sign = 1 if kind == "just_before" else -1
        return beside(days, sign * count, words_zh.unit_name(unit) if chinese else unit.lower())
    except (ValueError, KeyError, OverflowError):
        return None
