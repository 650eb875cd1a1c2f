"""Reading dates as people write them, in English and Chinese; every date is a day of the user."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date, timedelta

from assistant.errors import UserError
from assistant.months import MONTH, month_number
from assistant.phrases import phrase

_MONTH = rf"(?P<{{0}}>{MONTH})\b\.?"
_NTH = r"(?P<{0}>\d{{1,2}})(?:st|nd|rd|th)?"
_YEAR = r"(?:,?\s+(?P<{0}>\d{{4}}))?"
_YEAR_ZH = r"(?:(?P<{0}>\d{{4}})\s*年)?\s*"
_MONTH_ZH = r"(?P<{0}>\d{{1,2}})\s*月\s*"
_TO = r"\s*(?:\.\.|-|–|—|~|～|/|\bto\b|\buntil\b|\btill\b|\bthrough\b|到|至)\s*"


def _pattern(*forms: tuple[str, ...]) -> re.Pattern[str]:
    """One alternative a form; `name1:KIND` parts become groups, other parts stand as they are."""
    kinds = {"nth": _NTH, "month": _MONTH, "year": _YEAR, "y年": _YEAR_ZH, "m月": _MONTH_ZH}
    alternatives: list[str] = []
    for form in forms:
        parts = [part.partition(":") for part in form]
        alternatives.append(
            "".join(
                kinds[kind].format(name) if kind in kinds else f"{name}{colon}{kind}"
                for name, colon, kind in parts
            )
        )
    return re.compile("|".join(alternatives), re.IGNORECASE)


_DATE = _pattern(
    (r"(?<!\d)(?P<y1>\d{4})[-/.](?P<m1>\d{1,2})[-/.](?P<d1>\d{1,2})(?!\d)",),
    ("y2:y年", "m2:m月", r"(?P<d2>\d{1,2})\s*[日号]?"),
    (r"(?<!\d)", "d3:nth", r"\s+(?:of\s+)?", "m3:month", "y3:year"),
    (r"\b", "m4:month", r"\s+", "d4:nth", r"(?!\d)", "y4:year"),
    (r"(?P<word>\btoday\b|\btomorrow\b|\byesterday\b|今天|今日|明天|昨天|昨日|前天|后天)",),
)
_SHORT_RANGE = _pattern(
    (r"(?<!\d)", "a1:nth", _TO, "b1:nth", r"\s+", "m1:month", "y1:year"),
    (r"\b", "m2:month", r"\s+", "a2:nth", _TO, "b2:nth", r"(?!\d)", "y2:year"),
    ("y3:y年", "m3:m月", r"(?P<a3>\d{1,2})\s*[日号]?", _TO, r"(?P<b3>\d{1,2})\s*[日号]"),
)
_SHIFTS = ("前天", "昨天 昨日 yesterday", "今天 今日 today", "明天 tomorrow", "后天")
_WORDS = {word: shift for shift, words in enumerate(_SHIFTS, -2) for word in words.split()}


@dataclass(frozen=True, slots=True)
class Days:
    """Days from `start` to `end`, both included, and where the text names them."""

    start: date
    end: date
    span: tuple[int, int]

    def all(self) -> Iterable[date]:
        """Every day, in order."""
        return (self.start + timedelta(days=n) for n in range((self.end - self.start).days + 1))


def read_date(text: str, *, today: date, past: bool = False) -> date:
    """Return the one date that the text is. A day without year is the next one, or the last.

    Raises:
        UserError: it is no date, or a day that does not exist, such as 30 February.
    """
    found = _DATE.fullmatch(text.strip())
    if found is None:
        raise UserError(phrase("study.bad_date", text=text))
    return _value(found, today, past)


def read_days(text: str, *, today: date) -> frozenset[date]:
    """Return the days of a list such as `2027-05-01, 2027-05-10..2027-05-14`.

    Raises:
        UserError: a part is neither a date nor a range of dates.
    """
    days: set[date] = set()
    for part in re.split(r"[,;，；、]|\s+and\s+|(?<=\d)\s+(?=\d{4}-)", text):
        if not part.strip():
            continue
        found = find_days(part, today=today)
        if len(found) != 1 or part.strip() != part[slice(*found[0].span)].strip():
            raise UserError(phrase("study.bad_days", text=part.strip()))
        days.update(found[0].all())
    return frozenset(days)


def find_days(text: str, *, today: date, past: bool = False) -> list[Days]:
    """Return every date and range of dates that the text names, in order."""
    found: list[Days] = []
    taken = 0
    for short in _SHORT_RANGE.finditer(text):
        n = next(n for n in "123" if short[f"a{n}"])
        start = _day(short[f"y{n}"], short[f"m{n}"], short[f"a{n}"], today, past)
        end = _day(str(start.year), short[f"m{n}"], short[f"b{n}"], today, past)
        found.append(_span(start, end, short.span()))
    dates = [m for m in _DATE.finditer(text) if not any(_meet(m.span(), f.span) for f in found)]
    for index, match in enumerate(dates):
        if index < taken:
            continue
        start, span, until = _value(match, today, past), match.span(), None
        if index + 1 < len(dates) and re.fullmatch(
            _TO, text[match.end() : dates[index + 1].start()]
        ):
            until, taken = dates[index + 1], index + 2
        end = _value(until, start, past=False) if until is not None else start
        found.append(_span(start, end, (span[0], until.end() if until is not None else span[1])))
    return sorted(found, key=lambda days: days.span)


def _value(match: re.Match[str], today: date, past: bool) -> date:
    if word := match["word"]:
        return today + timedelta(days=_WORDS[word.lower()])
    n = next(n for n in "1234" if match[f"m{n}"])
    return _day(match[f"y{n}"], match[f"m{n}"], match[f"d{n}"], today, past)


def _day(year: str | None, month: str, day: str, today: date, past: bool) -> date:
    number = int(month) if month.isdigit() else month_number(month)
    years = [int(year)] if year else [today.year + n for n in ((0, -1) if past else range(9))]
    for candidate in years:
        try:
            value = date(candidate, number, int(day))
        except ValueError:
            continue
        if year or (value <= today if past else value >= today):
            return value
    shown = f"{year or ''} {day} {month}".strip() if not month.isdigit() else f"{month}-{day}"
    shown = f"{year}-{shown}" if year and month.isdigit() else shown
    raise UserError(phrase("study.no_such_day", day=shown))


def _span(start: date, end: date, span: tuple[int, int]) -> Days:
    if end < start:
        raise UserError(phrase("study.wrong_order", start=start, end=end))
    return Days(start, end, span)


def _meet(a: tuple[int, int], b: tuple[int, int]) -> bool:
    return a[0] < b[1] and b[0] < a[1]
