"""English time expressions, as rules: a pattern, and the local days that a match names."""

from __future__ import annotations

import re
from datetime import date
from functools import cache

from memory_store.calendar_days import (
    DAY,
    Days,
    Here,
    Resolve,
    Rule,
    back,
    calendar_unit,
    day_near,
    month_near,
    months,
    one_day,
    shifted,
    third,
    week_of,
    weekday_near,
    weekend_near,
    weekend_of,
    year_of,
)
from memory_store.words_en import (
    DAY_NUMBER,
    HOLIDAYS,
    LAST_DAY,
    MONTH,
    NUMBER,
    PART,
    SEASONS,
    SHIFT,
    SHIFTS,
    UNIT,
    WEEKDAY,
    WEEKDAY_SHORT,
    WEEKDAYS,
    YEAR,
    YEAR_AFTER,
    month_number,
    number,
)

_CERTAIN = re.compile(r"(?:janu|febru|septem|octo|novem|decem|july)", re.I)
_MONTH_LEAD = re.compile(
    r"\b(?:in|during|since|until|till|before|after|throughout|between)\s+$", re.I
)
_DAY_LEAD = re.compile(r"\b(?:on|of|since|until|till|before|after|between|from|by)\s+$", re.I)
_OWNED = re.compile(r"\b(?:my|our|your|the)\s+$", re.I)
_NOT_A_MONTH = re.compile(
    r"\s+(?:i|we|he|she|it|they|you|have|be|not|also|well|need|cause|help|seem|lead|make)\b", re.I
)
_CLAUSE_END = re.compile(r"\s*(?:[?.!,;:)]|$)")


@cache
def rules() -> tuple[Rule, ...]:
    """Every rule. Where matches overlap, the longest one wins."""
    return tuple((re.compile(pattern, re.I), resolve) for pattern, resolve in _RULES)


def _year(match: re.Match[str], here: Here) -> int | None:
    if match["year"]:
        return int(match["year"])
    if match["year_shift"]:
        return here.today.year + SHIFTS[match["year_shift"].lower()]
    return None


def _before(match: re.Match[str]) -> str:
    return match.string[max(0, match.start() - 24) : match.start()]


def _is_month(match: re.Match[str]) -> bool:
    """Whether "may", "march", "june" and the like name a month here."""
    word, end = match["month"], match.end("month")
    if match["year"] or match["year_shift"]:
        return True
    verb = word.lower() in ("may", "march") and word.islower()
    if match["part"]:
        return not verb or match["part"].lower().endswith("of") or match.end() == end
    if match["shift"]:
        return not verb or _CLAUSE_END.match(match.string, end) is not None
    if _MONTH_LEAD.search(_before(match)):
        return not (verb and _NOT_A_MONTH.match(match.string, end))
    owned = _OWNED.search(_before(match)) is not None and word[0].isupper()
    return _CERTAIN.match(word) is not None or (
        owned and match.string[end : end + 4].lower() not in (" on ", " in ", " for")
    )


def _month(match: re.Match[str], here: Here) -> Days | None:
    if not _is_month(match):
        return None
    month, year, shift = month_number(match["month"]), _year(match, here), match["shift"]
    if year is not None:
        days = months(year, month)
    elif shift is None:
        days = month_near(here, month)
    else:
        today, offset = here.today, SHIFTS[shift.lower()]
        behind = offset < 0 and month >= today.month
        beyond = offset > 0 and month <= today.month
        days = months(today.year - behind + beyond, month)
    return _part(match, days)


def _month_range(match: re.Match[str], here: Here) -> Days | None:
    """ "from March to May": the months' names, with a year behind the second or behind none."""
    first, last, year = month_number(match["month"]), month_number(match["last"]), match["year"]
    count = (last - first) % 12 + 1
    if year:
        return months(int(year) - (last < first), first, count)
    return month_near(here, first, count)


