"""Proposals that answer a change: each a whole new plan that adds up, with its consequences."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from itertools import count
from typing import Any, Literal

from assistant.errors import UserError
from assistant.phrases import phrase
from assistant.study.availability import capacity
from assistant.study.change import Change
from assistant.study.changed_terms import changed_terms, located
from assistant.study.course import Course, in_order
from assistant.study.diff import diff
from assistant.study.minutes import MOST_A_WEEK, to_hours
from assistant.study.plan import Plan, Task, Terms, Unplaced, Week
from assistant.study.planner import phases_from, phases_of
from assistant.study.progress import Progress
from assistant.study.repack import Item, Packed, pack, rooms, work_left
from assistant.study.scheduler import Piece, week_frames
from assistant.study.wording import proposal_summary, task_of

Kind = Literal["extend", "intensify", "trim", "reorder", "shorten", "deepen", "lighten"]
STEP = 15
"""Weekly time is raised in quarters of an hour."""
LONGEST_WEEKS = 520


@dataclass(frozen=True, slots=True)
class Lost:
    """Work that a proposal leaves out."""

    title: str
    minutes: int
    optional: bool


@dataclass(frozen=True, slots=True)
class Proposal:
    """A way to answer a change.

    Attributes:
        plan: the plan that would be stored.
        minutes_a_week: of the fullest week that is still to come.
        moved: how many tasks stand otherwise than before.
    """

    number: int
    kind: Kind
    summary: str
    plan: Plan
    minutes_a_week: int
    lost: tuple[Lost, ...]
    moved: int

    def data(self) -> dict[str, Any]:
        """Return the proposal as JSON."""
        return {
            "number": self.number,
            "kind": self.kind,
            "summary": self.summary,
            "end": self.plan.end.isoformat(),
            "weeks": len(self.plan.weeks),
            "hours_a_week": to_hours(self.minutes_a_week),
            "total_hours": to_hours(self.plan.minutes),
            "lost_hours": to_hours(sum(lost.minutes for lost in self.lost)),
            "lost": [{"title": item.title, "hours": to_hours(item.minutes)} for item in self.lost],
            "moved_tasks": self.moved,
        }


def propose(
    plan: Plan, progress: Progress, change: Change, courses: Mapping[str, Course]
) -> list[Proposal]:
    """Return the ways to answer a change, none where nothing has to change.

    Raises:
        UserError: the change is impossible: a week that is over, an end before today …
    """
    adjuster = _Adjuster(plan, progress, located(change, plan), courses)
    found: list[Proposal] = []
    for kind, changed, lost in adjuster.ways():
        moved = diff(plan, changed).touched
        if not moved and changed.terms == plan.terms:
            continue
        if any(changed.weeks == other.plan.weeks for other in found):
            continue
        most = adjuster.most(changed)
        summary = proposal_summary(kind, plan, changed, most, sum(x.minutes for x in lost))
        found.append(Proposal(len(found) + 1, kind, summary, changed, most, tuple(lost), moved))
    return found


Way = tuple[Kind, Plan, Sequence[Lost]]


class _Adjuster:
    def __init__(
        self, plan: Plan, progress: Progress, change: Change, courses: Mapping[str, Course]
    ) -> None:
        self._plan = plan
        self._change = change
        self._courses = courses
        self._today = progress.as_of.date()
        self._whole = change.kind in {"catch_up", "hours", "end"}
        self._left = work_left(progress.standings, self._today, overdue=self._whole)
        self._last_done = max((s.week.number for s in progress.standings if s.earned), default=0)
        self._terms = changed_terms(plan, change, self._today, self._last_done)

    def ways(self) -> Iterator[Way]:
        """Every way there is, the mildest first."""
        change, plan = self._change, self._plan
        if change.kind == "hours" and change.minutes > plan.terms.minutes_a_week:
            yield self._shorten()
            yield from self._deepen()
        elif change.kind == "end" and self._terms.end > plan.end:
            yield from self._lighten()
            yield from self._deepen()
        else:
            behind = False
            if change.kind != "end":
                later = self._extend()
                yield later
                behind = later[1].weeks != plan.weeks
            if change.kind != "hours":
                yield from self._intensify()
            yield self._trim()
            if change.kind == "catch_up" and behind:
                yield from self._reorder()

    def most(self, plan: Plan) -> int:
        """The minutes of the fullest week that is not over."""
        return max((week.minutes for week in plan.weeks if week.end >= self._today), default=0)

    @staticmethod
    def _frames(terms: Terms) -> list[Week]:
        return week_frames(terms.start, terms.end)

    def _pack(
        self, terms: Terms, lay: Sequence[Item] | None = None, *, pull: bool | None = None
    ) -> Packed:
        frames = self._frames(terms)
        room = rooms(self._plan, terms, frames, self._left, self._today, from_today=self._fresh)
        forward = self._change.kind == "end" if pull is None else pull
        return pack(self._plan, frames, self._left, room, lay=lay, pull=forward)

    @property
    def _fresh(self) -> bool:
        """Whether the week that has begun is laid anew, for the days that it still has."""
        start = self._change.start
        week = next((w for w in self._plan.weeks if w.start <= self._today <= w.end), None)
        return self._whole or bool(week and start and start <= week.end)

    def _extend(self) -> Way:
        """Keep everything; end later where the weeks do not hold it."""
        return "extend", *self._until_it_fits(None, pull=False)

    def _until_it_fits(self, lay: Sequence[Item] | None, *, pull: bool) -> tuple[Plan, list[Lost]]:
        terms = self._terms
        for extra in range(LONGEST_WEEKS):
            packed = self._pack(terms, lay, pull=pull)
            if not packed.over:
                return self._planned(terms, packed.weeks), []
            last = terms.start + timedelta(weeks=len(self._plan.weeks) + extra, days=-1)
            terms = replace(terms, end=max(last, terms.end + timedelta(days=1)))
        raise UserError(phrase("study.ten_years"))

    def _intensify(self) -> Iterator[Way]:
        """Keep the end; raise the hours: by a quarter in the fewest weeks, or else in all."""
        ahead = [f.number for f in self._frames(self._terms) if f.end >= self._today]
        ahead = [number for number in ahead if number != self._change.week]
        quarter = -(-self._terms.minutes_a_week // 4 // STEP) * STEP
        few = self._least(range(len(ahead) + 1), lambda n: self._raised(quarter, ahead[:n]))
        if few is not None and self._change.kind != "end":
            raised = [n for n in ahead if few.loads.get(n) != self._terms.loads.get(n)]
            ahead, most = raised, quarter
        else:
            most = MOST_A_WEEK
        terms = self._least(range(0, most + STEP, STEP), lambda more: self._raised(more, ahead))
        if terms is not None:
            yield "intensify", self._planned(terms, self._pack(terms).weeks), []

    def _raised(self, extra: int, weeks: Sequence[int]) -> Terms:
        loads = dict(self._terms.loads)
        for number in weeks if extra else ():
            base = loads.get(number, self._terms.minutes_a_week)
            loads[number] = min(MOST_A_WEEK, base + extra)
        return replace(self._terms, loads=loads)

    def _least(self, steps: range, terms_of: Callable[[int], Terms]) -> Terms | None:
        """The terms of the first step at which all work fits; fitting grows with the step."""
        low, high = 0, len(steps) - 1
        if self._pack(terms_of(steps[high])).over:
            return None
        while low < high:
            middle = (low + high) // 2
            if self._pack(terms_of(steps[middle])).over:
                low = middle + 1
            else:
                high = middle
        return terms_of(steps[low])

    def _trim(self) -> Way:
        """Keep end and hours; leave out optional work, then the last parts of courses."""
        lay = list(self._left)
        lost: list[Lost] = []
        packed = self._pack(self._terms, lay)
        for item in packed.over:  # optional work that was pushed out, if there is any
            if item.task.optional:
                self._leave_out(lay, item.origin, item.left, lost)
        order = [item for item in reversed(lay) if item.task.optional]
        order += [item for item in reversed(lay) if not item.task.optional]
        packed = self._pack(self._terms, lay)
        for item in order:
            if not packed.over:
                break
            self._leave_out(lay, item.task.id, packed.minutes_over, lost)
            packed = self._pack(self._terms, lay)
        plan = self._planned(self._terms, packed.weeks)
        return "trim", replace(plan, unplaced=self._with_lost(lay)), lost

    @staticmethod
    def _leave_out(lay: list[Item], task: str, minutes: int, lost: list[Lost]) -> None:
        """Take up to so many minutes of a task out of what is laid."""
        for place, item in enumerate(lay):
            if item.task.id == task:
                cut = min(item.left, minutes)
                rest = replace(item, left=item.left - cut)
                lay[place : place + 1] = [rest] if rest.left else []
                lost.append(Lost(item.task.title, cut, item.task.optional))
                return

    def _with_lost(self, laid: Sequence[Item]) -> tuple[Unplaced, ...]:
        kept = {item.task.id: item.left for item in laid}
        missing = {item.course: item for item in self._plan.unplaced}
        for item in self._left:
            course, gone = item.task.course, item.left - kept.get(item.task.id, 0)
            if course is None or not gone:
                continue
            title = self._name(course)
            old = missing.get(course, Unplaced(course, title, 0))
            missing[course] = replace(old, minutes=old.minutes + gone)
        return tuple(missing.values())

    def _reorder(self) -> Iterator[Way]:
        """Finish first what is nearest to its end; end later where the weeks do not hold it."""
        least: dict[str, int] = {}
        for item in self._left:
            if item.task.course is not None:
                least[item.task.course] = least.get(item.task.course, 0) + item.left
        known = [self._courses[course] for course in least if course in self._courses]
        order = [course.id for course in in_order(sorted(known, key=lambda c: least[c.id]))]
        if order == list(least) or set(order) != set(least):
            return
        lay = [item for course in order for item in self._left if item.task.course == course]
        lay += [item for item in self._left if item.task.optional]
        yield "reorder", *self._until_it_fits(lay, pull=True)

    def _shorten(self) -> Way:
        """Use the added hours to finish earlier."""
        plan, _ = self._until_it_fits(None, pull=True)
        weeks = list(plan.weeks)
        while not weeks[-1].tasks and weeks[-1].start > self._today:
            weeks.pop()
        return "shorten", self._planned(replace(plan.terms, end=weeks[-1].end), weeks), []

    def _lighten(self) -> Iterator[Way]:
        """Use the added weeks for fewer hours a week."""
        whole = self._plan.terms.minutes_a_week

        def terms_of(minutes: int) -> Terms:
            terms = replace(self._terms, minutes_a_week=minutes)
            over = [f.number for f in self._frames(terms) if f.end < self._today]
            loads = {n: self._terms.loads.get(n, whole) for n in over}
            for week, load in self._terms.loads.items():
                loads.setdefault(week, min(load, minutes))
            return replace(terms, loads=loads)

        terms = self._least(range(STEP, whole + STEP, STEP), terms_of)
        if terms is not None and terms.minutes_a_week < whole:
            yield "lighten", self._planned(terms, self._pack(terms).weeks), []

    def _deepen(self) -> Iterator[Way]:
        """Keep all as it is, and use the added time for a larger project."""
        terms = self._terms
        packed = self._pack(terms, pull=False)
        if packed.over:
            return
        taken = {task.id for _, task in self._plan.placed()}
        weeks: list[Week] = []
        for week in packed.weeks:
            free = capacity(terms, week.number, week.start, week.end) - week.minutes
            if week.start < self._today or free <= 0:
                weeks.append(week)
                continue
            number = next(n for n in count(1) if f"project-{n}" not in taken)
            taken.add(f"project-{number}")
            extra = self._project(number, free)
            weeks.append(replace(week, tasks=(*week.tasks, extra)))
        yield "deepen", self._planned(terms, weeks), []

    def _project(self, number: int, minutes: int) -> Task:
        piece = Piece(f"project-{number}", None, number, number, minutes)
        return task_of(piece, self._plan.goal, self._plan.language)

    def _planned(self, terms: Terms, weeks: Sequence[Week]) -> Plan:
        plan = self._plan
        held = {task.course for week in weeks for task in week.tasks if task.course}
        names = {course: self._name(course) for course in held}
        firsts = [phase.first for phase in plan.phases if phase.first <= len(weeks)]
        if len(firsts) < min(3, len(weeks)):
            phases = phases_of(weeks, names, plan.language)
        else:
            phases = phases_from(firsts, weeks, names, plan.language)
        return replace(plan, terms=terms, weeks=tuple(weeks), phases=phases)

    def _name(self, course: str) -> str:
        found = self._courses.get(course)
        return found.name(self._plan.language) if found else course
