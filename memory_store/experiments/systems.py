"""What an experiment compares: the memory as shipped, and each of its sides alone."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Protocol

from memory_store import lexical
from memory_store.chunk import Draft
from memory_store.experiments.corpora import Conversation, Question
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


class Fused:
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
        recall = self.store.recall(question.text, context=question.context, budget=10_000_000)
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

    def _answer(self, passages: Sequence[tuple[int, float]]) -> Answer:
        """The records of passages (number, score); a side alone presents all of them as current."""
        places: list[int] = []
        with self.store.ledger.read() as connection:
            for number, _ in passages:
                chunk_id = connection.exec_driver_sql(
                    "SELECT c.id FROM passages p JOIN chunks c ON c.number = p.chunk"
                    " WHERE p.number = ?",
                    (number,),
                ).scalar_one()
                places += [p for p in self._places[chunk_id] if p not in places]
        return Answer(places, frozenset(places), passages[0][1] if passages else 0.0)


class Lexical(Fused):
    """The lexical side alone: BM25 over the same passages."""

    def ask(self, question: Question) -> Answer:
        with self.store.ledger.read() as connection:
            found = lexical.search(connection, self.store.owner, question.text, DEPTH)
        return self._answer(found)


class Dense(Fused):
    """The dense side alone: the nearest passages, as a plain vector store finds them."""

    def ask(self, question: Question) -> Answer:
        vector = self.store.embedder.embed([question.text])[0]
        return self._answer(self.store.dense.search(vector, DEPTH))


class BestSentence:
    """A reranker without a model of its own: the nearest sentence of each text counts."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder

    def score(self, query: str, texts: Sequence[str]) -> list[float]:
        """Return the cosine of the query and each text's nearest sentence."""
        parts = [re.split(r"(?<=[.!?])\s+|(?<=[。！？])", text) for text in texts]
        sentences = [[part for part in some if part.strip()] or [""] for some in parts]
        flat = [sentence for some in sentences for sentence in some]
        vectors = self._embedder.embed([query, *flat])
        near = iter((vectors[1:] @ vectors[0]).tolist())
        return [max(next(near) for _ in some) for some in sentences]


def reranked(folder: Path, conversation: Conversation, embedder: Embedder) -> Fused:
    """The memory with its best results ordered again by their nearest sentence."""
    return Fused(folder, conversation, embedder, BestSentence(embedder))


def emptied(folder: Path) -> Path:
    """The folder, with nothing in it."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    return folder


SYSTEMS: dict[str, Opener] = {
    "dense": Dense,
    "lexical": Lexical,
    "fused": Fused,
    "reranked": reranked,
}
"""The memory as shipped (`fused`), each of its two sides alone, and with a reranker."""
