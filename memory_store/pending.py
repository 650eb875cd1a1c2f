"""Texts that wait for their vector: embedded after they are safe, and again after a failure."""

from __future__ import annotations

import logging
from collections.abc import Sequence

from sqlalchemy import Connection

from memory_store import records
from memory_store.ledger import Ledger
from memory_store.protocols import Embedder, Progress
from memory_store.waiting import Waiting, silent

BATCH = 256

_log = logging.getLogger(__name__)


class PendingVectors:
    """Gives every passage of the ledger a vector of one embedder."""

    def __init__(self, ledger: Ledger, embedder: Embedder, waiting: Waiting = silent) -> None:
        self._ledger = ledger
        self._embedder = embedder
        self._waiting = waiting
        self._settled = False
        self.problem: str | None = None

    def embed(self, progress: Progress | None = None) -> int:
        """Embed what has no vector yet; returns how many passages are left without one.

        A text that the embedder fails on is passed over, and tried again at the next call.
        """
        if not self._settle():
            return self.count()
        total = self.count()
        if progress is None and total > BATCH:  # such as after a change of the embedder
            with self._waiting("Embedding what is remembered") as told:
                return self._embed_all(total, told)
        return self._embed_all(total, progress)

    def _embed_all(self, total: int, progress: Progress | None) -> int:
        after, done, failed = 0, 0, 0
        while done < total:
            with self._ledger.read() as connection:
                batch = _unembedded(connection, after)
            if not batch:
                break
            vectors = self._embed(batch)
            failed += len(batch) - len(vectors)
            self._keep(vectors)
            after = batch[-1][0]
            done += len(batch)
            if progress is not None:
                progress(done, max(total, done))
        return failed

    def count(self) -> int:
        """How many passages have no vector."""
        with self._ledger.read() as connection:
            return unembedded(connection)

    def _settle(self) -> bool:
        """Make the ledger's vectors this embedder's; whether they are.

        Another embedder's vectors are dropped, to be made anew. A process that finds its own
        dropped by another, later, leaves the ledger to that one.
        """
        mine = self._embedder.fingerprint
        with self._ledger.read() as connection:
            theirs = records.states(connection)["fingerprint"]
        if theirs != mine and self._settled:
            self.problem = f"another process changed the embedder to {theirs}; open the store anew"
            return False
        if theirs != mine:
            with self._ledger.write() as connection:
                connection.exec_driver_sql("DELETE FROM vectors")
                connection.exec_driver_sql("UPDATE passages SET embedded = 0 WHERE embedded = 1")
                records.set_state(connection, "fingerprint", mine)
                records.renew_index(connection)
        self._settled = True
        return True

    def _embed(self, batch: Sequence[tuple[int, str]]) -> list[tuple[int, bytes]]:
        try:
            vectors = self._embedder.embed([part for _, part in batch])
        except Exception as error:  # whatever a model raises, the text must not be lost
            self.problem = str(error)
            _log.warning("a text waits for its vector: %s", error)
            if len(batch) == 1:
                return []
            middle = len(batch) // 2
            return self._embed(batch[:middle]) + self._embed(batch[middle:])
        return [
            (number, vector.astype("float32").tobytes())
            for (number, _), vector in zip(batch, vectors, strict=True)
        ]

    def _keep(self, vectors: Sequence[tuple[int, bytes]]) -> None:
        if not vectors:
            return
        with self._ledger.write() as connection:
            if records.states(connection)["fingerprint"] != self._embedder.fingerprint:
                return  # changed by another process meanwhile
            connection.exec_driver_sql(
                "INSERT OR IGNORE INTO vectors (passage, vector)"
                " SELECT number, ? FROM passages WHERE number = ?",
                [(vector, number) for number, vector in vectors],
            )
            connection.exec_driver_sql(
                "UPDATE passages SET embedded = 1 WHERE number = ?",
                [(number,) for number, _ in vectors],
            )


def unembedded(connection: Connection) -> int:
    """How many passages have no vector."""
    return int(
        connection.exec_driver_sql("SELECT count(*) FROM passages WHERE embedded = 0").scalar_one()
    )


def _unembedded(connection: Connection, after: int) -> list[tuple[int, str]]:
    rows = connection.exec_driver_sql(
        'SELECT p.number, p.header, p.start, p."end", c.text FROM passages p'
        " JOIN chunks c ON c.number = p.chunk"
        f" WHERE p.embedded = 0 AND p.number > ? ORDER BY p.number LIMIT {BATCH}",
        (after,),
    )
    return [
        (number, records.passage_text(header, whole, start, end))
        for number, header, start, end, whole in rows
    ]