def _part(match: re.Match[str], days: Days) -> Days:
    part = (match["part"] or "").lower().removeprefix("the ").split(" ")[0]
    if not part:
        return days
    return third(days, {"early": 0, "beginning": 0, "start": 0, "mid": 1, "middle": 1}.get(part, 2))


def _dated(match: re.Match[str], here: Here) -> Days | None:
    """A day of a month, or the days from one to another of the same month."""
    word, year = match["month"], _year(match, here)
    verb = word.lower() in ("may", "march") and word.islower()
    if verb and year is None and not match["ordinal"] and not _DAY_LEAD.search(_before(match)):
        return None
    month, first, last = month_number(word), int(match["day"]), int(match["last"] or match["day"])
    if year is None:
        year = day_near(here, month, last).first.year
    return Days(date(year, month, first), date(year, month, last) + DAY)


def _iso(match: re.Match[str], here: Here) -> Days | None:
    return one_day(date(int(match["year"]), int(match["m"]), int(match["d"])))


def _slashed(match: re.Match[str], here: Here) -> Days | None:
    month, day = int(match["m"]), int(match["d"])
    if month > 12:
        month, day = day, month
    return one_day(date(int(match["year"]), month, day))


def _weekday(match: re.Match[str], here: Here) -> Days | None:
    weekday = WEEKDAYS.index(match["weekday"][:3].lower())
    groups = match.groupdict()
    shift, week = groups.get("shift"), groups.get("week")
    if week:
        return one_day(week_of(here.today + 7 * DAY * SHIFTS[week.lower()]).first + DAY * weekday)
    if not shift:
        return None if here.habit else weekday_near(here, weekday)
    offset = SHIFTS[shift.lower()]
    if offset == 0:
        return one_day(week_of(here.today).first + DAY * weekday)
    return weekday_near(Here(here.now, ahead=offset > 0), weekday)


def _weekend(match: re.Match[str], here: Here) -> Days | None:
    shift = SHIFTS.get((match["shift"] or "").lower())
    if shift is None:
        return None if here.habit else weekend_near(here)
    latest = weekend_near(Here(here.now))
    if shift < 0 and latest.after <= here.today:
        return latest
    weekend = weekend_of(here.today)
    return Days(weekend.first + 7 * DAY * shift, weekend.after + 7 * DAY * shift)


def _ago(match: re.Match[str], here: Here) -> Days | None:
    count, unit = number(match["count"]), match["unit"].lower()
    if unit == "fortnight":
        count, unit = count * 2, "week"
    if re.search(r"few|several", match["count"], re.I):
        return Days(back(here, count + 2, unit).first, back(here, count - 1, unit).after)
    return back(here, count, unit)


def _from_now(match: re.Match[str], here: Here) -> Days | None:
    return back(here, -number(match["count"]), match["unit"].lower())


def _rolling(match: re.Match[str], here: Here) -> Days | None:
    """The last or next N units, counted from today and today included."""
    count, unit = number(match["count"] or "one"), match["unit"].lower()
    if unit == "fortnight":
        count, unit = count * 2, "week"
    if re.search(r"few|several", match["count"] or "", re.I):
        count += 2
    if SHIFTS[match["shift"].lower()] < 0:
        return Days(shifted(here, -count, unit), here.today + DAY)
    return Days(here.today, shifted(here, count, unit) + DAY)


def _unit(match: re.Match[str], here: Here) -> Days | None:
    unit = match["unit"].lower()
    if match["before_last"]:
        return calendar_unit(here, unit, -2)
    return _part(match, calendar_unit(here, unit, SHIFTS[match["shift"].lower()]))


def _calendar_year(match: re.Match[str], here: Here) -> Days | None:
    return _part(match, year_of(int(match["year"])))


def _quarter(match: re.Match[str], here: Here) -> Days | None:
    names = {"first": 1, "second": 2, "third": 3, "fourth": 4}
    name = match["quarter"].lower()
    month = 3 * (names.get(name) or int(name)) - 2
    year = _year(match, here)
    return month_near(here, month, 3) if year is None else months(year, month, 3)


