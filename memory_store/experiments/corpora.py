"""Corpora in JSON lines: conversations as drafts that arrive in order of time, and questions.

One JSON object a line, a conversation or a person; the file may be packed (`.gz`):

    {"id", "dataset", "lang",
     "records":   [{"id", "session", "time", "who", "kind", "text"}],
     "questions": [{"id", "text", "category", "evidence": [record ids], "answer", "answerable",
                    "asked_at"?, "evidence_sessions"?, "asked_in"?, "stale"?}]}
"""

from __future__ import annotations

import gzip
import hashlib
import json
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta, tzinfo
from pathlib import Path
from typing import Any

from memory_store.chunk import Draft, to_utc
from memory_store.errors import InvalidInput, NotFound

SHIPPED = Path(__file__).with_name("small.jsonl")
"""A small corpus that was written for this project, English and Chinese."""


@dataclass(frozen=True)
class Question:
    """A question with the records that answer it, or the sessions.

    Attributes:
        before: how many records may be searched: those of earlier sessions than the one that it
            is asked in, those up to `asked_at`, or all.
        stale: records that say what is out of date by the time of asking.
        context: what was said just before in the session that it is asked in.
    """

    id: str
    text: str
    category: str
    answerable: bool
    evidence: frozenset[str]
    sessions: frozenset[str]
    stale: frozenset[str]
    before: int
    asked_at: datetime
    answer: str = ""
    context: str = ""


@dataclass(frozen=True)
class Conversation:
    """One conversation or person: the records as drafts, and what is asked about them.

    Attributes:
        sessions: the session of each record, as the data names it.
        digest: changes when the data does.
    """

    dataset: str
    id: str
    language: str
    zone: tzinfo
    records: tuple[str, ...]
    sessions: tuple[str, ...]
    drafts: tuple[Draft, ...]
    questions: tuple[Question, ...]
    digest: str = ""


def load_corpus(path: Path = SHIPPED) -> Iterator[Conversation]:
    """Yield the conversations of a file, one by one.

    Raises:
        NotFound: there is no such file.
        InvalidInput: a line is not of the form; the message names it and says why.
    """
    for number, row in _rows(path):
        try:
            yield _conversation(row)
        except (KeyError, TypeError, ValueError, AttributeError, IndexError) as error:
            missing = f"there is no {error}" if isinstance(error, KeyError) else error
            raise InvalidInput(f"{path}, line {number}: {missing}.") from None


def read_rows(path: Path) -> Iterator[dict[str, Any]]:
    """Yield the conversations of a file as they stand there.

    Raises:
        NotFound: there is no such file.
        InvalidInput: a line is no JSON object, or the file is not text.
    """
    return (row for _, row in _rows(path))


def _rows(path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    if not path.is_file():
        raise NotFound(f"There is no file {path}.")
    open_text = gzip.open if path.suffix == ".gz" else open
    number = 0
    try:
        with open_text(path, "rt", encoding="utf-8") as lines:
            for number, line in enumerate(lines, 1):
                if line.strip():
                    yield number, _object(line)
    except (UnicodeDecodeError, gzip.BadGzipFile, EOFError, json.JSONDecodeError) as error:
        raise InvalidInput(f"{path}, line {number or 1} cannot be read: {error}.") from None


def _object(line: str) -> dict[str, Any]:
    row: Any = json.loads(line)
    if not isinstance(row, dict):
        raise json.JSONDecodeError("a JSON object is needed", line, 0)
    return row  # pyright: ignore[reportUnknownVariableType]


def _conversation(row: dict[str, Any]) -> Conversation:
    records = [record for record in row["records"] if record["text"].strip()]  # RealMem has blanks
    times = [datetime.fromisoformat(record["time"]) for record in records]
    for at in times:
        to_utc(at)
    if not times:
        raise ValueError("it has no records")
    starts: dict[str, int] = {}
    for place, record in enumerate(records):
        starts.setdefault(record["session"], place)
    return Conversation(
        dataset=row["dataset"],
        id=row["id"],
        language=row["lang"],
        zone=times[0].tzinfo or times[0].astimezone().tzinfo,  # pyright: ignore[reportArgumentType]
        records=tuple(record["id"] for record in records),
        sessions=tuple(record["session"] for record in records),
        drafts=tuple(_drafts(records, times)),
        questions=tuple(
            _question(question, records, starts, times) for question in row["questions"]
        ),
        digest=hashlib.sha256(json.dumps(row, sort_keys=True).encode()).hexdigest()[:16],
    )


def _drafts(records: list[dict[str, Any]], times: list[datetime]) -> Iterator[Draft]:
    """Chats with an assistant are questions and answers; whatever else is said or kept, notes.

    Notes, messages and calendar entries of a life come as one session a day.
    """
    turn = 0
    for record, at in zip(records, times, strict=True):
        who, text, session = record["who"].lower(), record["text"], record["session"]
        if who == "user":
            turn += 1
            yield Draft("question", text, session, str(turn), created_at=at)
        elif who == "assistant":
            yield Draft("answer", text, session, str(turn), 1, created_at=at, origin="assistant")
        elif record["kind"] == "turn":
            yield Draft("note", f"{record['who']}: {text}", session, created_at=at)
        else:
            yield Draft("note", f"{record['kind']}: {text}", f"{at:%Y-%m-%d}", created_at=at)


def _question(
    row: dict[str, Any],
    records: list[dict[str, Any]],
    starts: dict[str, int],
    times: list[datetime],
) -> Question:
    before, at = _when(row, starts, times)
    return Question(
        id=row["id"],
        text=row["text"],
        category=row["category"],
        answerable=row["answerable"],
        evidence=frozenset(row["evidence"]),
        sessions=frozenset(row.get("evidence_sessions") or ()),
        stale=frozenset(row.get("stale") or ()),
        before=before,
        asked_at=at,
        answer=str(row.get("answer") or ""),
        context=_said_before(row, records),
    )


def _said_before(row: dict[str, Any], records: list[dict[str, Any]]) -> str:
    """The exchange before the question in its session, as an assistant has it before its eyes."""
    said = [r["text"] for r in records if r["session"] == row.get("asked_in")]
    here = next((n for n, text in enumerate(said) if text.strip() == row["text"].strip()), 0)
    return "\n".join(said[max(here - 2, 0) : here])


def _when(
    row: dict[str, Any], starts: dict[str, int], times: list[datetime]
) -> tuple[int, datetime]:
    """How many records may be searched, and when the question is asked."""
    session, said = row.get("asked_in"), row.get("asked_at") or ""
    if session is not None:
        return starts[session], times[starts[session]]
    if "T" in said:  # LifeBench names a month only: it is asked at the end
        at = to_utc(datetime.fromisoformat(said), "asked_at").astimezone(times[0].tzinfo)
        return sum(time <= at for time in times), at
    return len(times), times[-1] + timedelta(minutes=1)
