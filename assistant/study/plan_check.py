"""What must hold before a plan is stored: real courses, order, dates, a safe name."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping

from assistant.errors import UserError
from assistant.phrases import phrase
from assistant.study.catalogue import nearest
from assistant.study.course import Course
from assistant.study.plan import Plan

_NAME = re.compile(r"\w[\w-]{0,62}")


def check_name(name: str) -> str:
    """Return the plan's name if it can be a file's name and nothing more.

    Raises:
        UserError: it holds anything but letters, digits, '-' and '_' (so no path).
    """
    if not _NAME.fullmatch(name):
        raise UserError(phrase("study.bad_plan_name", name=name))
    return name


def check_plan(plan: Plan, courses: Mapping[str, Course], finished: Collection[str] = ()) -> None:
    """Check a plan against the catalogue and against itself.

    Args:
        finished: ids of tasks that are finished, perhaps before what they need; they stay so.

    Raises:
        UserError: a course is invented, a task stands twice or before what it needs, a week's
            dates are out of order.
    """
    check_name(plan.name)
    seen: set[str] = set()
    last: dict[str, int] = {}
    for order, (week, task) in enumerate(plan.placed(), 1):
        if task.id in seen:
            raise UserError(phrase("study.twice", task=task.id))
        if task.minutes <= 0:
            raise UserError(phrase("study.no_time", task=task.id, week=week.number))
        if task.course is not None and task.course not in courses:
            known = nearest(task.course, courses)
            raise UserError(phrase("study.no_course", course=task.course, nearest=known))
        seen.add(task.id)
        if task.course is not None:
            last[task.course] = order
    _check_order(plan, courses, last, finished)
    for earlier, later in zip(plan.weeks, plan.weeks[1:], strict=False):
        if (later.start - earlier.end).days != 1 or later.number != earlier.number + 1:
            raise UserError(phrase("study.no_follow", later=later.number, earlier=earlier.number))
    for item in plan.unplaced:
        if item.course not in courses:
            known = nearest(item.course, courses)
            raise UserError(phrase("study.no_course", course=item.course, nearest=known))


def _check_order(
    plan: Plan, courses: Mapping[str, Course], last: Mapping[str, int], finished: Collection[str]
) -> None:
    for order, (_, task) in enumerate(plan.placed(), 1):
        if task.id in finished:
            continue
        for needed in courses[task.course].prerequisites if task.course else ():
            if last.get(needed, 0) > order:
                raise UserError(phrase("study.before_needed", task=task.id, needed=needed))