def _half(match: re.Match[str], here: Here) -> Days | None:
    return months(_year(match, here) or here.today.year, 1 if match["half"] == "first" else 7, 6)


def _season(match: re.Match[str], here: Here) -> Days | None:
    month, shift = SEASONS[match["season"].lower()], match["shift"]
    if match["year"]:
        return months(int(match["year"]), month, 3)
    if shift and shift.lower() in ("last", "past", "previous"):
        days = month_near(Here(here.now), month, 3)
        return days if days.after <= here.today else months(days.first.year - 1, month, 3)
    return month_near(Here(here.now, here.ahead or bool(shift)), month, 3)


def _holiday(match: re.Match[str], here: Here) -> Days | None:
    month, day = HOLIDAYS[match["holiday"].lower().replace("’", "'")]
    if match["year"]:
        return one_day(date(int(match["year"]), month, day))
    days = day_near(here, month, day)
    last = match["shift"] and SHIFTS[match["shift"].lower()] < 0
    return (
        one_day(date(days.first.year - 1, month, day)) if last and days.after > here.today else days
    )


def _days_off(first: int, last: int | None = None) -> Resolve:
    def resolve(match: re.Match[str], here: Here) -> Days:
        end = first if last is None else last
        return Days(here.today + DAY * first, here.today + DAY * (end + 1))

    return resolve


def _month_day(match: re.Match[str], here: Here) -> Days | None:
    day = int(match["day"])
    step = 1 if here.ahead else -1
    for offset in range(0, 3 * step, step):
        month = months(here.today.year, here.today.month + offset).first
        try:
            found = month.replace(day=day)
        except ValueError:
            continue
        if (found >= here.today) if here.ahead else (found <= here.today):
            return one_day(found)
    return None


