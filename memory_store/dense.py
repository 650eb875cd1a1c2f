"""The dense side of recall: the vector index as it was opened, and the exact tail after it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memory_store import records
from memory_store.errors import EmbedderError, IndexUnavailable
from memory_store.ledger import Ledger
from memory_store.shared_index import SharedIndex, View
from memory_store.tail import Tail

if TYPE_CHECKING:
    from memory_store.protocols import Vectors

EXACT = 4_000
"""A tail up to this long is searched exactly without opening the index anew: it is quicker.

A longer one makes it worth while, where the index holds at least half so many of it by now."""


class Dense:
    """Searches the vectors of one owner, whichever process wrote them."""

    def __init__(self, ledger: Ledger, owner: str, fingerprint: str, index: SharedIndex) -> None:
        self._ledger = ledger
        self._owner = owner
        self._fingerprint = fingerprint
        self._index = index
        self._tail = Tail(owner)
        self._seen: View | None = None
        self._threads = index.threads  # the view is not left while it is searched

    def search(self, vector: Vectors, limit: int) -> list[tuple[int, float]]:
        """The nearest passages: (passage number, cosine similarity), best first.

        Raises:
            EmbedderError: the ledger's vectors are another embedder's by now.
        """
        with self._threads:
            self._read_on()
            if len(self._tail) > EXACT and self._index_is_ahead():
                self._index.open()
                self._read_on()
            found = dict(self._search_index(vector, limit))
            found.update(self._tail.search(vector, limit))
        return sorted(found.items(), key=lambda pair: (-pair[1], -pair[0]))[:limit]

    def _read_on(self) -> None:
        """Take in what was written since."""
        with self._ledger.read() as connection:
            state = records.states(connection)
            if state["fingerprint"] not in ("", self._fingerprint):
                raise EmbedderError(
                    f"The memory's vectors are of {state['fingerprint']} by now, not of"
                    f" {self._fingerprint}; open it anew."
                )
            self._index.follow(state)
            view = self._index.view
            if view is not self._seen:
                self._tail.restart(0 if view is None else view.through)
                self._seen = view
            self._tail.read_on(connection)

    def _index_is_ahead(self) -> bool:
        with self._ledger.read() as connection:
            indexed = int(records.states(connection)["indexed"])
        return indexed - self._tail.after > EXACT // 2

    def _search_index(self, vector: Vectors, limit: int) -> list[tuple[int, float]]:
        view = self._index.view
        if view is None:
            return []
        try:
            pairs = view.index.query(self._owner, vector.tolist(), limit)
        except IndexUnavailable as error:
            self._index.note(error)
            self._index.drop()
            self._read_on()
            return []
        with self._ledger.read() as connection:
            numbers = records.passage_numbers(connection, self._owner, [name for name, _ in pairs])
        return [(numbers[name], score) for name, score in pairs if name in numbers]
