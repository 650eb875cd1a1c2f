"""Names that hold a time word: Wednesday Addams, the Sunday Times, Freaky Friday, USA Today."""

from __future__ import annotations

import re

_TIME_NAME = (
    r"(?:(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day|January|February|March|April|May|June|July"
    r"|August|September|October|November|December)"
)
_PROPER = re.compile(rf"(?:{_TIME_NAME}|Christmas|Halloween|New Year|Valentine)")
_DAY_PART = r"(?:Night|Morning|Afternoon|Evening)"
_NAME_AFTER = re.compile(
    rf"(?:\s{_DAY_PART})?\s(?!(?:{_TIME_NAME}|{_DAY_PART}s?|Day|Week|Last|This|Next)\b)"
    r"[A-Z][a-z]+\b(?!\s(?:call|meeting|trip|class|session|flight|visit))"
)
_CAPITAL_BEFORE = re.compile(r"[\w,'’)&]\s(?P<word>[A-Z][\w'’]*)\s$")
_WEEKDAY = re.compile(r"(?:mon|tues|wednes|thurs|fri|satur|sun)day\b", re.I)
_NAMED_DAY = re.compile(
    r"\b(?:a|black|good|casual|cyber|ruby|blue|bloody|ash|palm|easter|super|manic|freaky|taco|man"
    r"|tgi)\s$",
    re.I,
)
_LEAD = re.compile(
    r"\b(?:on|at|over|during|since|until|till|before|after|my|our|your|me|us)\s$|(?:^|[.?!]\s)In\s$",
    re.I,
)


def is_name(match: re.Match[str], *, ahead: bool = False) -> bool:
    """Whether the words of a time expression are part of a capitalised name.

    A capital tells it, on the time word and on one beside it, so a name in small letters is not
    seen; "on Friday Anna called" and "my Friday Zoom call" are told by the word before.

    Args:
        ahead: whether the text is of the future; "Friday Anna's birthday" then begins with a day.
    """
    words, before = match[0], match.string[max(0, match.start() - 24) : match.start()]
    if _WEEKDAY.match(words) and _NAMED_DAY.search(before):
        return True
    if words.isupper() or re.search(r"\b[a-z]|\d", words):
        return False
    after = match.string[match.end() : match.end() + 40]
    quoted = before.endswith(('"', "“")) and after.startswith(('"', "”"))
    if quoted or _titled(match, before):
        return True
    begins = re.search(r"(?:^|[.?!:;\n*])\W*$", before) is not None
    named = _NAME_AFTER.match(after) is not None and _LEAD.search(before) is None
    return named and (not begins or (not ahead and _PROPER.match(words) is not None))


def _titled(match: re.Match[str], before: str) -> bool:
    """Whether a capital before it makes it a title: USA Today, A Christmas Carol."""
    found = _CAPITAL_BEFORE.search(before)
    if found is None:
        return match[0].startswith("The ") and before.strip()[-1:].isalpha()
    if _PROPER.match(match[0]):
        return found["word"] in ("The", "A", "An", "Before")
    # "What Did I Do Last Week?" has a capital on every word.
    return found["word"] != "I" and re.search(r"\b[a-z]{2}", match.string) is not None
