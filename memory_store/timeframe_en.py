"""English time expressions, as rules: a pattern, and what says which days a match names."""

from __future__ import annotations

import re
from functools import cache

from memory_store import resolve_en as resolve
from memory_store.calendar_days import Days, Here, Resolve, Rule, months
from memory_store.names_en import is_name
from memory_store.words_en import (
    DAY_NUMBER,
    LAST_DAY,
    MONTH,
    NTH,
    NUMBER,
    PART,
    SHIFT,
    UNIT,
    WEEKDAY,
    WEEKDAY_SHORT,
    YEAR,
    YEAR_AFTER,
)


@cache
def rules() -> tuple[Rule, ...]:
    """Every rule. Where matches overlap, the longest one wins."""
    return tuple((re.compile(pattern, re.I), _unless_name(days_of)) for pattern, days_of in _RULES)


def _unless_name(days_of: Resolve) -> Resolve:
    def resolved(match: re.Match[str], here: Here) -> Days | None:
        if is_name(match, ahead=here.ahead):
            raise ValueError(f"{match[0]} is part of a name")
        return days_of(match, here)

    return resolved


_RULES: tuple[tuple[str, Resolve], ...] = (
    (
        r"\b(?:today|tonight|this (?:morning|afternoon|evening)|just now|a moment ago)\b",
        resolve.days_off(0),
    ),
    (r"\b(?:yesterday|last night)\b", resolve.days_off(-1)),
    (r"\b(?:the )?day before yesterday\b", resolve.days_off(-2)),
    (r"\btomorrow\b", resolve.days_off(1)),
    (r"\b(?:the )?day after tomorrow\b", resolve.days_off(2)),
    (r"\bthe other day\b", resolve.days_off(-7, -1)),
    (
        rf"\b{YEAR}(?P<sep>[-/.])(?P<m>0?[1-9]|1[0-2])(?P=sep)(?P<d>0?[1-9]|[12]\d|3[01])(?![\d-])",
        resolve.iso_date,
    ),
    (rf"(?<![\d/.])(?P<m>\d\d?)/(?P<d>\d\d?)/{YEAR}", resolve.slashed_date),
    (
        rf"\b{YEAR}-(?P<m>0[1-9]|1[0-2])(?![\d-])",
        lambda match, here: months(int(match["year"]), int(match["m"])),
    ),
    (rf"\b{PART}?(?:{SHIFT}\s+)?{MONTH}{YEAR_AFTER}", resolve.month_named),
    (
        rf"\b(?:from|between)\s+{MONTH}\s+(?:to|and|until|till|through)\s+"
        rf"{MONTH.replace('month', 'last', 1)}(?!\s+\d\d?\b)(?:,?\s+(?:of\s+)?{YEAR})?",
        resolve.month_range,
    ),
    (
        rf"\b{DAY_NUMBER}(?:\s*(?:-|–|to|and|until|till|through)\s*{LAST_DAY})?\s+(?:of\s+)?{MONTH}"
        rf"{YEAR_AFTER}",
        resolve.day_of_month,
    ),
    (
        rf"\b{MONTH}\s+(?:the\s+)?{DAY_NUMBER}(?:\s*(?:-|–|to|and|until|till|through)\s*{LAST_DAY}"
        rf"(?!\s+(?:of\s+)?[a-z]{{3,9}}\s))?{YEAR_AFTER}",
        resolve.day_of_month,
    ),
    (rf"\b{SHIFT}\s+{WEEKDAY}", resolve.weekday_named),
    (rf"\b{SHIFT}\s+{WEEKDAY_SHORT}", resolve.weekday_named),
    (rf"(?<=\bon ){WEEKDAY_SHORT}", resolve.weekday_named),
    (rf"\b{WEEKDAY_SHORT}(?=,?\s+(?:at\s+)?\d{{1,2}}(?::\d\d)?\s*[ap]m\b)", resolve.weekday_named),
    (rf"\b{WEEKDAY}(?:\s+(?P<week>last|this|next)\s+week)?", resolve.weekday_named),
    (rf"\b(?P<week>last|this|next)\s+week(?:'s|\s+on)?\s+{WEEKDAY}", resolve.weekday_named),
    (rf"\b(?:{SHIFT}|the|over the)\s+weekend\b", resolve.weekend_named),
    (
        rf"\b{NUMBER}\s+{UNIT}\s+(?:ago\b|back\b(?=\s*(?:[,.?!]|$|when|i\b|we\b)))",
        resolve.units_away(1),
    ),
    (rf"\b{NUMBER}\s+{UNIT}\s+from\s+now\b", resolve.units_away(-1)),
    (
        rf"\bin\s+{NUMBER}\s+(?!second|minute){UNIT}(?:['’]?s?\s+time\b)?(?=\s*(?:[,.?!;]|$))",
        resolve.in_units,
    ),
    (rf"\b(?:the\s+|these\s+)?{SHIFT}\s+{NUMBER}\s+{UNIT}(?!\s+of\b)", resolve.rolling),
    (
        rf"\bthe\s+{SHIFT}\s+(?P<count>)(?P<unit>week|fortnight|month|year|hour)\b(?!\s+of\b)",
        resolve.rolling,
    ),
    (
        rf"\b{PART}?(?:{SHIFT}\s+(?P<unit>week|month|quarter|year)\b(?P<before_last>)?(?!\s+of\b))",
        resolve.calendar_unit_named,
    ),
    (
        r"\b(?:the\s+)?(?P<unit>week|month|quarter|year)\s+(?P<before_last>before\s+last)\b"
        r"(?P<shift>)",
        resolve.calendar_unit_named,
    ),
    (rf"\b{PART}(?P<unit>week|month|year)\b(?!\s*\d|\s+of\b)", resolve.calendar_unit_named),
    (
        rf"\bthe\s+{NTH}\s+(?P<unit>week|weekend|(?:mon|tues|wednes|thurs|fri|satur|sun)day)"
        rf"\s+(?:of|in)\s+{MONTH}{YEAR_AFTER}",
        resolve.nth_of_month,
    ),
    (
        rf"\bthe\s+{NTH}\s+(?P<unit>week|weekend|(?:mon|tues|wednes|thurs|fri|satur|sun)day)"
        rf"\s+of\s+{SHIFT}\s+month\b",
        resolve.nth_of_month,
    ),
    (
        rf"\b(?:(?<=in )|(?<=during )|(?<=since )|(?<=of )|(?<=until )|(?<=before )|(?<=after )"
        rf"|(?<=year )){YEAR}(?![-/\d])(?!\s+(?:words|steps|char|tokens|people|dollars|euros|met"
        rf"|miles|km|kg|lines|days|hours|minutes|ms|seconds|bytes|calories))(?P<part>)",
        resolve.year_alone,
    ),
    (rf"\b{PART}{YEAR}(?![-/\d])", resolve.year_alone),
    (rf"\b{YEAR}\s*q(?P<quarter>[1-4])\b(?P<year_shift>)?", resolve.quarter),
    (
        rf"(?<!audi )\bq(?P<quarter>[1-4])\b(?!\s+of\s+the\s+(?:quiz|exam|test)){YEAR_AFTER}",
        resolve.quarter,
    ),
    (rf"\bthe\s+(?P<quarter>first|second|third|fourth)\s+quarter\b{YEAR_AFTER}", resolve.quarter),
    (
        rf"\bthe\s+(?P<half>first|second)\s+half\s+of\s+(?:{YEAR}|(?:the|(?P<year_shift>last|this|next))"
        r"\s+year)",
        resolve.half_year,
    ),
    (
        rf"(?<!\bmy )(?<!\bhis )(?<!\bher )\b{SHIFT}\s+"
        r"(?P<season>spring|summer|autumn|fall|winter)\b(?P<year>)?",
        resolve.season,
    ),
    (
        rf"\b(?P<season>spring|summer|autumn|fall|winter)\s+(?:of\s+)?{YEAR}(?P<shift>)?",
        resolve.season,
    ),
    (
        r"\b(?<=in )(?:the )?(?P<season>summer|autumn|winter|spring(?=\s*(?:[?.!,]|$)))\b"
        r"(?P<shift>)?(?P<year>)?",
        resolve.season,
    ),
    (
        rf"\b(?:{SHIFT}\s+)?(?P<holiday>christmas(?: eve)?|new year['’]s (?:eve|day)|halloween"
        rf"|valentine['’]s day)(?:\s+(?:of\s+)?{YEAR})?\b",
        resolve.holiday,
    ),
    (r"\b(?<=on the )(?P<day>[12]?\d|3[01])(?:st|nd|rd|th)(?=\s*(?:[?.!,;]|$))", resolve.day_alone),
)
