"""What the recall benchmark compares: the memory itself, and each of its sides alone."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Protocol

from recall_corpora import Conversation, Question

from memory_store import Draft
from memory_store.lexical import search
from memory_store.protocols import Embedder, Reranker
from memory_store.store import MemoryStore

DEPTH = 200
"""How many results are asked of a system; of a record's passages the first counts."""


@dataclass(frozen=True)
class Answer:
    """What a system found: positions of records, best first.

    Attributes:
        current: those of them that it presents as true now.
        confidence: how sure it is of having something relevant; larger is surer.
    """

    places: list[int]
    current: frozenset[int] = frozenset()
    confidence: float = 0.0


class System(Protocol):
    """A memory under test, opened on an empty folder."""

    def add(self, drafts: Sequence[Draft]) -> None:
        """Take in the next records, in order."""
        ...

    def ask(self, question: Question) -> Answer:
        """Search all that was taken in."""
        ...

    def close(self) -> None:
        """Release everything."""
        ...


Opener = Callable[[Path, Conversation, Embedder], System]


class Ours:
    """The memory store as shipped: `MemoryStore.recall` without a budget to speak of."""

    def __init__(
        self,
        folder: Path,
        conversation: Conversation,
        embedder: Embedder,
        reranker: Reranker | None = None,
    ) -> None:
        self._now = conversation.drafts[0].created_at or datetime.now(UTC)
        self._places: dict[str, list[int]] = {}
        self._added = 0
        self.store = MemoryStore.open(
            folder,
            embedder=embedder,
            clock=lambda: self._now,
            zone=conversation.zone,
            reranker=reranker,
        )

    def add(self, drafts: Sequence[Draft]) -> None:
        for start in range(0, len(drafts), 500):
            some = drafts[start : start + 500]
            self._now = max(self._now, some[-1].created_at or self._now)
            for chunk in self.store.remember(some):
                self._places.setdefault(chunk.id, []).append(self._added)
                self._added += 1

    def ask(self, question: Question) -> Answer:
        self._now = max(self._now, question.asked_at)
        recall = self.store.recall(question.text, budget=10_000_000)
        # A question about the past is answered oldest first; what is measured is the ranking.
        found = sorted(recall, key=lambda h: -h.score.total) if recall.past else recall.hits
        places = [place for hit in found for place in self._places[hit.chunk.id]]
        current = {
            place for hit in recall if hit.verdict.current for place in self._places[hit.chunk.id]
        }
        best = max((hit.score.total for hit in recall), default=0.0)
        return Answer(places, frozenset(current), best)

    def close(self) -> None:
        self.store.close()


class Lexical(Ours):
    """The lexical side alone: BM25 over the same passages."""

    def ask(self, question: Question) -> Answer:
        with self.store.ledger.read() as connection:
            found = search(connection, self.store.owner, question.text, DEPTH)
            return Answer(self._records(connection, found), confidence=_top(found))

    def _records(self, connection: Any, found: Sequence[tuple[int, float]]) -> list[int]:
        places: list[int] = []
        for number, _ in found:
            chunk_id = connection.exec_driver_sql(
                "SELECT c.id FROM passages p JOIN chunks c ON c.number = p.chunk"
                " WHERE p.number = ?",
                (number,),
            ).scalar_one()
            places += [p for p in self._places[chunk_id] if p not in places]
        return places


class PlainChroma:
    """A plain Chroma collection with the same vectors: one document a record, as most use it."""

    def __init__(self, folder: Path, conversation: Conversation, embedder: Embedder) -> None:
        import chromadb
        from chromadb.config import Settings

        self._client = chromadb.PersistentClient(str(folder), Settings(anonymized_telemetry=False))
        self._collection = self._client.create_collection(
            "plain", metadata={"hnsw:space": "cosine"}, embedding_function=None
        )
        self._embedder = embedder
        self._added = 0

    def add(self, drafts: Sequence[Draft]) -> None:
        for start in range(0, len(drafts), 500):
            texts = [draft.text for draft in drafts[start : start + 500]]
            self._collection.add(
                ids=[str(self._added + place) for place in range(len(texts))],
                embeddings=self._embedder.embed(texts),
                documents=texts,
            )
            self._added += len(texts)

    def ask(self, question: Question) -> Answer:
        found = self._collection.query(
            query_embeddings=self._embedder.embed([question.text]),
            n_results=min(DEPTH, self._added),
            include=["distances"],
        )
        ids, distances = found["ids"][0], (found["distances"] or [[]])[0]
        return Answer([int(id_) for id_ in ids], confidence=1 - distances[0] if ids else 0.0)

    def close(self) -> None:
        self._client.clear_system_cache()


def emptied(folder: Path) -> Path:
    """The folder, with nothing in it."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    return folder


def _top(found: Sequence[tuple[int, float]]) -> float:
    return found[0][1] if found else 0.0


SYSTEMS: dict[str, Opener] = {
    "ours": Ours,
    "bm25": Lexical,
    "chroma": PlainChroma,
}
"""Ours, and its two sides alone. Peers are in recall_peers.py."""
