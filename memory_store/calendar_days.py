"""Whole local days, weeks, months and years as half-open spans of dates; pure date arithmetic."""

from __future__ import annotations

import calendar
import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta, tzinfo

from memory_store.chunk import Interval, to_utc

DAY = timedelta(days=1)
FIRST_YEAR, LAST_YEAR = 1900, 2199


@dataclass(frozen=True, slots=True)
class Days:
    """Local days, `first` included and `after` excluded."""

    first: date
    after: date

    def interval(self, zone: tzinfo) -> Interval | None:
        """The span in UTC, or None outside the years 1900 to 2199.

        A day on which the clock changes has 23 or 25 hours; a midnight that the zone skips is the
        instant of the change (PEP 495, fold=0).
        """
        if self.first.year < FIRST_YEAR or self.after.year > LAST_YEAR + 1:
            return None
        start, end = (
            datetime.combine(edge, time(), zone).astimezone(UTC)
            for edge in (self.first, self.after)
        )
        return Interval(start, end) if start <= end else None


@dataclass(frozen=True, slots=True)
class Here:
    """From where a time expression is seen.

    Attributes:
        now: the local wall clock, without a zone.
        ahead: whether "in March" or "on Friday" mean the next one rather than the latest.
        habit: whether the text speaks of what happens regularly, so that a weekday is no date.
    """

    now: datetime
    ahead: bool = False
    habit: bool = False

    @property
    def today(self) -> date:
        """The local date."""
        return self.now.date()


Resolve = Callable[[re.Match[str], Here], Days | None]
"""Says which days a match names, or None where it names none.

It may raise ValueError or OverflowError for a date that does not exist.
"""

Rule = tuple[re.Pattern[str], Resolve]


def here_at(now: datetime, zone: tzinfo, *, ahead: bool = False, habit: bool = False) -> Here:
    """See time expressions from `now` (aware) in the user's zone."""
    return Here(to_utc(now, "now").astimezone(zone).replace(tzinfo=None), ahead, habit)


def one_day(day: date) -> Days:
    """That day."""
    return Days(day, day + DAY)


def week_of(day: date) -> Days:
    """The week from Monday to Sunday that holds `day`."""
    monday = day - DAY * day.weekday()
    return Days(monday, monday + 7 * DAY)


def weekend_of(day: date) -> Days:
    """Saturday and Sunday of the week that holds `day`."""
    monday = day - DAY * day.weekday()
    return Days(monday + 5 * DAY, monday + 7 * DAY)


def months(year: int, month: int, count: int = 1) -> Days:
    """`count` calendar months from that month on; `month` may lie outside 1 to 12."""
    return Days(_month_start(year, month), _month_start(year, month + count))


def year_of(year: int) -> Days:
    """That calendar year."""
    return months(year, 1, 12)


def add_months(day: date, count: int) -> date:
    """The same day of another month, or that month's last day where it has no such day."""
    first = _month_start(day.year, day.month + count)
    return first.replace(day=min(day.day, calendar.monthrange(first.year, first.month)[1]))


