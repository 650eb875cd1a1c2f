"""Laying a plan's unfinished work into changed weeks, moving no more than must move.

What is finished stays where it is. Work goes later only as far as the weeks' room forces it, in its
own order, so that nothing comes before what it needs.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date

from assistant.study.availability import capacity
from assistant.study.plan import Plan, Task, Terms, Week
from assistant.study.progress import Standing
from assistant.study.scheduler import next_key
from assistant.study.wording import continued

LEAST = 15
"""A task is not cut into pieces of fewer minutes; what is left of a week stays free instead."""


@dataclass(frozen=True, slots=True)
class Item:
    """Work that is left: of `task`, `left` minutes, now in week `home`.

    Attributes:
        origin: the id of the task that it was cut from; its own where it was not cut.
    """

    task: Task
    left: int
    home: int
    origin: str


@dataclass(frozen=True, slots=True)
class Packed:
    """Weeks with their tasks, and the work that found no room."""

    weeks: tuple[Week, ...]
    over: tuple[Item, ...]

    @property
    def minutes_over(self) -> int:
        """How much found no room."""
        return sum(item.left for item in self.over)


def work_left(standings: Sequence[Standing], since: date, *, overdue: bool) -> list[Item]:
    """Return the unfinished work of the weeks that are not over on day `since`, in order.

    Args:
        overdue: also that of the weeks that are over.
    """
    return [
        Item(s.task, s.left, s.week.number, s.task.id)
        for s in standings
        if not s.complete and (overdue or s.week.end >= since)
    ]


def rooms(
    plan: Plan,
    terms: Terms,
    frames: Sequence[Week],
    items: Sequence[Item],
    today: date,
    *,
    from_today: bool,
) -> dict[int, int]:
    """Return the minutes that each week which is not over has for unfinished work.

    Args:
        from_today: of the week that has begun, only the days from today on count.
    """
    moving = {n: sum(i.left for i in items if i.home == n) for n in {i.home for i in items}}
    room: dict[int, int] = {}
    for frame in frames:
        if frame.end < today:
            continue
        held = plan.weeks[frame.number - 1] if frame.number <= len(plan.weeks) else frame
        whole = capacity(terms, frame.number, frame.start, frame.end)
        if whole >= capacity(plan.terms, held.number, held.start, held.end):
            whole = max(whole, held.minutes)
        left = whole - (held.minutes - moving.get(frame.number, 0))
        if from_today and frame.start < today:
            rest = capacity(terms, frame.number, frame.start, frame.end, since=today)
            left = min(left, rest)
        room[frame.number] = max(0, left)
    return room


def pack(
    plan: Plan,
    frames: Sequence[Week],
    left: Sequence[Item],
    room: Mapping[int, int],
    *,
    lay: Sequence[Item] | None = None,
    pull: bool = False,
) -> Packed:
    """Lay unfinished work into the frames' room.

    Work that a full week pushes out goes to the next week. Reviews and the project, which nothing
    waits for, go to where there is room instead, so that the weeks between stay as they are.

    Args:
        left: the work that leaves its place.
        lay: what of it is laid again, perhaps less or in another order; None: all.
        pull: fill every week from the front, also with work of later weeks; else work moves
            later only.
    """
    widest = max(room.values(), default=0)
    layer = _Layer(plan, {item.task.id: item for item in left}, widest)
    waiting = list(left if lay is None else lay)
    loose: list[Item] = []
    weeks: list[Week] = []
    for frame in frames:
        space = room.get(frame.number, 0)
        own = plan.weeks[frame.number - 1].tasks if frame.number <= len(plan.weeks) else ()
        ready = [item for item in waiting if pull or item.home <= frame.number]
        waiting = waiting[len(ready) :]
        if not pull:  # what nothing waits for leaves first
            ready.sort(key=lambda item: item.task.optional)
        now, rest = layer.cut(ready, space)
        if not pull:
            loose += [item for item in rest if item.task.optional]
            rest = [item for item in rest if not item.task.optional]
            more, loose = layer.cut(loose, space - sum(item.left for item in now))
            now += more
        waiting = [*rest, *waiting]
        weeks.append(replace(frame, tasks=layer.tasks(frame.number, own, now)))
    return Packed(tuple(weeks), (*waiting, *loose))


class _Layer:
    """Cuts work and writes it into weeks, under ids that the plan does not have yet."""

    def __init__(self, plan: Plan, left: Mapping[str, Item], most: int) -> None:
        """Take the plan, the work that leaves its place, and the room of the widest week."""
        self._most = most
        self._language = plan.language
        self._left = left
        self._taken = {task.id for _, task in plan.placed()}

    def cut(self, items: Sequence[Item], minutes: int) -> tuple[list[Item], list[Item]]:
        """Return the items' first `minutes`, and the rest; what is cut through is two items."""
        for index, item in enumerate(items):
            if item.left <= minutes:
                minutes -= item.left
                continue
            size = self._slice(item.left, minutes)
            if not size:
                return list(items[:index]), list(items[index:])
            first = replace(item, left=size)
            rest = self._continued(item, item.left - size)
            return [*items[:index], first], [rest, *items[index + 1 :]]
        return list(items), []

    def _slice(self, left: int, minutes: int) -> int:
        """How much of a task to cut off for so much room; 0: it is left whole for another week."""
        most, size = self._most, min(minutes, left - LEAST)
        if minutes >= LEAST and size >= LEAST:
            return size
        if left <= most or minutes * 2 < min(most, 2 * LEAST):
            return 0
        return min(minutes, -(-left // 2))  # no week has room for it, or for two whole pieces

    def tasks(self, week: int, own: Sequence[Task], now: Sequence[Item]) -> tuple[Task, ...]:
        """The tasks of a week: what came from earlier, its own that stay, what came from later."""
        stayed = {item.task.id: item.left for item in now if item.home == week}
        result = [self._moved(item) for item in now if item.home < week]
        for task in own:
            item = self._left.get(task.id)
            leaving = item.left if item is not None else 0
            minutes = task.minutes - leaving + stayed.get(task.id, 0)
            result.append(replace(task, minutes=minutes))
        result += [self._moved(item) for item in now if item.home > week]
        return tuple(task for task in result if task.minutes)

    def _moved(self, item: Item) -> Task:
        before = self._left.get(item.task.id)
        if before is not None and before.left < before.task.minutes:  # a part of it is finished
            return self._continued(item, item.left).task
        return replace(item.task, minutes=item.left)

    def _continued(self, item: Item, minutes: int) -> Item:
        key = next_key(item.task.id, self._taken)
        self._taken.add(key)
        title = continued(item.task.title, self._language)
        task = replace(item.task, id=key, title=title, minutes=minutes)
        return Item(task, minutes, 0, item.origin)
