"""From a goal to a plan: which courses, in which weeks, in which phases. Code, no model."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date

from assistant.errors import UserError
from assistant.phrases import phrase
from assistant.study.catalogue import nearest
from assistant.study.course import LEVELS, Course, in_order
from assistant.study.minutes import MOST_A_WEEK
from assistant.study.plan import Phase, Plan, Terms, Unplaced, Week
from assistant.study.scheduler import Missing, capacities, schedule, week_frames
from assistant.study.search import CLEAR, Found
from assistant.study.wording import phase_title, self_check, task_of, would_fit

COURSE_SHARE = 92
"""Percent of the time that chosen courses may take; the rest is review and a project."""
ALSO = 0.7
"""The share of the best score that still counts."""


@dataclass(frozen=True, slots=True)
class Selection:
    """The courses of a plan, and prerequisites that the person is taken to know already."""

    courses: tuple[Course, ...]
    assumed: tuple[Course, ...] = ()


def choose(
    found: Sequence[Found],
    courses: Mapping[str, Course],
    *,
    goal: str,
    level: str | None,
    language: str,
    room: int,
) -> Selection:
    """Choose courses for a goal: those that answer it best and fill the time with what they need.

    Every answer is tried as the first one; the choice that fills the most of the time with courses
    about the goal wins. If none fits, the shortest is taken, and the plan says what is missing.

    Raises:
        UserError: no course of the catalogue is about the goal.
    """
    best = max((item.score for item in found), default=0.0)
    if best < CLEAR:
        raise UserError(
            phrase("study.no_course_about", goal=goal, nearest=nearest(goal, courses, found))
        )
    known = level or "beginner"
    right = [
        item.course
        for item in found
        if item.score >= max(CLEAR, best * ALSO)
        and item.course.language in {language, "en"}
        and LEVELS.index(item.course.level) >= LEVELS.index(known) - 1
    ]
    right.sort(key=lambda course: (course.language != language, LEVELS.index(course.level)))
    limit = room * COURSE_SHARE // 100
    candidates = right or [found[0].course]
    tried = [_gather(first, candidates, courses, known, limit) for first in candidates]
    chosen = max(tried, key=lambda some: sum(c.minutes for c in some if c in candidates))
    if not chosen:
        closures = (needed(course, courses, known) for course in candidates)
        chosen = min(closures, key=lambda some: sum(course.minutes for course in some))
    return Selection(tuple(by_level(chosen)))


def chosen_by_name(
    identifiers: Sequence[str], courses: Mapping[str, Course], level: str | None
) -> Selection:
    """Return the courses that the person named; with a level, what they need before them too.

    Raises:
        UserError: a name is no course of the catalogue; the message has the nearest real ones.
    """
    chosen: dict[str, Course] = {}
    for name in identifiers:
        if name not in courses:
            known = nearest(name, courses)
            raise UserError(phrase("study.no_course", course=name, nearest=known))
        some = needed(courses[name], courses, level) if level else [courses[name]]
        chosen |= {course.id: course for course in some}
    wanted = [courses[p] for course in chosen.values() for p in course.prerequisites]
    assumed = {course.id: course for course in wanted if course.id not in chosen}
    return Selection(tuple(chosen.values()), tuple(assumed.values()))


def needed(course: Course, courses: Mapping[str, Course], level: str) -> list[Course]:
    """Return the course after its prerequisites; those below the person's level are known."""
    chosen: dict[str, Course] = {}

    def visit(one: Course) -> None:
        for prerequisite in (courses[name] for name in one.prerequisites):
            if LEVELS.index(prerequisite.level) >= LEVELS.index(level):
                visit(prerequisite)
        chosen.setdefault(one.id, one)

    visit(course)
    return list(chosen.values())


def by_level(courses: Sequence[Course]) -> list[Course]:
    """Return the courses easier first, each after its prerequisites."""
    return in_order(sorted(courses, key=lambda course: LEVELS.index(course.level)))


