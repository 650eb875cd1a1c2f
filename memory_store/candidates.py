"""Candidates: the passages that either side of recall found, with both sides' scores."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from sqlalchemy import Connection

from memory_store import records
from memory_store.chunk import Chunk
from memory_store.lexical import LexicalQuery
from memory_store.records import PassageRow

if TYPE_CHECKING:
    from memory_store.protocols import Vectors

POOL = 150
"""How many passages each side proposes."""

DenseSearch = Callable[["Vectors", int], list[tuple[int, float]]]
"""Returns (passage number, cosine similarity), best first, of one owner."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """A chunk with its best passage. Scores are None where nothing is known on that side."""

    chunk: Chunk
    passage: PassageRow
    dense: float | None
    dense_rank: int | None
    lexical: float
    lexical_rank: int | None


def gather(
    connection: Connection,
    owner: str,
    *,
    dense: Sequence[tuple[int, float]],
    query: LexicalQuery,
    vector: Vectors | None,
) -> list[Candidate]:
    """The candidates of both sides, each scored on both, in the order of their chunks' ids."""
    lexical = query.search(POOL)
    dense_ranks = {number: rank for rank, (number, _) in enumerate(dense, 1)}
    lexical_ranks = {number: rank for rank, (number, _) in enumerate(lexical, 1)}
    rows = records.passages(connection, owner, dense_ranks.keys() | lexical_ranks.keys())
    similar = dict(dense)
    similar.update(similarities(connection, vector, [n for n in rows if n not in similar]))
    matching = dict(lexical)
    matching.update(query.score([n for n in rows if n not in matching]))
    parts: dict[str, list[PassageRow]] = {}
    for row in rows.values():
        parts.setdefault(row.chunk_id, []).append(row)
    chunks = records.by_id(connection, owner, parts.keys())
    return [
        Candidate(
            chunk=chunks[chunk_id],
            passage=max(
                own,
                key=lambda row: (matching.get(row.number, 0.0), similar.get(row.number, -1.0)),
            ),
            dense=max((similar[row.number] for row in own if row.number in similar), default=None),
            dense_rank=_first(dense_ranks, own),
            lexical=max(matching.get(row.number, 0.0) for row in own),
            lexical_rank=_first(lexical_ranks, own),
        )
        for chunk_id, own in sorted(parts.items())
        if chunk_id in chunks
    ]


def similarities(
    connection: Connection, vector: Vectors | None, numbers: Sequence[int]
) -> dict[int, float]:
    """The cosine similarity of the stored passages to `vector`."""
    if vector is None or not numbers:
        return {}
    import numpy as np

    marks = ", ".join("?" * len(numbers))
    rows = connection.exec_driver_sql(
        f"SELECT passage, vector FROM vectors WHERE passage IN ({marks})", tuple(numbers)
    ).all()
    if not rows:
        return {}
    matrix = np.frombuffer(b"".join(row.vector for row in rows), dtype=np.float32)
    scores = matrix.reshape(len(rows), -1) @ vector
    return {int(row.passage): float(score) for row, score in zip(rows, scores, strict=True)}


def _first(ranks: dict[int, int], rows: Sequence[PassageRow]) -> int | None:
    return min((ranks[row.number] for row in rows if row.number in ranks), default=None)
