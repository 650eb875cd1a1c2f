"""The turns whose facts are still to be read: kept in the ledger, taken by one reader at a time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
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
)
MOST_TRIES = 5
"""After so many failures a turn is given up; its text stays in memory."""
TAKEN_FOR = timedelta(minutes=15)
"""A reader that has not come back by then was killed: what it took is taken again."""


@dataclass(frozen=True, slots=True)
class Queued:
    """A turn whose facts are to be read.

    Attributes:
        chunk: what the user said.
        before: what the user had said before it; empty where that does not matter.
    """

    turn: str
    session: str
    chunk: Chunk
    before: str


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
                    "INSERT OR IGNORE INTO fact_queue (turn, session, chunk, before)"
                    " VALUES (:turn, :session, :chunk, :before)"
                ),
                {
                    "turn": turn.id,
                    "session": session.id,
                    "chunk": turn.question_chunk,
                    "before": before,
                },
            )

    def take(self, *, least: int, most: int) -> list[Queued]:
        """Return the oldest turns, if there are at least so many; no other reader gets them too.

        They must be given back: by `done`, or by `failed`.
        """
        with self._store.ledger.write() as connection:
            rows = connection.execute(
                text(
                    "SELECT turn, session, chunk, before FROM fact_queue"
                    " WHERE tries < :tries AND taken <= :lapsed ORDER BY rowid LIMIT :most"
                ),
                {
                    "tries": MOST_TRIES,
                    "lapsed": (self._store.now - TAKEN_FOR).isoformat(),
                    "most": most,
                },
            ).all()
            if len(rows) < max(least, 1):
                return []
            statement = "UPDATE fact_queue SET taken = :now WHERE turn = :turn"
            self._change(connection, statement, [row.turn for row in rows])
        read = {row.turn: self._read(row) for row in rows}
        self.failed([turn for turn, queued in read.items() if queued is None])
        return [queued for queued in read.values() if queued is not None]

    def done(self, turns: Sequence[str], joined: Connection) -> None:
        """Take turns out of the queue, within the transaction that stores their facts."""
        self._change(joined, "DELETE FROM fact_queue WHERE turn = :turn", turns)

    def failed(self, turns: Sequence[str]) -> None:
        """Give turns back, to be read later."""
        if turns:
            with self._store.ledger.write() as connection:
                statement = "UPDATE fact_queue SET tries = tries + 1, taken = '' WHERE turn = :turn"
                self._change(connection, statement, turns)

    def _change(self, connection: Connection, statement: str, turns: Sequence[str]) -> None:
        now = self._store.now.isoformat()
        connection.execute(text(statement), [{"turn": turn, "now": now} for turn in turns])

    def _before(self, session: Session, turn: Turn) -> str | None:
        said = self._store.chunks(kind="question", session=session.id, limit=4)
        earlier = [chunk.id for chunk in said if chunk.scope.turn != turn.id]
        return earlier[-1] if earlier else None

    def _read(self, row: Row[Any]) -> Queued | None:
        """Return a turn with its texts; None where it was forgotten."""
        try:
            chunk = self._store.get(row.chunk)
            before = self._store.get(row.before).text if row.before is not None else ""
        except NotFound:
            return None
        return Queued(row.turn, row.session, chunk, before)
