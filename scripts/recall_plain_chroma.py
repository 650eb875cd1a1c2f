"""A plain Chroma collection, as most use it: the peer that needs no environment of its own."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from memory_store import Draft
from memory_store.experiments.corpora import Conversation, Question
from memory_store.experiments.systems import DEPTH, Answer
from memory_store.protocols import Embedder


class PlainChroma:
    """The same vectors, one document a record, and everything that is found passes as current."""

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
        places = [int(id_) for id_ in ids]
        return Answer(places, frozenset(places), 1 - distances[0] if ids else 0.0)

    def close(self) -> None:
        self._client.clear_system_cache()
