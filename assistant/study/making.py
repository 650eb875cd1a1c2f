"""Making a plan from what the person gives: flags win, the goal's own words fill the rest."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, timedelta
from pathlib import Path
from typing import cast
from zoneinfo import ZoneInfo

from assistant.errors import UserError
from assistant.study.availability import sittings
from assistant.study.calendar import merged, read_busy
from assistant.study.catalogue import Catalogue
from assistant.study.course import Course, read_level
from assistant.study.goal import Frame, language_of, read_goal
from assistant.study.minutes import weekly
from assistant.study.plan import Busy, Plan, Terms
from assistant.study.planner import build, check_dates, choose, chosen_by_name
from assistant.study.scheduler import capacities, week_frames
from memory_store.protocols import Embedder


@dataclass(frozen=True, slots=True)
class Wish:
    """What the person asks for; None and empty: the goal's text says it, or nothing does.

    Attributes:
        hours: a week.
        loads: other hours for some weeks, by the week's number.
        total: hours a week for all plans together.
        calendar: an `.ics` file or a folder of them, to be read as busy time.
    """

    goal: str
    start: date | None = None
    end: date | None = None
    weeks: int | None = None
    hours: float | None = None
    level: str | None = None
    courses: tuple[str, ...] = ()
    off: frozenset[date] = frozenset()
    loads: Mapping[int, float] = field(default_factory=dict[int, float])
    total: float | None = None
    calendar: Path | None = None


@dataclass(frozen=True, slots=True)
class Made:
    """A plan that is not stored yet, and the prerequisites that it takes as known."""

    plan: Plan
    assumed: tuple[Course, ...]


def make_plan(
    wish: Wish,
    name: str,
    catalogue: Catalogue,
    *,
    today: date,
    zone: ZoneInfo,
    others: Sequence[Plan] = (),
    embedder: Embedder | None = None,
) -> Made:
    """Return the plan that a wish gives.

    Args:
        others: the person's other plans; their sittings are busy time for this one.

    Raises:
        UserError: something is missing, contradictory or impossible; the message says what.
    """
    if not wish.goal.strip():
        raise UserError("the goal is empty. Say what you want to learn.")
    said = read_goal(wish.goal, start=wish.start, today=today)
    language = language_of(wish.goal)
    level = read_level(wish.level) or said.level
    terms = _terms(wish, said, level, today=today, zone=zone, others=others)
    courses = catalogue.all()
    if wish.courses:
        chosen = chosen_by_name(wish.courses, courses, level)
    else:
        chosen = choose(
            catalogue.search(said.topic, embedder=embedder),
            courses,
            goal=wish.goal,
            level=level,
            language=language,
            room=sum(capacities(terms)),
        )
    return Made(build(name, wish.goal.strip(), language, terms, chosen.courses), chosen.assumed)


def _terms(
    wish: Wish,
    said: Frame,
    level: str | None,
    *,
    today: date,
    zone: ZoneInfo,
    others: Sequence[Plan],
) -> Terms:
    start = wish.start or said.start or today
    end = _end(wish, said, start)
    check_dates(start, end)
    minutes = weekly(wish.hours) if wish.hours is not None else said.minutes
    shared = weekly(wish.total) if wish.total is not None else None
    if minutes is None and shared is None:
        raise UserError("say how many hours a week you have: --hours 8, or in the goal itself.")
    count = len(week_frames(start, end))
    loads = {week: _load(week, hours, count) for week, hours in wish.loads.items()}
    asked = minutes if minutes is not None else cast("int", shared)
    if shared is not None:
        for week in week_frames(start, end):
            left = max(0, shared - taken(others, week.start, week.end))
            loads[week.number] = min(loads.get(week.number, asked), left)
    busy = [*_sittings(others, start, end)]
    if wish.calendar is not None:
        busy += read_busy(wish.calendar, start, end, zone)
    off = frozenset(day for day in wish.off if start <= day <= end)
    return Terms(start, end, asked, level, off, loads, zone.key, merged(busy))


def read_loads(texts: Sequence[str]) -> dict[int, float]:
    """Return other hours by week from texts such as `3=4`: four hours in week 3.

    Raises:
        UserError: a text is not of that form.
    """
    loads: dict[int, float] = {}
    for text in texts:
        week, _, hours = text.partition("=")
        try:
            loads[int(week)] = float(hours)
        except ValueError:
            raise UserError(f"{text!r} is not WEEK=HOURS, such as 3=4 for week 3.") from None
    return loads


def taken(plans: Sequence[Plan], start: date, end: date) -> int:
    """Return the minutes that plans have on the days from `start` to `end`."""
    return sum(
        int((sitting.end - sitting.start).total_seconds() // 60)
        for plan in plans
        for sitting in sittings(plan)
        if start <= sitting.start.astimezone(ZoneInfo(plan.terms.zone)).date() <= end
    )


def _sittings(plans: Sequence[Plan], start: date, end: date) -> list[Busy]:
    spans: list[Busy] = []
    for plan in plans:
        zone = ZoneInfo(plan.terms.zone)
        for sitting in sittings(plan):
            if start <= sitting.start.astimezone(zone).date() <= end:
                spans.append(Busy(sitting.start, sitting.end))
    return spans


def _end(wish: Wish, said: Frame, start: date) -> date:
    if wish.weeks is not None and wish.end is not None:
        raise UserError("give --weeks or --end, not both.")
    if wish.weeks is not None:
        if not 1 <= wish.weeks <= 520:
            raise UserError(f"--weeks {wish.weeks} is not from 1 to 520.")
        return start + timedelta(weeks=wish.weeks, days=-1)
    end = wish.end or said.end
    if end is None:
        raise UserError("say until when: --weeks 12, --end DATE, or in the goal itself.")
    return end


def _load(week: int, hours: float, count: int) -> int:
    if not 1 <= week <= count:
        raise UserError(f"the plan has weeks 1 to {count}; there is no week {week}.")
    return weekly(hours) if hours else 0
