"""What time there is: free minutes of days, the time of a week, and sittings laid into it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from zoneinfo import ZoneInfo

from assistant.study.plan import Plan, Task, Terms, Week

DAY_STARTS, DAY_ENDS = time(7), time(23)
PREFERRED = time(19)
"""Sittings begin at seven in the evening where that is free."""
SITTING = 90
"""A day's share in minutes that a week is laid out for."""

Gap = tuple[datetime, datetime]


@dataclass(frozen=True, slots=True)
class Sitting:
    """Work on one task at one time. `number` counts the sittings of a task from 1."""

    task: Task
    number: int
    start: datetime
    end: datetime


def capacity(terms: Terms, number: int, start: date, end: date, since: date | None = None) -> int:
    """Return the minutes that a week holds, from day `since` on.

    A day off, or a day that the calendar fills, takes its seventh of the week's time with it.
    """
    length = (end - start).days + 1
    days = [start + timedelta(days=n) for n in range(length)]
    open_days = [day for day in days if day not in terms.off and (since is None or day >= since)]
    free = [minutes for day in open_days if (minutes := free_minutes(terms, day))]
    share = terms.loads.get(number, terms.minutes_a_week) * len(free) // 7
    return min(share, sum(free))


def free_minutes(terms: Terms, day: date) -> int:
    """Return the minutes between 7 and 23 o'clock that the calendar leaves free."""
    return sum(_length(gap) for gap in _gaps(terms, day))


def sittings(plan: Plan) -> Iterator[Sitting]:
    """Lay the plan's tasks into its days: the same plan gives the same sittings."""
    counts: dict[str, int] = {}
    for week in plan.weeks:
        slots = _slots(plan.terms, week)
        for task in week.tasks:
            for start, end in _take(slots, task.minutes):
                counts[task.id] = counts.get(task.id, 0) + 1
                yield Sitting(task, counts[task.id], start, end)


def _slots(terms: Terms, week: Week) -> list[Gap]:
    """The times of a week's study, in order, as long together as its tasks."""
    zone = ZoneInfo(terms.zone)
    minutes = _spread(terms, week)
    slots: list[Gap] = []
    for day, wanted in minutes.items():
        gaps = _preferred(_gaps(terms, day), datetime.combine(day, PREFERRED, zone).astimezone(UTC))
        slots += sorted(_take(gaps, wanted))
        if missing := wanted - sum(_length(g) for g in slots if _day(g, zone) == day):
            start = datetime.combine(day, PREFERRED, zone).astimezone(UTC)
            slots.append((start, start + timedelta(minutes=missing)))
    return slots


def _spread(terms: Terms, week: Week) -> dict[date, int]:
    """How many minutes each day of the week takes: even, and within what is free."""
    free = {day: free_minutes(terms, day) for day in week.days if day not in terms.off}
    days = [day for day, minutes in free.items() if minutes]
    if not week.minutes:
        return {}
    if not days:
        return {week.days[0]: week.minutes}
    count = min(len(days), max(1, -(-week.minutes // SITTING)))
    chosen = [days[n * len(days) // count] for n in range(count)]
    result = dict.fromkeys(days, 0)
    left = week.minutes
    for n, day in enumerate(chosen):
        result[day] = min(free[day], -(-left // (count - n)))
        left -= result[day]
    for day in days:
        extra = min(left, free[day] - result[day])
        result[day] += extra
        left -= extra
    result[days[-1]] += left  # more than is free: only where finished work lies in days now off
    return {day: minutes for day, minutes in result.items() if minutes}


def _gaps(terms: Terms, day: date) -> list[Gap]:
    zone = ZoneInfo(terms.zone)
    start = datetime.combine(day, DAY_STARTS, zone).astimezone(UTC)
    end = datetime.combine(day, DAY_ENDS, zone).astimezone(UTC)
    gaps: list[Gap] = []
    for busy in terms.busy:
        if busy.end <= start or busy.start >= end:
            continue
        if busy.start > start:
            gaps.append((start, busy.start))
        start = busy.end
    return [gap for gap in [*gaps, (start, end)] if _length(gap) > 0]


def _preferred(gaps: Sequence[Gap], at: datetime) -> list[Gap]:
    """The gaps cut at the preferred hour, those after it first."""
    after = [(max(start, at), end) for start, end in gaps if end > at]
    before = [(start, min(end, at)) for start, end in gaps if start < at]
    return after + before


def _take(gaps: list[Gap], minutes: int) -> list[Gap]:
    """Cut `minutes` off the front of the gaps, and return what was cut."""
    taken: list[Gap] = []
    while minutes > 0 and gaps:
        start, end = gaps.pop(0)
        used = min(minutes, _length((start, end)))
        middle = start + timedelta(minutes=used)
        taken.append((start, middle))
        if middle < end:
            gaps.insert(0, (middle, end))
        minutes -= used
    return taken


def _length(gap: Gap) -> int:
    return max(0, int((gap[1] - gap[0]).total_seconds() // 60))


def _day(gap: Gap, zone: ZoneInfo) -> date:
    return gap[0].astimezone(zone).date()
