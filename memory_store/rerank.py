"""Reranking, off by default: a cross-encoder reads question and passage together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from memory_store.errors import EmbedderError
from memory_store.hub import load_named
from memory_store.lazy import Lazy
from memory_store.protocols import Reranker
from memory_store.selection import Found

DEPTH = 30
"""So many of the best are scored again; the rest keep their order behind them."""


class CrossEncoderReranker:
    """Any cross-encoder of sentence-transformers, by name or path; loaded at its first use."""

    def __init__(self, name: str) -> None:
        self.name = name
        self._model = Lazy(lambda: _load(name))

    def score(self, query: str, texts: Sequence[str]) -> list[float]:
        """Return one score a text; higher is better.

        Raises:
            EmbedderError: the model cannot be loaded or failed.
        """
        if not texts:
            return []
        model = self._model.get()
        try:
            scores = model.predict([(query, text) for text in texts], show_progress_bar=False)
        except Exception as error:
            raise EmbedderError(f"The reranker {self.name!r} failed: {error}") from error
        return [float(score) for score in scores]


def reranked(reranker: Reranker | None, query: str, found: Sequence[Found]) -> list[Found]:
    """The best of `found` in the reranker's order, the rest behind; unchanged without one."""
    if reranker is None or not found:
        return list(found)
    top = found[:DEPTH]
    texts = [f.chunk.text if f.passage is None else f.passage.text for f in top]
    scored = [
        replace(f, score=replace(f.score, rerank=score))
        for f, score in zip(top, reranker.score(query, texts), strict=True)
    ]
    # Sorting is stable: equal scores keep the order that they came in.
    return sorted(scored, key=lambda f: -(f.score.rerank or 0.0)) + list(found[DEPTH:])


def _load(name: str) -> Any:
    def load(local_files_only: bool) -> Any:
        from sentence_transformers import CrossEncoder

        return CrossEncoder(name, local_files_only=local_files_only)

    return load_named(name, load, "reranker")
