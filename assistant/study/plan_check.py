"""What must hold before a plan is stored: real courses, order, dates, a safe name."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping

from assistant.errors import UserError
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
        raise UserError(
            f"plan name {name!r} may hold letters, digits, '-' and '_' only, at most 63 of them."
        )
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
            raise UserError(f"task {task.id!r} stands twice in the plan.")
        if task.minutes <= 0:
            raise UserError(f"task {task.id!r} of week {week.number} takes no time.")
        if task.course is not None and task.course not in courses:
            known = nearest(task.course, courses)
            raise UserError(f"there is no course {task.course!r} in the catalogue. {known}")
        seen.add(task.id)
        if task.course is not None:
            last[task.course] = order
    _check_order(plan, courses, last, finished)
    for earlier, later in zip(plan.weeks, plan.weeks[1:], strict=False):
        if (later.start - earlier.end).days != 1 or later.number != earlier.number + 1:
            raise UserError(f"week {later.number} does not follow week {earlier.number}.")
    for item in plan.unplaced:
        if item.course not in courses:
            raise UserError(f"there is no course {item.course!r}. {nearest(item.course, courses)}")


def _check_order(
    plan: Plan, courses: Mapping[str, Course], last: Mapping[str, int], finished: Collection[str]
) -> None:
    for order, (_, task) in enumerate(plan.placed(), 1):
        if task.id in finished:
            continue
        for needed in courses[task.course].prerequisites if task.course else ():
            if last.get(needed, 0) > order:
                raise UserError(f"task {task.id!r} comes before its prerequisite {needed!r} ends.")
