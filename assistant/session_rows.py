"""The records of sessions, turns and summaries, and the ledger rows that keep them."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Any, cast

from sqlalchemy import Row

from assistant.messages import Message, Role, ToolCall
from memory_store.ledger import Migration

FORGOTTEN = "(forgotten)"
"""Stands in the ledger where a text was that the user asked to forget."""

MIGRATIONS = (
    Migration(
        "sessions",
        1,
        (
            "CREATE TABLE sessions (id TEXT PRIMARY KEY, owner TEXT NOT NULL, name TEXT,"
            " created_at TEXT NOT NULL, UNIQUE (owner, name))",
            "CREATE TABLE turns (id TEXT PRIMARY KEY, session TEXT NOT NULL REFERENCES sessions,"
            " number INTEGER NOT NULL, asked_at TEXT NOT NULL, question TEXT NOT NULL,"
            " question_chunk TEXT, answer TEXT, answer_chunk TEXT, answered_at TEXT, stopped TEXT,"
            " UNIQUE (session, number))",
            "CREATE INDEX turns_question_chunk ON turns (question_chunk)",
            "CREATE INDEX turns_answer_chunk ON turns (answer_chunk)",
            "CREATE TABLE turn_messages (turn TEXT NOT NULL REFERENCES turns, position INTEGER"
            " NOT NULL, step INTEGER NOT NULL, role TEXT NOT NULL, content TEXT NOT NULL,"
            " calls TEXT NOT NULL, call_id TEXT, chunk_id TEXT, ok INTEGER NOT NULL,"
            " PRIMARY KEY (turn, position))",
            "CREATE INDEX turn_messages_chunk ON turn_messages (chunk_id)",
            "CREATE TABLE summaries (session TEXT NOT NULL REFERENCES sessions, version INTEGER"
            " NOT NULL, text TEXT NOT NULL, also TEXT NOT NULL, through INTEGER NOT NULL,"
            " kept TEXT NOT NULL, derived_from TEXT NOT NULL, method TEXT NOT NULL,"
            " created_at TEXT NOT NULL, PRIMARY KEY (session, version))",
        ),
    ),
)


@dataclass(frozen=True, slots=True)
class Session:
    """A conversation. `name` is None where it has none; `used_at`: its last turn."""

    id: str
    owner: str
    name: str | None
    created_at: datetime
    used_at: datetime
    turns: int = 0

    @property
    def label(self) -> str:
        """What `--session` takes to continue it: its name, or its id where it has none."""
        return self.name or self.id


@dataclass(frozen=True, slots=True)
class TurnMessage:
    """A message of the loop: an assistant's calls, or a result with the chunk that keeps it."""

    message: Message
    step: int
    chunk_id: str | None = None
    ok: bool = True


@dataclass(frozen=True, slots=True)
class Turn:
    """A question, the steps that its run took, and the answer. `number` is 1-based in its session.

    Attributes:
        steps: assistant messages with calls and their results, in order, without the answer.
        answer: None while the run goes on, or where it ended without one.
        stopped: why the run ended (see `assistant.events.Stopped`); None while it goes on.
    """

    id: str
    session: str
    number: int
    asked_at: datetime
    question: str
    steps: tuple[TurnMessage, ...] = ()
    answer: str | None = None
    answered_at: datetime | None = None
    stopped: str | None = None
    question_chunk: str | None = None
    answer_chunk: str | None = None

    @property
    def forgotten(self) -> bool:
        """Whether nothing of it is left."""
        return self.question == FORGOTTEN and self.answer in (None, FORGOTTEN)

    @property
    def chunk_ids(self) -> tuple[str, ...]:
        """The memory chunks that keep this turn's texts."""
        ids = (self.question_chunk, *(step.chunk_id for step in self.steps), self.answer_chunk)
        return tuple(chunk_id for chunk_id in ids if chunk_id is not None)


@dataclass(frozen=True, slots=True)
class Summary:
    """A version of a session's rolled summary.

    Attributes:
        also: what the model's text left out of the turns' numbers, dates and names.
        through: turns up to this number are summarised …
        kept: … but for these, which stay in the window because later turns still use them.
        derived_from: ids of perishable chunks whose staleness the summary inherits.
        method: `model`, or `extract` where the model failed and it is to be redone.
    """

    session: str
    version: int
    text: str
    through: int
    created_at: datetime
    also: str = ""
    kept: tuple[int, ...] = ()
    derived_from: tuple[str, ...] = ()
    method: str = "model"


def message_row(item: TurnMessage) -> dict[str, Any]:
    calls = [[call.id, call.name, call.arguments] for call in item.message.calls]
    return {
        "step": item.step,
        "role": item.message.role,
        "content": item.message.content,
        "calls": json.dumps(calls, ensure_ascii=False),
        "call_id": item.message.call_id,
        "chunk_id": item.chunk_id,
        "ok": item.ok,
    }


def turns_of(rows: Iterable[Row[Any]], messages: Iterable[Row[Any]]) -> tuple[Turn, ...]:
    steps: dict[str, list[TurnMessage]] = {}
    for row in messages:
        calls = tuple(ToolCall(*call) for call in json.loads(row.calls))
        message = Message(cast("Role", row.role), row.content, calls, row.call_id)
        item = TurnMessage(message, row.step, row.chunk_id, bool(row.ok))
        steps.setdefault(row.turn, []).append(item)
    return tuple(
        Turn(
            row.id,
            row.session,
            row.number,
            datetime.fromisoformat(row.asked_at),
            row.question,
            tuple(steps.get(row.id, ())),
            row.answer,
            datetime.fromisoformat(row.answered_at) if row.answered_at else None,
            row.stopped,
            row.question_chunk,
            row.answer_chunk,
        )
        for row in rows
    )


def summary_of(row: Row[Any]) -> Summary:
    return Summary(
        row.session,
        row.version,
        row.text,
        row.through,
        datetime.fromisoformat(row.created_at),
        row.also,
        tuple(json.loads(row.kept)),
        tuple(json.loads(row.derived_from)),
        row.method,
    )


def session_of(row: Row[Any]) -> Session:
    created = datetime.fromisoformat(row.created_at)
    used = datetime.fromisoformat(row.used_at) if row.used_at else created
    return Session(row.id, row.owner, row.name, created, used, row.turns)
