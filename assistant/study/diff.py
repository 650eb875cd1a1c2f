"""What differs between two versions of a plan, as data that can be applied and turned round."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

from assistant.study.minutes import spoken
from assistant.study.plan import Phase, Plan, Task, Terms, Unplaced, Week


@dataclass(frozen=True, slots=True)
class Place:
    """A task and where it stands: the week's number, and its position there from 0."""

    week: int
    position: int
    task: Task


@dataclass(frozen=True, slots=True)
class Moved:
    """A task before and after; None where it is not in that version."""

    before: Place | None
    after: Place | None

    @property
    def real(self) -> bool:
        """Whether more than its position among the week's tasks differs."""
        if self.before is None or self.after is None:
            return True
        return (self.before.week, self.before.task) != (self.after.week, self.after.task)


@dataclass(frozen=True, slots=True)
class Head:
    """What a plan has besides its tasks."""

    goal: str
    terms: Terms
    phases: tuple[Phase, ...]
    weeks: tuple[Week, ...]
    unplaced: tuple[Unplaced, ...]
    version: int


@dataclass(frozen=True, slots=True)
class Diff:
    """All that has to be done to one version to get the other."""

    before: Head
    after: Head
    tasks: tuple[Moved, ...]

    @property
    def touched(self) -> int:
        """How many tasks are new, gone, in another week or of another length."""
        return sum(moved.real for moved in self.tasks)

    def data(self) -> dict[str, Any]:
        """Return the difference as JSON."""
        return {
            "end": [self.before.terms.end.isoformat(), self.after.terms.end.isoformat()],
            "weeks": [len(self.before.weeks), len(self.after.weeks)],
            "tasks": [
                {"before": _place_data(moved.before), "after": _place_data(moved.after)}
                for moved in self.tasks
                if moved.real
            ],
        }

    def inverse(self) -> Diff:
        """Return the way back."""
        back = tuple(Moved(moved.after, moved.before) for moved in self.tasks)
        return Diff(self.after, self.before, back)


def diff(before: Plan, after: Plan) -> Diff:
    """Return what differs; `apply(diff(a, b), a)` is b."""
    old, new = _places(before), _places(after)
    moved = [Moved(old.get(key), new.get(key)) for key in dict.fromkeys([*old, *new])]
    changed = tuple(item for item in moved if item.before != item.after)
    return Diff(_head(before), _head(after), changed)


def apply(change: Diff, plan: Plan) -> Plan:
    """Return the plan with the change made.

    Raises:
        ValueError: the plan is not the version that the change starts from.
    """
    if _head(plan) != change.before:
        raise ValueError(f"the change starts from version {change.before.version}.")
    places = _places(plan)
    for moved in change.tasks:
        if moved.before is not None:
            del places[moved.before.task.id]
        if moved.after is not None:
            places[moved.after.task.id] = moved.after
    head = change.after
    weeks = tuple(replace(week, tasks=_tasks(places.values(), week.number)) for week in head.weeks)
    return replace(
        plan,
        goal=head.goal,
        terms=head.terms,
        phases=head.phases,
        weeks=weeks,
        unplaced=head.unplaced,
        version=head.version,
    )


def lines(change: Diff, language: str) -> list[str]:
    """Return the difference in sentences: the frame first, then each task."""
    zh = language == "zh"
    before, after = change.before, change.after
    found: list[str] = []
    if before.goal != after.goal:
        found.append(f"{'目标' if zh else 'Goal'}: {before.goal} → {after.goal}")
    if before.terms.end != after.terms.end:
        found.append(f"{'结束' if zh else 'End'}: {before.terms.end} → {after.terms.end}")
    longer, sign = max((before.weeks, "-"), (after.weeks, "+"), key=lambda pair: len(pair[0]))
    for week in longer[min(len(before.weeks), len(after.weeks)) :]:
        number = f"第 {week.number} 周" if zh else f"Week {week.number}"
        found.append(f"{sign} {number} ({week.start} – {week.end})")
    for moved in change.tasks:
        if moved.real:
            found.append(_task_line(moved, language))
    return found


def _task_line(moved: Moved, language: str) -> str:
    zh = language == "zh"

    def place(at: Place) -> str:
        return f"第 {at.week} 周" if zh else f"week {at.week}"

    before, after = moved.before, moved.after
    if before is None and after is not None:
        return f"+ {after.task.title} ({place(after)}, {spoken(after.task.minutes, language)})"
    if after is None and before is not None:
        return f"- {before.task.title} ({place(before)}, {spoken(before.task.minutes, language)})"
    assert before is not None
    assert after is not None
    parts: list[str] = []
    if before.week != after.week:
        parts.append(f"{place(before)} → {place(after)}")
    if before.task.minutes != after.task.minutes:
        old, new = (spoken(at.task.minutes, language) for at in (before, after))
        parts.append(f"{old} → {new}")
    return f"~ {after.task.title} ({', '.join(parts) or place(after)})"


def _place_data(place: Place | None) -> dict[str, Any] | None:
    return None if place is None else {"week": place.week, **place.task.data()}


def _places(plan: Plan) -> dict[str, Place]:
    return {
        task.id: Place(week.number, position, task)
        for week in plan.weeks
        for position, task in enumerate(week.tasks)
    }


def _tasks(places: Iterable[Place], week: int) -> tuple[Task, ...]:
    own = [place for place in places if place.week == week]
    return tuple(place.task for place in sorted(own, key=lambda place: place.position))


def _head(plan: Plan) -> Head:
    frames = tuple(replace(week, tasks=()) for week in plan.weeks)
    return Head(plan.goal, plan.terms, plan.phases, frames, plan.unplaced, plan.version)
