"""Making a plan from what the person gives: flags win, the goal's own words fill the rest."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, timedelta
from pathlib import Path
from typing import cast
from zoneinfo import ZoneInfo

from assistant.errors import UserError
from assistant.phrases import phrase
from assistant.study.availability import sittings
from assistant.study.calendar import merged, read_busy
from assistant.study.catalogue import Catalogue
from assistant.study.course import Course, read_level
from assistant.study.goal import Frame, read_goal
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
    """A plan that is not stored yet.

    Attributes:
        assumed: the prerequisites that it takes as known.
        by_meaning: no course names the goal; these are the nearest ones in meaning.
    """

    plan: Plan
    assumed: tuple[Course, ...]
    by_meaning: bool = False


def make_plan(
    wish: Wish,
    name: str,
    catalogue: Catalogue,
    *,
    language: str,
    today: date,
    zone: ZoneInfo,
    others: Sequence[Plan] = (),
    embedder: Callable[[], Embedder | None] = lambda: None,
) -> Made:
    """Return the plan that a wish gives.

    Args:
        language: of the plan, `en` or `zh`.
        embedder: loads what finds courses by meaning, if there is any.
        others: the person's other plans; their sittings are busy time for this one.

    Raises:
        UserError: something is missing, contradictory or impossible; the message says what.
    """
    if not wish.goal.strip():
        raise UserError(phrase("study.goal_empty"))
    said = read_goal(wish.goal, start=wish.start, today=today)
    level = read_level(wish.level) or said.level
    terms = _terms(wish, said, level, today=today, zone=zone, others=others)
    courses = catalogue.all()
    by_meaning = False
    if wish.courses:
        chosen = chosen_by_name(wish.courses, courses, level)
    else:
        found, by_meaning = catalogue.answering(said.topic, embedder)
        chosen = choose(
            found,
            courses,
            goal=wish.goal,
            level=level,
            language=language,
            room=sum(capacities(terms)),
        )
    plan = build(name, wish.goal.strip(), language, terms, chosen.courses)
    return Made(plan, chosen.assumed, by_meaning)


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
        raise UserError(phrase("study.hours_missing"))
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
            raise UserError(phrase("study.bad_load", text=text)) from None
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
        raise UserError(phrase("study.weeks_or_end"))
    if wish.weeks is not None:
        if not 1 <= wish.weeks <= 520:
            raise UserError(phrase("study.weeks_range", weeks=wish.weeks))
        return start + timedelta(weeks=wish.weeks, days=-1)
    end = wish.end or said.end
    if end is None:
        raise UserError(phrase("study.end_missing"))
    return end


def _load(week: int, hours: float, count: int) -> int:
    if not 1 <= week <= count:
        raise UserError(phrase("study.no_week", last=count, week=week))
    return weekly(hours) if hours else 0
