"""A course of the catalogue, read from data and checked; its exact length in minutes."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from graphlib import CycleError, TopologicalSorter
from typing import Any, Literal, cast, get_args

from assistant.errors import UserError
from assistant.phrases import phrase

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
LONGEST = 200
"""Characters of a title or topic."""
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
        raise UserError(phrase("study.bad_entry", where=where, data=data))
    fields = {str(k): v for k, v in cast("Mapping[object, Any]", data).items() if v is not None}
    if unknown := sorted(set(fields) - set(FIELDS)):
        said = phrase("study.bad_field", where=where, field=unknown[0], known=FIELDS)
        raise UserError(said)
    title = _line(fields.get("title"), "title", where)
    if not title:
        raise UserError(phrase("study.no_title", where=where))
    identifier = str(fields.get("id") or _slug(title))
    if not _ID.fullmatch(identifier):
        raise UserError(phrase("study.bad_id", where=where, id=identifier))
    level = read_level(str(fields.get("level") or "beginner"), where) or "beginner"
    url = str(fields.get("url", "")).strip()
    if url and not re.match(r"https?://\S+$", url):
        raise UserError(phrase("study.bad_url", where=where, url=url))
    return Course(
        id=identifier,
        title=title,
        title_zh=_line(fields.get("title_zh"), "title_zh", where),
        topics=tuple(_line(word, "topics", where) for word in _words(fields.get("topics"))),
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
    key = "study.bad_level_at" if where else "study.bad_level"
    raise UserError(phrase(key, where=where, text=text, levels=LEVELS))


def check_prerequisites(courses: Mapping[str, Course]) -> None:
    """Check that every prerequisite exists and that none leads back to its own course.

    Raises:
        UserError: naming the course, or the courses that form the cycle.
    """
    for course in courses.values():
        for needed in course.prerequisites:
            if needed not in courses:
                raise UserError(phrase("study.no_prerequisite", course=course.id, needed=needed))
    try:
        TopologicalSorter({c.id: c.prerequisites for c in courses.values()}).prepare()
    except CycleError as error:
        cycle = " -> ".join(str(name) for name in cast("Sequence[object]", error.args[1]))
        raise UserError(phrase("study.cycle", cycle=cycle)) from None


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


def _line(value: object, field: str, where: str) -> str:
    """Return a text as one line, without what is no printable character."""
    text = " ".join("".join(c if c.isprintable() else " " for c in str(value or "")).split())
    if len(text) > LONGEST:
        raise UserError(phrase("study.bad_text", where=where, field=field, most=LONGEST))
    return text


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
        raise UserError(phrase("study.bad_weeks", where=where, value=value))
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
        raise UserError(phrase("study.bad_course_hours", where=where, value=cast("object", value)))
    return low, high
