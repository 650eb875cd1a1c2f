"""The benchmark's corpora, as drafts that arrive in order of time, and their questions."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta, tzinfo
from pathlib import Path
from typing import Any

from memory_store import Draft

DATASETS = ("locomo", "beam", "lifebench", "realmem")


@dataclass(frozen=True)
class Question:
    """A question with the records that answer it, or the sessions.

    Attributes:
        before: how many records may be searched; all but RealMem's ask at the end.
        stale: records that say what is out of date by the time of asking.
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


@dataclass(frozen=True)
class Conversation:
    """One conversation or person: the records as drafts, and what is asked about them.

    Attributes:
        sessions: the session of each record, as the data names it.
    """

    dataset: str
    id: str
    zone: tzinfo
    records: tuple[str, ...]
    sessions: tuple[str, ...]
    drafts: tuple[Draft, ...]
    questions: tuple[Question, ...]


def load(folder: Path, dataset: str) -> Iterator[Conversation]:
    """Yield the conversations of a data set.

    Raises:
        FileNotFoundError: the folder does not hold it.
    """
    with gzip.open(folder / f"{dataset}.jsonl.gz", "rt", encoding="utf-8") as lines:
        for line in lines:
            yield _conversation(json.loads(line))


def _conversation(row: dict[str, Any]) -> Conversation:
    records = row["records"]
    times = [datetime.fromisoformat(r["time"]) for r in records]
    starts: dict[str, int] = {}
    for place, record in enumerate(records):
        starts.setdefault(record["session"], place)
    return Conversation(
        dataset=row["dataset"],
        id=row["id"],
        zone=times[0].tzinfo or times[0].astimezone().tzinfo,
        records=tuple(r["id"] for r in records),
        sessions=tuple(r["session"] for r in records),
        drafts=tuple(_drafts(records, times)),
        questions=tuple(_question(q, starts, times) for q in row["questions"]),
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


def _question(row: dict[str, Any], starts: dict[str, int], times: list[datetime]) -> Question:
    asked_in = row.get("asked_in")
    before = len(times) if asked_in is None else starts[asked_in]
    at = times[-1] + timedelta(minutes=1) if asked_in is None else times[before]
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
    )
