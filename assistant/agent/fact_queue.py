"""The turns whose facts are still to be read: kept in the ledger, taken by one reader at a time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from sqlalchemy import Connection, Row, text

from assistant.sessions import Session, Turn
from memory_store import Chunk
from memory_store.errors import NotFound
from memory_store.ledger import Migration
from memory_store.store import MemoryStore

MIGRATIONS = (
    Migration(
        "facts",
        1,
        (
            "CREATE TABLE fact_queue (turn TEXT PRIMARY KEY, session TEXT NOT NULL,"
            " chunk TEXT NOT NULL, before TEXT, tries INTEGER NOT NULL DEFAULT 0)",
        ),
    ),
    Migration("facts", 2, ("ALTER TABLE fact_queue ADD COLUMN taken TEXT NOT NULL DEFAULT ''",)),
    Migration(
        "facts",
        3,
        (
            "ALTER TABLE fact_queue ADD COLUMN owner TEXT NOT NULL DEFAULT ''",
            "ALTER TABLE fact_queue ADD COLUMN told TEXT NOT NULL DEFAULT ''",
            "ALTER TABLE fact_queue ADD COLUMN due TEXT NOT NULL DEFAULT ''",
            "UPDATE fact_queue SET owner ="
            " coalesce((SELECT owner FROM chunks WHERE id = fact_queue.chunk), '')",
        ),
    ),
)
FIRST_DELAY = timedelta(minutes=10)
"""After so long a turn that failed by itself is read again; each further failure doubles it."""
MOST_DOUBLINGS = 10
TAKEN_FOR = timedelta(minutes=15)
"""A reader that has not come back by then was killed: what it took is taken again."""

_FREE = "WHERE owner = :owner AND due <= :now AND taken <= :lapsed"


@dataclass(frozen=True, slots=True)
class Queued:
    """A turn whose facts are to be read.

    Attributes:
        chunk: what the user said.
        told_at: when they said it; the chunk may be older, if they had said the same before.
        before: what the user had said before it; empty where that does not matter.
        tries: how often it could not be read.
    """

    turn: str
    session: str
    chunk: Chunk
    told_at: datetime
    before: str
    tries: int


class FactQueue:
    """Queued turns of one store. Safe to use from several threads and processes."""

    def __init__(self, store: MemoryStore) -> None:
        self._store = store
        store.ledger.migrate(MIGRATIONS)

    def add(self, session: Session, turn: Turn, *, with_before: bool) -> None:
        """Queue a turn; what is queued already is not queued twice."""
        before = self._before(session, turn) if with_before else None
        with self._store.ledger.write() as connection:
            connection.execute(
                text(
                    "INSERT OR IGNORE INTO fact_queue (turn, session, chunk, before, owner, told)"
                    " VALUES (:turn, :session, :chunk, :before, :owner, :told)"
                ),
                {
                    "turn": turn.id,
                    "session": session.id,
                    "chunk": turn.question_chunk,
                    "before": before,
                    "owner": self._store.owner,
                    "told": turn.asked_at.astimezone(UTC).isoformat(),
                },
            )

    def take(self, *, least: int, most: int) -> list[Queued]:
        """Return the oldest turns, if there are at least so many; no other reader gets them too.

        One that could not be read comes alone, before the others, when its time has come. They
        must be given back: by `done`, or by `failed`.
        """
        with self._store.ledger.write() as connection:
            rows = connection.execute(
                text(f"SELECT * FROM fact_queue {_FREE} ORDER BY tries = 0, rowid LIMIT :most"),
                {**self._free, "most": most},
            ).all()
            if rows and rows[0].tries:
                rows = rows[:1]
            elif len(rows) < max(least, 1):
                return []
            statement = "UPDATE fact_queue SET taken = :now WHERE turn = :turn"
            self._change(connection, statement, [row.turn for row in rows])
        read = {row.turn: self._read(row) for row in rows}
        if gone := [turn for turn, queued in read.items() if queued is None]:
            with self._store.ledger.write() as connection:
                self.done(gone, connection)
        return [queued for queued in read.values() if queued is not None]

    @property
    def waiting(self) -> bool:
        """Whether there is a turn to be read now."""
        with self._store.ledger.read() as connection:
            query = text(f"SELECT count(*) FROM fact_queue {_FREE}")
            return bool(connection.scalar(query, self._free))

    @property
    def _free(self) -> dict[str, object]:
        now = self._store.now
        lapsed = now - TAKEN_FOR
        return {"owner": self._store.owner, "now": now.isoformat(), "lapsed": lapsed.isoformat()}

    def done(self, turns: Sequence[str], joined: Connection) -> None:
        """Take turns out of the queue, within the transaction that stores their facts."""
        self._change(joined, "DELETE FROM fact_queue WHERE turn = :turn", turns)

    def failed(self, turns: Sequence[str]) -> None:
        """Give turns back: each is read alone next time and, failing again, ever later."""
        tries = text("UPDATE fact_queue SET tries = tries + 1 WHERE turn = :turn RETURNING tries")
        with self._store.ledger.write() as connection:
            for turn in turns:
                failures = connection.scalar(tries, {"turn": turn}) or 1
                statement = "UPDATE fact_queue SET taken = '', due = :now WHERE turn = :turn"
                self._change(connection, statement, [turn], later=_delay(failures))

    def _change(
        self,
        connection: Connection,
        statement: str,
        turns: Sequence[str],
        later: timedelta = timedelta(0),
    ) -> None:
        now = (self._store.now + later).isoformat()
        if turns:
            connection.execute(text(statement), [{"turn": turn, "now": now} for turn in turns])

    def _before(self, session: Session, turn: Turn) -> str | None:
        said = self._store.chunks(kind="question", session=session.id, limit=4)
        earlier = [chunk.id for chunk in said if chunk.id != turn.question_chunk]
        return earlier[-1] if earlier else None

    def _read(self, row: Row[Any]) -> Queued | None:
        """Return a turn with its texts; None where it was forgotten."""
        chunk = self._chunk(row.chunk)
        if chunk is None:
            return None
        before = self._chunk(row.before)
        told_at = datetime.fromisoformat(row.told) if row.told else chunk.created_at
        said_before = before.text if before is not None else ""
        return Queued(row.turn, row.session, chunk, told_at, said_before, row.tries)

    def _chunk(self, chunk_id: str | None) -> Chunk | None:
        try:
            return self._store.get(chunk_id or "")
        except NotFound:
            return None


def _delay(failures: int) -> timedelta:
    """How long a turn waits that has failed so often; after the first time, not at all."""
    if failures < 2:
        return timedelta(0)
    return FIRST_DELAY * 2 ** min(failures - 2, MOST_DOUBLINGS)
