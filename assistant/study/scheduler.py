"""The scheduler: courses in the order of their prerequisites, laid into weeks to the minute."""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Sequence
from dataclasses import dataclass, replace
from datetime import date, timedelta
from string import ascii_lowercase

from assistant.study.availability import capacity
from assistant.study.course import Course, in_order
from assistant.study.plan import Terms, Week

TASK = 180
"""A task takes at most this many minutes."""


@dataclass(frozen=True, slots=True)
class Piece:
    """A part of a course, a review or a project, before it is worded as a task.

    Attributes:
        key: the task's id.
        number: which part of `total` it is.
        rest: whether it continues a part that the week before began.
    """

    key: str
    course: Course | None
    number: int
    total: int
    minutes: int
    rest: bool = False


@dataclass(frozen=True, slots=True)
class Missing:
    """A course's minutes that the time does not hold."""

    course: Course
    minutes: int


@dataclass(frozen=True, slots=True)
class Schedule:
    """The pieces of each week, and what did not fit."""

    weeks: tuple[tuple[Piece, ...], ...]
    missing: tuple[Missing, ...]


def week_frames(start: date, end: date) -> list[Week]:
    """Return the weeks from `start` on, seven days each, the last one cut at `end`."""
    count = ((end - start).days // 7) + 1
    return [
        Week(n + 1, first := start + timedelta(weeks=n), min(first + timedelta(days=6), end))
        for n in range(count)
    ]


def capacities(terms: Terms) -> list[int]:
    """Return the minutes that each week of the terms holds."""
    return [capacity(terms, w.number, w.start, w.end) for w in week_frames(terms.start, terms.end)]


def schedule(courses: Sequence[Course], room: Sequence[int]) -> Schedule:
    """Lay the courses into weeks of `room` minutes each.

    A course begins when its prerequisites have ended; those that fit whole come first. Where none
    more does, the first that could begin fills what is left. Without courses left, a review and a
    project fill the weeks, so that every minute is planned.
    """
    left = sum(room)
    placed: list[Piece] = []
    missing: dict[str, Missing] = {}
    for course in in_order(courses):
        blocked = set(course.prerequisites) & missing.keys()
        if blocked or course.minutes > left:
            missing[course.id] = Missing(course, course.minutes)
            continue
        placed += parts(course)
        left -= course.minutes
    begun = next((m for m in missing.values() if not _waits(m.course, missing)), None)
    if begun is not None and left:
        placed += split(parts(begun.course), left)[0]
        missing[begun.course.id] = replace(begun, minutes=begun.minutes - left)
    weeks = fill_up(fill(placed, room), room)
    return Schedule(tuple(weeks), tuple(m for m in missing.values() if m.minutes))


def parts(course: Course) -> list[Piece]:
    """Cut a course into its weeks, and those into tasks of at most three hours."""
    count = max(course.weeks, -(-course.minutes // TASK))
    sizes = even(course.minutes, count)
    return [
        Piece(f"{course.id}-{n}", course, n, len(sizes), size) for n, size in enumerate(sizes, 1)
    ]


def fill_up(weeks: Sequence[tuple[Piece, ...]], room: Sequence[int]) -> list[tuple[Piece, ...]]:
    """Fill what is left of the weeks: a review (a quarter, at most six hours), then a project."""
    left = [minutes - _length(week) for week, minutes in zip(weeks, room, strict=True)]
    review = sum(left) if sum(left) < 60 else min(360, sum(left) // 4 // 15 * 15)
    lengths: list[list[tuple[str, int]]] = []
    for minutes in left:
        reviewing = min(minutes, review)
        review -= reviewing
        both = (("review", reviewing), ("project", minutes - reviewing))
        lengths.append([(key, n) for key, total in both for n in even(total, -(-total // TASK))])
    totals = Counter(key for week in lengths for key, _ in week)
    counts = Counter[str]()
    filled: list[tuple[Piece, ...]] = []
    for week, extra in zip(weeks, lengths, strict=True):
        pieces = list(week)
        for key, minutes in extra:
            counts[key] += 1
            number = counts[key]
            pieces.append(Piece(f"{key}-{number}", None, number, totals[key], minutes))
        filled.append(tuple(pieces))
    return filled


def even(minutes: int, count: int) -> list[int]:
    """Split minutes into at most `count` parts of whole quarter hours, the last takes the rest."""
    sizes: list[int] = []
    for n in range(count):
        share = -(-minutes // (count - n))
        size = min(minutes, -(-share // 15) * 15) if n < count - 1 else minutes
        sizes.append(size)
        minutes -= size
    return [size for size in sizes if size]


def fill(pieces: Sequence[Piece], room: Sequence[int]) -> list[tuple[Piece, ...]]:
    """Lay the pieces into the weeks in order, cutting a piece where a week is full."""
    weeks: list[tuple[Piece, ...]] = []
    waiting = list(pieces)
    for minutes in room:
        now, waiting = split(waiting, minutes)
        weeks.append(tuple(now))
    return weeks


def split(pieces: Sequence[Piece], minutes: int) -> tuple[list[Piece], list[Piece]]:
    """Return the pieces' first `minutes`, and the rest."""
    first: list[Piece] = []
    for index, piece in enumerate(pieces):
        if piece.minutes > minutes:
            rest = [*pieces[index:]]
            if minutes:
                first.append(replace(piece, minutes=minutes))
                key = next_key(piece.key)
                rest[0] = replace(piece, key=key, minutes=piece.minutes - minutes, rest=True)
            return first, rest
        first.append(piece)
        minutes -= piece.minutes
    return first, []


def next_key(key: str, taken: Container[str] = ()) -> str:
    """Return the id of what is split off: `ml-3` gives `ml-3b`, that gives `ml-3c`."""
    letters = key[len(key.rstrip(ascii_lowercase)) :]
    stem = key.removesuffix(letters)
    while True:
        letters = _after(letters)
        if stem + letters not in taken:
            return stem + letters


def _after(letters: str) -> str:
    if not letters:
        return "b"
    if letters[-1] != "z":
        return letters[:-1] + chr(ord(letters[-1]) + 1)
    return letters + "b"


def _length(pieces: Sequence[Piece]) -> int:
    return sum(piece.minutes for piece in pieces)


def _waits(course: Course, missing: dict[str, Missing]) -> bool:
    return bool(set(course.prerequisites) & missing.keys())
