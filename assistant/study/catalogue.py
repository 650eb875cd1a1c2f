"""The catalogue: the shipped courses and the person's own, the only ones a plan may hold."""

from __future__ import annotations

import csv
import difflib
import io
import json
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any, cast

from sqlalchemy import text

from assistant.errors import UserError
from assistant.phrases import Phrase, phrase
from assistant.study.course import Course, check_prerequisites, read_course
from assistant.study.search import CLEAR, NEAR, Found, near, search
from memory_store.ledger import Ledger, Migration
from memory_store.protocols import Embedder

MIGRATIONS = (
    Migration(
        "study.catalogue",
        1,
        (
            "CREATE TABLE study_courses (owner TEXT NOT NULL, id TEXT NOT NULL,"
            " data TEXT NOT NULL, PRIMARY KEY (owner, id))",
        ),
    ),
)


class Catalogue:
    """Courses by id. What the person adds stands beside the shipped ones, or replaces one."""

    def __init__(self, ledger: Ledger, owner: str) -> None:
        ledger.migrate(MIGRATIONS)
        self._ledger = ledger
        self._owner = owner

    def all(self) -> dict[str, Course]:
        """Return every course by id, the shipped ones first."""
        with self._ledger.read() as connection:
            rows = connection.execute(
                text("SELECT id, data FROM study_courses WHERE owner = :owner ORDER BY rowid"),
                {"owner": self._owner},
            ).all()
        own = {str(row.id): read_course(json.loads(row.data), str(row.id)) for row in rows}
        return {**shipped(), **own}

    def get(self, identifier: str) -> Course:
        """Return one course.

        Raises:
            UserError: there is none of that id; the message names the nearest real ones.
        """
        courses = self.all()
        if identifier in courses:
            return courses[identifier]
        raise UserError(
            phrase("study.no_course", course=identifier, nearest=nearest(identifier, courses))
        )

    def search(
        self, query: str, *, level: str | None = None, embedder: Embedder | None = None
    ) -> list[Found]:
        """Return courses that answer the query, best first; all of them for an empty one."""
        courses = list(self.all().values())
        if not query.strip():
            return [Found(c, 0.0) for c in courses if level is None or c.level == level]
        return search(courses, query, level=level, embedder=embedder)

    def answering(
        self, goal: str, embedder: Callable[[], Embedder | None]
    ) -> tuple[list[Found], bool]:
        """Return the courses about a goal, best first, and whether they were found by meaning.

        That is where no words name them.

        A score of `CLEAR` and more is a course about the goal.

        Args:
            embedder: loads what finds by meaning, where it is needed; None: there is none.
        """
        found = self.search(goal)
        if found and found[0].score >= CLEAR:
            return found, False
        model = embedder()
        if model is None:
            return found, False
        close = near(list(self.all().values()), goal, model)
        return [Found(item.course, item.score / NEAR * CLEAR) for item in close], True

    def add(self, courses: Sequence[Course]) -> None:
        """Store the person's own courses, all or none.

        Raises:
            UserError: a prerequisite is unknown, or they form a cycle.
        """
        check_prerequisites({**self.all(), **{course.id: course for course in courses}})
        with self._ledger.write() as connection:
            for course in courses:
                connection.execute(
                    text(
                        "INSERT INTO study_courses (owner, id, data) VALUES (:owner, :id, :data)"
                        " ON CONFLICT (owner, id) DO UPDATE SET data = excluded.data"
                    ),
                    {
                        "owner": self._owner,
                        "id": course.id,
                        "data": json.dumps(course.data(), ensure_ascii=False),
                    },
                )


@cache
def shipped() -> Mapping[str, Course]:
    """Return the courses that come with the assistant, read once."""
    source = files("assistant.study").joinpath("courses.yaml").read_text("utf-8")
    return {course.id: course for course in _read_yaml(source, "courses.yaml")}


def read_file(path: Path) -> list[Course]:
    """Return the courses of a CSV or YAML file.

    Raises:
        UserError: the file cannot be read or is broken; the message names the line or entry.
    """
    try:
        source = path.read_text("utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise UserError(phrase("study.not_utf8", path=path, problem=error)) from None
    suffix = path.suffix.lower()
    if suffix == ".csv":
        courses = _read_csv(source, path.name)
    elif suffix in {".yaml", ".yml"}:
        courses = _read_yaml(source, path.name)
    else:
        raise UserError(phrase("study.bad_suffix", name=path.name))
    if not courses:
        raise UserError(phrase("study.empty_file", name=path.name))
    if len({course.id for course in courses}) < len(courses):
        raise UserError(phrase("study.twice_in_file", name=path.name))
    return courses


def nearest(
    wanted: str, courses: Mapping[str, Course], found: Sequence[Found] | None = None
) -> Phrase:
    """Return one sentence naming the real courses nearest to what was asked for.

    Args:
        found: those that were found, best first; None: they are searched for by words.
    """
    ranked = found or search(list(courses.values()), wanted)
    known = [item.course for item in ranked[:3]]
    if not known:
        names = {course.title.lower(): course for course in courses.values()} | dict(courses)
        close = difflib.get_close_matches(wanted.lower(), list(names), n=3, cutoff=0.5)
        known = list(dict.fromkeys(names[name] for name in close))
    if not known:
        return phrase("study.no_nearest")
    return phrase("study.nearest", courses=tuple(f"{c.id} ({c.title})" for c in known))


def _read_yaml(source: str, name: str) -> list[Course]:
    import yaml

    try:
        data: Any = yaml.load(source, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        key = "study.not_yaml" if mark is None else "study.not_yaml_at"
        line, problem = mark.line + 1 if mark is not None else 0, getattr(error, "problem", error)
        raise UserError(phrase(key, name=name, line=line, problem=problem)) from None
    if isinstance(data, Mapping):
        data = cast("Mapping[str, Any]", data).get("courses")
    if not isinstance(data, list):
        raise UserError(phrase("study.no_list", name=name))
    entries = cast("list[object]", data)
    return [read_course(entry, f"{name}, entry {n}") for n, entry in enumerate(entries, 1)]


def _read_csv(source: str, name: str) -> list[Course]:
    try:
        reader = csv.DictReader(io.StringIO(source, newline=""), strict=True)
        rows = list(reader)
    except csv.Error as error:
        raise UserError(phrase("study.not_csv", name=name, problem=error)) from None
    header = reader.fieldnames or []
    if "title" not in header:
        raise UserError(phrase("study.no_header", name=name))
    courses: list[Course] = []
    for line, row in enumerate(rows, 2):
        if None in row or None in row.values():
            raise UserError(phrase("study.bad_line", name=name, line=line, count=len(header)))
        courses.append(read_course({k: v for k, v in row.items() if v}, f"{name}, line {line}"))
    return courses
