"""The tail: the owner's vectors that came after what an index view holds, searched exactly."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlalchemy import Connection

if TYPE_CHECKING:
    from memory_store.protocols import Vectors

ROOM = 256


class Tail:
    """Vectors from the ledger, read once and kept; reading on costs only what is new."""

    def __init__(self, owner: str) -> None:
        self._owner = owner
        self.restart(0)

    def restart(self, after: int) -> None:
        """Drop what is held; the tail begins after vector number `after`."""
        self.after = after
        self._last = after
        self._passages: list[int] = []
        self._matrix: Vectors | None = None

    def __len__(self) -> int:
        return len(self._passages)

    def read_on(self, connection: Connection) -> None:
        """Take in the vectors written since."""
        last = connection.exec_driver_sql("SELECT max(number) FROM vectors").scalar() or 0
        if last <= self._last:
            return
        rows = connection.exec_driver_sql(
            "SELECT v.passage, v.vector FROM vectors v JOIN passages p ON p.number = v.passage"
            " JOIN chunks c ON c.number = p.chunk"
            " WHERE v.number > ? AND v.number <= ? AND c.owner = ? ORDER BY v.number",
            (self._last, last, self._owner),
        ).all()
        self._last = int(last)
        if rows:
            self._append([row[0] for row in rows], b"".join(row[1] for row in rows))

    def _append(self, numbers: list[int], data: bytes) -> None:
        import numpy as np

        new = np.frombuffer(data, dtype=np.float32).reshape(len(numbers), -1)
        held, total = len(self._passages), len(self._passages) + len(numbers)
        matrix = self._matrix
        if matrix is None or total > len(matrix):
            matrix = np.empty((max(total, 2 * held, ROOM), new.shape[1]), dtype=np.float32)
            if self._matrix is not None:
                matrix[:held] = self._matrix[:held]
            self._matrix = matrix
        matrix[held:total] = new
        self._passages += numbers

    def search(self, vector: Vectors, limit: int) -> list[tuple[int, float]]:
        """The nearest passages, (number, cosine similarity), best first."""
        import numpy as np

        if self._matrix is None:
            return []
        similarity = self._matrix[: len(self._passages)] @ vector
        best = np.arange(len(similarity))
        if len(best) > limit:
            best = np.argpartition(-similarity, limit - 1)[:limit]
        pairs = [(self._passages[i], float(similarity[i])) for i in best]
        return sorted(pairs, key=lambda pair: (-pair[1], -pair[0]))