_RULES: tuple[tuple[str, Resolve], ...] = (
    (
        r"\b(?:today|tonight|this (?:morning|afternoon|evening)|just now|a moment ago)\b",
        _days_off(0),
    ),
    (r"\b(?:yesterday|last night)\b", _days_off(-1)),
    (r"\b(?:the )?day before yesterday\b", _days_off(-2)),
    (r"\btomorrow\b", _days_off(1)),
    (r"\b(?:the )?day after tomorrow\b", _days_off(2)),
    (r"\bthe other day\b", _days_off(-7, -1)),
    (
        rf"\b{YEAR}(?P<sep>[-/.])(?P<m>0?[1-9]|1[0-2])(?P=sep)(?P<d>0?[1-9]|[12]\d|3[01])(?![\d-])",
        _iso,
    ),
    (rf"(?<![\d/.])(?P<m>\d\d?)/(?P<d>\d\d?)/{YEAR}", _slashed),
    (
        rf"\b{YEAR}-(?P<m>0[1-9]|1[0-2])(?![\d-])",
        lambda match, here: months(int(match["year"]), int(match["m"])),
    ),
    (rf"\b{PART}?(?:{SHIFT}\s+)?{MONTH}{YEAR_AFTER}", _month),
    (
        rf"\b(?:from|between)\s+{MONTH}\s+(?:to|and|until|till|through)\s+"
        rf"{MONTH.replace('month', 'last', 1)}(?!\s+\d\d?\b)(?:,?\s+(?:of\s+)?{YEAR})?",
        _month_range,
    ),
    (
        rf"\b{DAY_NUMBER}(?:\s*(?:-|–|to|and|until|till|through)\s*{LAST_DAY})?\s+(?:of\s+)?{MONTH}"
        rf"{YEAR_AFTER}",
        _dated,
    ),
    (
        rf"\b{MONTH}\s+(?:the\s+)?{DAY_NUMBER}(?:\s*(?:-|–|to|and|until|till|through)\s*{LAST_DAY}"
        rf"(?!\s+(?:of\s+)?[a-z]{{3,9}}\s))?{YEAR_AFTER}",
        _dated,
    ),
    (rf"\b{SHIFT}\s+{WEEKDAY}", _weekday),
    (rf"\b{SHIFT}\s+{WEEKDAY_SHORT}", _weekday),
    (
        rf"(?<!black )(?<!\ba )(?<!good )(?<!casual )\b{WEEKDAY}"
        r"(?:\s+(?P<week>last|this|next)\s+week)?",
        _weekday,
    ),
    (rf"\b(?P<week>last|this|next)\s+week(?:'s|\s+on)?\s+{WEEKDAY}", _weekday),
    (rf"\b(?:{SHIFT}|the|over the)\s+weekend\b", _weekend),
    (rf"\b{NUMBER}\s+{UNIT}\s+(?:ago\b|back\b(?=\s*(?:[,.?!]|$|when|i\b|we\b)))", _ago),
    (rf"\b{NUMBER}\s+{UNIT}\s+from\s+now\b", _from_now),
    (rf"\b(?:the\s+|these\s+)?{SHIFT}\s+{NUMBER}\s+{UNIT}(?!\s+of\b)", _rolling),
    (
        rf"\bthe\s+{SHIFT}\s+(?P<count>)(?P<unit>week|fortnight|month|year|hour)\b(?!\s+of\b)",
        _rolling,
    ),
    (
        rf"\b{PART}?(?:{SHIFT}\s+(?P<unit>week|month|quarter|year)\b(?P<before_last>)?(?!\s+of\b))",
        _unit,
    ),
    (r"\b(?:the\s+)?(?P<unit>week|month|quarter|year)\s+(?P<before_last>before\s+last)\b", _unit),
    (
        rf"\b(?:(?<=in )|(?<=during )|(?<=since )|(?<=of )|(?<=until )|(?<=before )|(?<=after )"
        rf"|(?<=year )){YEAR}(?![-/\d])(?!\s+(?:words|steps|char|tokens|people|dollars|euros|met"
        rf"|miles|km|kg|lines|days|hours|minutes|ms|seconds|bytes|calories))(?P<part>)",
        _calendar_year,
    ),
    (rf"\b{PART}{YEAR}(?![-/\d])", _calendar_year),
    (
        rf"\b(?:{YEAR}\s*)?q(?P<quarter>[1-4])\b(?!\s+of\s+the\s+(?:quiz|exam|test))"
        rf"(?P<year_shift>)?",
        _quarter,
    ),
    (rf"\bq(?P<quarter>[1-4])\b{YEAR_AFTER}", _quarter),
    (rf"\bthe\s+(?P<quarter>first|second|third|fourth)\s+quarter\b{YEAR_AFTER}", _quarter),
    (
        rf"\bthe\s+(?P<half>first|second)\s+half\s+of\s+(?:{YEAR}|(?:the|(?P<year_shift>last|this|next))"
        r"\s+year)",
        _half,
    ),
    (rf"\b{SHIFT}\s+(?P<season>spring|summer|autumn|fall|winter)\b(?P<year>)?", _season),
    (rf"\b(?P<season>spring|summer|autumn|fall|winter)\s+(?:of\s+)?{YEAR}(?P<shift>)?", _season),
    (
        r"\b(?<=in )(?:the )?(?P<season>summer|autumn|winter|spring(?=\s*(?:[?.!,]|$)))\b"
        r"(?P<shift>)?(?P<year>)?",
        _season,
    ),
    (
        rf"\b(?:{SHIFT}\s+)?(?P<holiday>christmas(?: eve)?|new year['’]s (?:eve|day)|halloween"
        rf"|valentine['’]s day)(?:\s+(?:of\s+)?{YEAR})?\b",
        _holiday,
    ),
    (r"\b(?<=on the )(?P<day>[12]?\d|3[01])(?:st|nd|rd|th)(?=\s*(?:[?.!,;]|$))", _month_day),
)
