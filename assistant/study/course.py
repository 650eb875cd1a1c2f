"""A course of the catalogue, read from data and checked; its exact length in minutes."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from graphlib import CycleError, TopologicalSorter
from typing import Any, Literal, cast, get_args

from assistant.errors import UserError

Level = Literal["beginner", "intermediate", "advanced"]
LEVELS: tuple[Level, ...] = get_args(Level)
FIELDS = (
    "id",
    "title",
    "title_zh",
    "topics",
    "level",
    "weeks",
    "hours",
    "prerequisites",
    "url",
    "language",
)
_ID = re.compile(r"[\w.+-]{1,64}")


@dataclass(frozen=True, slots=True)
class Course:
    """One course that exists.

    Attributes:
        hours: the least and the most hours a week that its provider names.
        prerequisites: ids of the courses that come before it.
        language: the language it is taught in, `en`, `zh` …
    """

    id: str
    title: str
    topics: tuple[str, ...]
    level: Level
    weeks: int
    hours: tuple[float, float]
    prerequisites: tuple[str, ...] = ()
    url: str = ""
    language: str = "en"
    title_zh: str = ""

    @property
    def minutes(self) -> int:
        """Its length: weeks times the middle of its hours a week, to the minute."""
        low, high = (Fraction(str(hours)) for hours in self.hours)
        return round(self.weeks * (low + high) / 2 * 60)

    def name(self, language: str) -> str:
        """Return the title in the reader's language where there is one."""
        return self.title_zh if language == "zh" and self.title_zh else self.title

    def data(self) -> dict[str, Any]:
        """Return the course as JSON and YAML write it."""
        low, high = self.hours
        return {
            "id": self.id,
            "title": self.title,
            "title_zh": self.title_zh,
            "topics": list(self.topics),
            "level": self.level,
            "weeks": self.weeks,
            "hours": low if low == high else [low, high],
            "prerequisites": list(self.prerequisites),
            "url": self.url,
            "language": self.language,
        }


def read_course(data: object, where: str) -> Course:
    """Return the course that `data` describes.

    Raises:
        UserError: a field is missing, unknown or has a bad value; the message says where.
    """
    if not isinstance(data, Mapping):
        raise UserError(f"{where}: a course is a mapping of fields, not {data!r}.")
    fields = {str(k): v for k, v in cast("Mapping[object, Any]", data).items() if v is not None}
    if unknown := sorted(set(fields) - set(FIELDS)):
        raise UserError(f"{where}: unknown field {unknown[0]!r}; known are {', '.join(FIELDS)}.")
    title = str(fields.get("title", "")).strip()
    if not title:
        raise UserError(f"{where}: a course needs a title.")
    identifier = str(fields.get("id") or _slug(title))
    if not _ID.fullmatch(identifier):
        raise UserError(f"{where}: id {identifier!r} may hold letters, digits, '.', '+', '-', '_'.")
    level = read_level(str(fields.get("level") or "beginner"), where) or "beginner"
    url = str(fields.get("url", "")).strip()
    if url and not re.match(r"https?://\S+$", url):
        raise UserError(f"{where}: url {url!r} is not an http address.")
    return Course(
        id=identifier,
        title=title,
        title_zh=str(fields.get("title_zh", "")).strip(),
        topics=_words(fields.get("topics")),
        level=level,
        weeks=_weeks(fields.get("weeks"), where),
        hours=_hours(fields.get("hours"), where),
        prerequisites=_words(fields.get("prerequisites")),
        url=url,
        language=str(fields.get("language") or "en").strip(),
    )


def read_level(text: str | None, where: str = "") -> Level | None:
    """Return the level that the text names; None for None.

    Raises:
        UserError: it names none.
    """
    if text is None:
        return None
    for level in LEVELS:
        if text.strip().lower() == level:
            return level
    place = f"{where}: " if where else ""
    raise UserError(f"{place}level {text!r} is none of {', '.join(LEVELS)}.")


def check_prerequisites(courses: Mapping[str, Course]) -> None:
    """Check that every prerequisite exists and that none leads back to its own course.

    Raises:
        UserError: naming the course, or the courses that form the cycle.
    """
    for course in courses.values():
        for needed in course.prerequisites:
            if needed not in courses:
                raise UserError(f"course {course.id!r}: its prerequisite {needed!r} is unknown.")
    try:
        TopologicalSorter({c.id: c.prerequisites for c in courses.values()}).prepare()
    except CycleError as error:
        cycle = " -> ".join(str(name) for name in cast("Sequence[object]", error.args[1]))
        raise UserError(f"the prerequisites form a cycle: {cycle}. Remove one of them.") from None


def in_order(courses: Iterable[Course]) -> list[Course]:
    """Return the courses with each after its prerequisites, otherwise in the order given."""
    waiting = {course.id: course for course in courses}
    ordered: list[Course] = []
    while waiting:
        ready = next(c for c in waiting.values() if not set(c.prerequisites) & waiting.keys())
        ordered.append(waiting.pop(ready.id))
    return ordered


def _slug(title: str) -> str:
    return re.sub(r"[^\w]+", "-", title.lower()).strip("-")[:64] or title


def _words(value: object) -> tuple[str, ...]:
    if isinstance(value, str):
        parts: Iterable[object] = re.split(r"[;,；，、|]", value)
    else:
        parts = cast("Iterable[object]", value) if isinstance(value, list | tuple) else ()
    return tuple(word for part in parts if (word := str(part).strip()))


def _weeks(value: object, where: str) -> int:
    try:
        weeks = int(str(value))
    except ValueError:
        weeks = 0
    if not 1 <= weeks <= 520:
        raise UserError(f"{where}: weeks {value!r} is not a whole number from 1 to 520.")
    return weeks


def _hours(value: object, where: str) -> tuple[float, float]:
    parts: Sequence[object]
    if isinstance(value, list | tuple):
        parts = cast("Sequence[object]", value)
    else:
        parts = re.split(r"\s*(?:-|–|~|to)\s*", str(value).strip())
    try:
        numbers = [float(str(part)) for part in parts]
    except ValueError:
        numbers = []
    low, high = (numbers[0], numbers[-1]) if len(numbers) in {1, 2} else (0.0, 0.0)
    if not 0 < low <= high <= 112:
        raise UserError(f"{where}: hours {value!r} is not a number of hours a week, or a range.")
    return low, high
