"""The local days that an English time expression names; one function a kind of expression."""

from __future__ import annotations

import re
from datetime import date

from memory_store.calendar_days import (
    DAY,
    Days,
    Here,
    Resolve,
    back,
    calendar_unit,
    day_near,
    month_near,
    months,
    nth_in,
    one_day,
    season_near,
    shifted,
    third,
    week_of,
    weekday_near,
    weekend_near,
    weekend_of,
    year_of,
)
from memory_store.words_en import (
    DURATION,
    HOLIDAYS,
    NTHS,
    SEASONS,
    SHIFTS,
    WEEKDAYS,
    month_number,
    number,
    year_number,
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
_COUNT = re.compile(  # "may 5 people come?", "March 20 miles a day"
    r"\w+ \d+ (?:people|guests|friends|students|children|kids|miles|km|steps|of (?:us|you|them))\b"
)
_CLAUSE_END = re.compile(r"\s*(?:[?.!,;:)]|$)")


def _year(match: re.Match[str], here: Here) -> int | None:
    if match["year"]:
        return year_number(match["year"])
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


def month_named(match: re.Match[str], here: Here) -> Days | None:
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


def month_range(match: re.Match[str], here: Here) -> Days | None:
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


def day_of_month(match: re.Match[str], here: Here) -> Days | None:
    """A day of a month, or the days from one to another of the same month."""
    word, year = match["month"], _year(match, here)
    verb = word.lower() in ("may", "march") and word.islower()
    if verb and year is None and not match["ordinal"] and not _DAY_LEAD.search(_before(match)):
        return None
    if word.lower() in ("may", "march") and _COUNT.match(match.string, match.start()):
        return None
    month, first, last = month_number(word), int(match["day"]), int(match["last"] or match["day"])
    if year is None:
        year = day_near(here, month, last).first.year
    return Days(date(year, month, first), date(year, month, last) + DAY)


def iso_date(match: re.Match[str], here: Here) -> Days | None:
    return one_day(date(int(match["year"]), int(match["m"]), int(match["d"])))


def slashed_date(match: re.Match[str], here: Here) -> Days | None:
    month, day = int(match["m"]), int(match["d"])
    if month > 12:
        month, day = day, month
    return one_day(date(int(match["year"]), month, day))


def weekday_named(match: re.Match[str], here: Here) -> Days | None:
    if match["weekday"] == "SAT":  # the examination
        return None
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


def weekend_named(match: re.Match[str], here: Here) -> Days | None:
    shift = SHIFTS.get((match["shift"] or "").lower())
    if shift is None:
        return None if here.habit else weekend_near(here)
    latest = weekend_near(Here(here.now))
    if shift < 0 and latest.after <= here.today:
        return latest
    weekend = weekend_of(here.today)
    return Days(weekend.first + 7 * DAY * shift, weekend.after + 7 * DAY * shift)


def units_away(sign: int) -> Resolve:
    """Three days ago (sign 1), in three days (sign -1)."""

    def resolve(match: re.Match[str], here: Here) -> Days:
        count, unit = number(match["count"]), match["unit"].lower()
        if unit == "fortnight":
            count, unit = count * 2, "week"
        if not re.search(r"few|several", match["count"], re.I):
            return back(here, sign * count, unit)
        near, far = (back(here, sign * (count + more), unit) for more in (-1, 2))
        return Days(min(near.first, far.first), max(near.after, far.after))

    return resolve


def in_units(match: re.Match[str], here: Here) -> Days | None:
    """In three days: from now, unless it is a title or the sentence asks what fits into them."""
    begin = max(match.string.rfind(mark, 0, match.start()) for mark in ".?!\n") + 1
    end = re.compile(r"[.?!\n]|$").search(match.string, match.end())
    sentence = match.string[begin : end.start() if end else None]
    if here.habit or match["unit"].istitle() or DURATION.search(sentence):
        return None
    return units_away(-1)(match, here)


def rolling(match: re.Match[str], here: Here) -> Days | None:
    """The last or next N units, counted from today and today included."""
    count, unit = number(match["count"] or "one"), match["unit"].lower()
    if unit == "fortnight":
        count, unit = count * 2, "week"
    if re.search(r"few|several", match["count"] or "", re.I):
        count += 2
    if SHIFTS[match["shift"].lower()] < 0:
        return Days(shifted(here, -count, unit), here.today + DAY)
    return Days(here.today, shifted(here, count, unit) + DAY)


def calendar_unit_named(match: re.Match[str], here: Here) -> Days | None:
    unit = match["unit"].lower()
    if "shift" not in match.groupdict():
        return _part(match, calendar_unit(here, unit, 0))
    if match["before_last"]:
        return calendar_unit(here, unit, -2)
    return _part(match, calendar_unit(here, unit, SHIFTS[match["shift"].lower()]))


def year_alone(match: re.Match[str], here: Here) -> Days | None:
    return _part(match, year_of(int(match["year"])))


def nth_of_month(match: re.Match[str], here: Here) -> Days | None:
    """The second week of November, the last Friday of March."""
    unit, weekday = match["unit"].lower(), 0
    if unit not in ("week", "weekend"):
        unit, weekday = "weekday", WEEKDAYS.index(unit[:3])
    groups = match.groupdict()
    if groups.get("month"):
        year, month = _year(match, here), month_number(match["month"])
        days = month_near(here, month) if year is None else months(year, month)
    else:
        days = calendar_unit(here, "month", SHIFTS[match["shift"].lower()])
    return nth_in(days, NTHS[match["nth"].lower()], unit, weekday)


def quarter(match: re.Match[str], here: Here) -> Days | None:
    names = {"first": 1, "second": 2, "third": 3, "fourth": 4}
    name = match["quarter"].lower()
    month = 3 * (names.get(name) or int(name)) - 2
    year = _year(match, here)
    return month_near(here, month, 3) if year is None else months(year, month, 3)


def half_year(match: re.Match[str], here: Here) -> Days | None:
    return months(_year(match, here) or here.today.year, 1 if match["half"] == "first" else 7, 6)


def season(match: re.Match[str], here: Here) -> Days | None:
    month, shift = SEASONS[match["season"].lower()], match["shift"]
    if match["year"]:
        return months(int(match["year"]), month, 3)
    return season_near(here, month, SHIFTS[shift.lower()]) if shift else month_near(here, month, 3)


def holiday(match: re.Match[str], here: Here) -> Days | None:
    month, day = HOLIDAYS[match["holiday"].lower().replace("’", "'")]
    if match["year"]:
        return one_day(date(int(match["year"]), month, day))
    days = day_near(here, month, day)
    last = match["shift"] and SHIFTS[match["shift"].lower()] < 0
    return (
        one_day(date(days.first.year - 1, month, day)) if last and days.after > here.today else days
    )


def days_off(first: int, last: int | None = None) -> Resolve:
    def resolve(match: re.Match[str], here: Here) -> Days:
        end = first if last is None else last
        return Days(here.today + DAY * first, here.today + DAY * (end + 1))

    return resolve


def day_alone(match: re.Match[str], here: Here) -> Days | None:
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