def third(days: Days, part: int) -> Days:
    """The early (0), middle (1) or late (2) part: of a month days 1-10, 11-20 and 21 on."""
    length = (days.after - days.first).days
    if length > 31:
        quarter_year = [add_months(days.first, length // 91 * step) for step in range(3)]
        edges = [*quarter_year, days.after]
    else:
        step = 10 if length > 7 else 2
        edges = [days.first, days.first + DAY * step, days.first + DAY * 2 * step, days.after]
    return Days(edges[part], edges[part + 1])


def back(here: Here, count: float, unit: str) -> Days:
    """The day, week, month or year that lies `count` units before now (negative: after now).

    A week is the seven days around that day, since people say "three weeks ago" roughly.
    """
    if unit in ("second", "minute", "hour"):
        return one_day((here.now - timedelta(**{f"{unit}s": count})).date())
    if unit == "month" and not count % 1:
        return months(here.today.year, here.today.month - int(count))
    if unit == "year":
        half = count % 1 > 0
        return (
            back(here, int(count * 12), "month") if half else year_of(here.today.year - int(count))
        )
    if unit == "day":
        return one_day(here.today - DAY * round(count))
    middle = here.today - DAY * round(count * (30 if unit == "month" else 7))
    return Days(middle - 3 * DAY, middle + 4 * DAY)


def shifted(here: Here, count: float, unit: str) -> date:
    """The date that lies `count` units after today (negative: before)."""
    if unit in ("second", "minute", "hour"):
        return (here.now + timedelta(**{f"{unit}s": count})).date()
    if unit in ("day", "week"):
        return here.today + DAY * round(count * (7 if unit == "week" else 1))
    return add_months(here.today, round(count * (12 if unit == "year" else 1)))


def calendar_unit(here: Here, unit: str, offset: int) -> Days:
    """The day, week, month, quarter or year that is `offset` after the current one."""
    today = here.today
    match unit:
        case "day":
            return one_day(today + DAY * offset)
        case "week":
            return week_of(today + DAY * 7 * offset)
        case "month":
            return months(today.year, today.month + offset)
        case "quarter":
            return months(today.year, (today.month - 1) // 3 * 3 + 1 + 3 * offset, 3)
        case _:
            return year_of(today.year + offset)


def month_near(here: Here, month: int, count: int = 1) -> Days:
    """The latest months of that name that have begun; where `here` looks ahead, the next to end."""
    year = here.today.year
    spans = [months(each, month, count) for each in (year - 1, year, year + 1)]
    if here.ahead:
        return next(days for days in spans if days.after > here.today)
    return next(days for days in reversed(spans) if days.first <= here.today)


def season_near(here: Here, month: int, offset: int) -> Days:
    """This season, the last that is over or the next to begin; a winter runs into the new year."""
    year = here.today.year - (month == 12 and here.today.month < 3)
    days = months(year, month, 3)
    if offset > 0 and days.first <= here.today:
        return months(year + 1, month, 3)
    if offset < 0 and days.after > here.today:
        return months(year - 1, month, 3)
    return days


def day_near(here: Here, month: int, day: int) -> Days:
    """The latest such date up to today; where `here` looks ahead, the next from today on.

    Raises:
        ValueError: no year has such a date.
    """
    step = 1 if here.ahead else -1
    for year in range(here.today.year, here.today.year + 9 * step, step):
        if day > calendar.monthrange(year, month)[1]:
            continue
        found = date(year, month, day)
        if (found >= here.today) if here.ahead else (found <= here.today):
            return one_day(found)
    raise ValueError(f"no {day}. in month {month}")


def weekday_near(here: Here, weekday: int) -> Days:
    """The latest such weekday before today; where `here` looks ahead, the next after today."""
    if here.ahead:
        return one_day(here.today + DAY * ((weekday - here.today.weekday() - 1) % 7 + 1))
    return one_day(here.today - DAY * ((here.today.weekday() - weekday - 1) % 7 + 1))


def weekend_near(here: Here) -> Days:
    """The latest weekend that has begun; where `here` looks ahead, the current or next one."""
    weekend = weekend_of(here.today)
    if here.ahead or weekend.first <= here.today:
        return weekend
    return Days(weekend.first - 7 * DAY, weekend.after - 7 * DAY)


def nth_in(days: Days, nth: int, unit: str, weekday: int = 0) -> Days:
    """The nth week, weekend or weekday of a month; nth 0 is the last.

    Raises:
        ValueError: the month has no fifth one.
    """
    if unit == "week":
        first = days.after - 7 * DAY if nth == 0 else days.first + 7 * DAY * (nth - 1)
        return Days(first, first + 7 * DAY)
    wanted = 5 if unit == "weekend" else weekday
    start = days.first + DAY * ((wanted - days.first.weekday()) % 7)
    found = [day for n in range(5) if (day := start + 7 * DAY * n) < days.after]
    day = found[nth - 1]
    return Days(day, day + (2 if unit == "weekend" else 1) * DAY)


def beside(days: Days, count: float, unit: str) -> Days:
    """The `count` units just before those days (negative: just after)."""
    if unit == "weekend":
        monday = days.first if count > 0 else days.after + 6 * DAY
        saturday = monday - DAY * ((monday.weekday() - 5) % 7 or 7)
        return Days(saturday, saturday + 2 * DAY)
    edge = days.first if count > 0 else days.after
    here = Here(datetime.combine(edge, time()))
    other = shifted(here, -count, unit)
    return Days(min(edge, other), max(edge, other))


def _month_start(year: int, month: int) -> date:
    years, index = divmod(month - 1, 12)
    return date(year + years, index + 1, 1)