def build(name: str, goal: str, language: str, terms: Terms, courses: Sequence[Course]) -> Plan:
    """Return the first version of a plan: the courses in the terms' weeks, in phases.

    Raises:
        UserError: the terms hold no time at all.
    """
    room = capacities(terms)
    if not sum(room):
        raise UserError(phrase("study.no_free_time", start=terms.start, end=terms.end))
    laid = schedule(courses, room)
    frames = week_frames(terms.start, terms.end)
    weeks = tuple(
        replace(week, tasks=tuple(task_of(piece, goal, language) for piece in pieces))
        for week, pieces in zip(frames, laid.weeks, strict=True)
    )
    names = {course.id: course.name(language) for course in courses}
    unplaced = _unplaced(laid.missing, terms, language)
    phases = phases_of(weeks, names, language)
    return Plan(name, 1, goal, language, terms, phases, weeks, unplaced)


def phases_of(weeks: Sequence[Week], names: Mapping[str, str], language: str) -> tuple[Phase, ...]:
    """Cut the weeks into phases: at least three where there are three weeks, where courses turn."""
    count = min(len(weeks), max(3, min(6, len(weeks) // 4)))
    return phases_from(_boundaries(weeks, count), weeks, names, language)


def phases_from(
    firsts: Sequence[int], weeks: Sequence[Week], names: Mapping[str, str], language: str
) -> tuple[Phase, ...]:
    """Return the phases that begin in those weeks, titled by the courses that they hold."""
    phases: list[Phase] = []
    for number, first in enumerate(firsts, 1):
        until = firsts[number] if number < len(firsts) else len(weeks) + 1
        held = weeks[first - 1 : until - 1]
        courses = dict.fromkeys(t.course for week in held for t in week.tasks if t.course)
        titles = [names[course] for course in courses]
        title = phase_title(number, len(firsts), titles, language)
        phases.append(Phase(title, self_check(titles, language), first))
    return tuple(phases)


def _boundaries(weeks: Sequence[Week], count: int) -> list[int]:
    """The first week of each phase: even parts, moved by up to a week to where a course begins."""
    starts = {1}
    seen: set[str | None] = set()
    for week in weeks:
        fresh = {task.course for task in week.tasks} - seen
        if fresh:
            starts.add(week.number)
        seen |= fresh
    firsts = [1]
    for n in range(1, count):
        even = 1 + len(weeks) * n // count
        last = len(weeks) - (count - 1 - n)
        options = [week for week in (even, even + 1, even - 1) if firsts[-1] < week <= last]
        firsts.append(next((week for week in options if week in starts), options[0]))
    return firsts


def _gather(
    first: Course,
    candidates: Sequence[Course],
    courses: Mapping[str, Course],
    level: str,
    limit: int,
) -> list[Course]:
    chosen: dict[str, Course] = {}
    for course in (first, *candidates):
        wider = {**chosen, **{c.id: c for c in needed(course, courses, level)}}
        if sum(c.minutes for c in wider.values()) <= limit:
            chosen = wider
        elif course is first:
            return []
    return list(chosen.values())


def _unplaced(missing: Sequence[Missing], terms: Terms, language: str) -> tuple[Unplaced, ...]:
    """Each course that does not fit, with what would make it fit, and those before it."""
    found: list[Unplaced] = []
    needed = 0
    for item in missing:
        needed += item.minutes
        title = item.course.name(language)
        weeks = -(-needed // terms.minutes_a_week)
        ways = would_fit(item.minutes, weeks, _more_a_week(terms, needed), title, language)
        found.append(Unplaced(item.course.id, title, item.minutes, ways))
    return tuple(found)


def _more_a_week(terms: Terms, needed: int) -> int | None:
    """How many minutes more a week give `needed` more in all; None where no number does."""
    goal = sum(capacities(terms)) + needed
    steps = range(1, MOST_A_WEEK - terms.minutes_a_week + 1)

    def room(more: int) -> int:
        return sum(capacities(replace(terms, minutes_a_week=terms.minutes_a_week + more)))

    if not steps or room(steps[-1]) < goal:
        return None
    return steps[bisect_left(steps, goal, key=room)]


def check_dates(start: date, end: date) -> None:
    """Check that a plan's days are in order and fewer than ten years.

    Raises:
        UserError: they are not.
    """
    if end < start:
        raise UserError(phrase("study.ends_early", start=start, end=end))
    if (end - start).days > 3653:
        raise UserError(phrase("study.too_long", start=start, end=end))
