"""Progress at a moment: planned, earned and actual time, pace, forecast, overdue and next.

Earned value management (PMBOK): a task that is done has earned its planned time; one that is not
has earned the time spent on it, never more than planned. SPI = earned ÷ planned.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from statistics import mean, stdev

from assistant.study.availability import sittings
from assistant.study.check_in import group_of
from assistant.study.plan import Plan, Task, Week
from assistant.study.study_log import Entry

PACE_DAYS = 28
"""The current pace is that of the last four weeks."""
FORECAST_YEARS = 10


@dataclass(frozen=True, slots=True)
class Standing:
    """A task's part in the progress: minutes earned, whether it is complete, and since when."""

    week: Week
    task: Task
    earned: int
    complete: bool
    day: date | None

    @property
    def left(self) -> int:
        """Minutes that it still takes."""
        return self.task.minutes - self.earned


@dataclass(frozen=True, slots=True)
class Progress:
    """Where a plan stands. Times are minutes.

    Attributes:
        planned: what should have been done by now, by the plan's sittings.
        actual: what was logged.
        earned: what was done, valued by the plan.
        streak: days in a row with study, up to today or yesterday; days off do not break it.
        pace: minutes earned on a day of study, of late; None in the first week.
        forecast: the last day at that pace; None where there is no pace.
        earliest, latest: the forecast's range, from how much weeks differ.
    """

    as_of: datetime
    planned: int
    actual: int
    earned: int
    total: int
    week_planned: int
    week_actual: int
    tasks_done: int
    tasks_planned: int
    streak: int
    pace: float | None
    forecast: date | None
    earliest: date | None
    latest: date | None
    standings: tuple[Standing, ...]

    @property
    def spi(self) -> float:
        """The schedule performance index; 1 while nothing was due yet."""
        return self.earned / self.planned if self.planned else 1.0

    @property
    def overdue(self) -> tuple[Standing, ...]:
        """What should be complete, since its week is over."""
        today = self.as_of.date()
        return tuple(s for s in self.standings if not s.complete and s.week.end < today)

    @property
    def next(self) -> tuple[Standing, ...]:
        """What comes next, overdue or not: the first three."""
        return tuple(s for s in self.standings if not s.complete)[:3]


def measure(plan: Plan, entries: Sequence[Entry], now: datetime) -> Progress:
    """Return where the plan stands at `now` (in the user's zone), by what was logged until then."""
    today = now.date()
    known = [entry for entry in entries if entry.said.day <= today]
    standings, gains = _credit(plan, known)
    done_by_now = [s for s in sittings(plan) if s.end <= now]
    planned = sum(_minutes(s.start, s.end) for s in done_by_now)
    laid = {t.id: t.minutes for _, t in plan.placed()}
    for sitting in done_by_now:
        laid[sitting.task.id] -= _minutes(sitting.start, sitting.end)
    week = next((w for w in plan.weeks if w.start <= today <= w.end), None)
    earned = sum(s.earned for s in standings)
    pace, (forecast, earliest, latest) = _outlook(plan, gains, standings, today)
    return Progress(
        as_of=now,
        planned=planned,
        actual=sum(entry.said.minutes for entry in known),
        earned=earned,
        total=plan.minutes,
        week_planned=week.minutes if week else 0,
        week_actual=sum(
            e.said.minutes for e in known if week and week.start <= e.said.day <= week.end
        ),
        tasks_done=sum(s.complete for s in standings),
        tasks_planned=sum(left == 0 for left in laid.values()),
        streak=_streak({e.said.day for e in known if e.said.minutes}, plan.terms.off, today),
        pace=pace,
        forecast=forecast,
        earliest=earliest,
        latest=latest,
        standings=tuple(standings),
    )


def _credit(plan: Plan, entries: Sequence[Entry]) -> tuple[list[Standing], list[tuple[date, int]]]:
    """Give the logged time to tasks, and tell on which day how much was earned."""
    placed = list(plan.placed())
    got = {task.id: 0 for _, task in placed}
    since: dict[str, date] = {}
    gains: list[tuple[date, int]] = []
    for entry in entries:
        said = entry.said
        for name in said.done:
            if name in got and name not in since:
                since[name] = said.day
        # A task that this version of the plan does not have leaves its time to its course.
        left = 0 if any(name in got for name in said.done) else said.minutes
        gained = 0
        for _, task in placed:
            if task.id in said.done:
                gain = task.minutes - got[task.id]
            elif group_of(task) == said.group and task.id not in since:
                gain = min(left, task.minutes - got[task.id])
                left -= gain
            else:
                continue
            got[task.id] += gain
            gained += gain
            if got[task.id] == task.minutes:
                since.setdefault(task.id, said.day)
        gains.append((said.day, gained))
    standings = [
        Standing(week, task, got[task.id], task.id in since, since.get(task.id))
        for week, task in placed
    ]
    return standings, gains


def _outlook(
    plan: Plan, gains: Sequence[tuple[date, int]], standings: Sequence[Standing], today: date
) -> tuple[float | None, tuple[date | None, date | None, date | None]]:
    left = sum(s.left for s in standings if not s.complete)
    if not left:
        last = max((s.day for s in standings if s.day), default=plan.end)
        return None, (last, last, last)
    first = max(plan.start, today - timedelta(days=PACE_DAYS - 1))
    window = [first + timedelta(days=n) for n in range((today - first).days + 1)]
    days = [day for day in window if day not in plan.terms.off]
    if (today - plan.start).days < 7 or not days:
        return None, (plan.end, None, None)
    by_day = dict.fromkeys(days, 0)
    for day, minutes in gains:
        if day in by_day:
            by_day[day] += minutes
    pace = sum(by_day.values()) / len(days)
    fast, slow = _bounds(list(by_day.values()), pace)
    forecast, earliest, latest = (_finish(today, left, p, plan) for p in (pace, fast, slow))
    return pace, (forecast, earliest, latest)


def _bounds(days: Sequence[int], pace: float) -> tuple[float, float]:
    """The pace plus and minus its standard error over weeks."""
    weeks = [mean(days[n : n + 7]) for n in range(0, len(days), 7) if len(days[n : n + 7]) == 7]
    if len(weeks) < 2:
        return pace, pace
    error = stdev(weeks) / math.sqrt(len(weeks))
    return pace + error, pace - error


def _finish(today: date, left: int, pace: float, plan: Plan) -> date | None:
    """The day on which `left` minutes are done at `pace` minutes a day of study."""
    if pace <= 0:
        return None
    needed = math.ceil(left / pace - 1e-9)
    day = today
    for _ in range(366 * FORECAST_YEARS):
        day += timedelta(days=1)
        needed -= day not in plan.terms.off
        if needed <= 0:
            return day
    return None


def _streak(days: set[date], off: frozenset[date], today: date) -> int:
    count, day = 0, today if today in days else today - timedelta(days=1)
    while day in days or day in off:
        count += day in days
        day -= timedelta(days=1)
    return count if any(d <= today for d in days) else 0


def _minutes(start: datetime, end: datetime) -> int:
    return int((end - start).total_seconds() // 60)
