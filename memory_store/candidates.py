"""Candidates: what either side of recall found and what was said beside it, with both scores."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING, Any

from sqlalchemy import Connection

from memory_store.lexical import LexicalQuery, Match
from memory_store.tables import from_micros

if TYPE_CHECKING:
    from memory_store.protocols import Vectors

POOL = 150
"""How many passages each side proposes."""

WIDENED = 100
"""So many of the best candidates have what was said beside them scored too."""

DenseSearch = Callable[["Vectors", int], list[tuple[int, float]]]
"""Returns (passage number, cosine similarity), best first, of one owner."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """A chunk, scored for one question by its best passages.

    Attributes:
        number: its row number in the ledger; larger is stored later.
        checked_at: when it was last said, or its source last found unchanged.
        places: where it was said: (session, row number before it, row number after it).
        passage: the number of its best passage.
        dense: cosine similarity; None where it has no vector yet.
        held: the query's terms that it holds, one bit a term.
    """

    number: int
    id: str
    text: str
    origin: str
    created_at: datetime
    checked_at: datetime
    about: tuple[datetime, datetime] | None
    places: tuple[tuple[str, int | None, int | None], ...]
    passage: int
    dense: float | None
    dense_rank: int | None
    lexical: float
    lexical_rank: int | None
    held: int


def gather(
    connection: Connection,
    owner: str,
    *,
    dense: Sequence[tuple[int, float]],
    words: LexicalQuery,
    vector: Vectors | None,
) -> list[Candidate]:
    """The candidates of both sides, each scored on both, and their neighbours."""
    pool = _Pool(connection, owner, words, vector, dict(dense))
    lexical = words.search(POOL)
    numbers = {number for number, _ in dense} | {number for number, _ in lexical}
    found = pool.candidates(_of_passages(connection, numbers), len(dense), len(lexical))
    top = max((c.lexical for c in found), default=0.0) or 1.0
    best = sorted(found, key=lambda c: (-(c.lexical / top + (c.dense or 0.0)), -c.number))
    beside = {n for c in best[:WIDENED] for _, *pair in c.places for n in pair if n is not None}
    return found + pool.candidates(_of_chunks(connection, beside - {c.number for c in found}))


@dataclass(slots=True)
class _Pool:
    """Scores passages on both sides and puts them together by chunk."""

    connection: Connection
    owner: str
    words: LexicalQuery
    vector: Vectors | None
    similar: dict[int, float]
    matching: dict[int, Match] = field(default_factory=dict[int, Match])

    def candidates(self, chunk_of: dict[int, int], near: int = 0, said: int = 0) -> list[Candidate]:
        """The owner's chunks of these passages, newest last.

        Args:
            near: so many of them, the nearest, get their rank in meaning.
            said: so many, those that match best, their rank in words.
        """
        numbers = sorted(chunk_of)
        unknown = [number for number in numbers if number not in self.similar]
        self.similar.update(similarities(self.connection, self.vector, unknown))
        self.matching.update(self.words.match(numbers))
        parts: dict[int, list[int]] = {}
        for number in numbers:
            parts.setdefault(chunk_of[number], []).append(number)
        rows = _chunk_rows(self.connection, self.owner, parts)
        similar = _best(self.similar, parts)
        lexical = _best({n: m.score for n, m in self.matching.items() if m.score > 0}, parts)
        near_ranks = _ranks(sorted(similar, key=lambda n: -similar[n])[:near])
        said_ranks = _ranks(sorted(lexical, key=lambda n: (-lexical[n], -n))[:said])
        places = _places(self.connection, self.owner, parts)
        return [
            Candidate(
                number=number,
                id=id_,
                text=text,
                origin=origin,
                created_at=from_micros(created_at),
                checked_at=from_micros(checked_at),
                about=None if start is None else (from_micros(start), from_micros(end)),
                places=tuple(places.get(number, ())),
                passage=max(parts[number], key=self._worth),
                dense=similar.get(number),
                dense_rank=near_ranks.get(number),
                lexical=lexical.get(number, 0.0),
                lexical_rank=said_ranks.get(number),
                held=self._held(parts[number]),
            )
            for number, id_, text, origin, created_at, checked_at, start, end in rows
        ]

    def _held(self, parts: Sequence[int]) -> int:
        held = 0
        for number in parts:
            if number in self.matching:
                held |= self.matching[number].held
        return held

    def _worth(self, number: int) -> tuple[float, float, int]:
        match = self.matching.get(number)
        top = 0.0 if match is None else match.score / self.words.weight
        return (top + self.similar.get(number, 0.0), top, -number)


def _best(of: Mapping[int, float], parts: Mapping[int, Sequence[int]]) -> dict[int, float]:
    """Of each chunk the best passage's score; those that have none are left out."""
    best: dict[int, float] = {}
    for chunk, numbers in parts.items():
        known = [of[number] for number in numbers if number in of]
        if known:
            best[chunk] = max(known)
    return best


def _ranks(ordered: Sequence[int]) -> dict[int, int]:
    return {number: rank for rank, number in enumerate(ordered, 1)}


def similarities(
    connection: Connection, vector: Vectors | None, numbers: Sequence[int]
) -> dict[int, float]:
    """The cosine similarity of the stored passages to `vector`."""
    if vector is None or not numbers:
        return {}
    import numpy as np

    rows = _rows(connection, "SELECT passage, vector FROM vectors WHERE passage IN (:ids)", numbers)
    if not rows:
        return {}
    found, vectors = zip(*rows, strict=True)
    matrix = np.frombuffer(b"".join(vectors), dtype=np.float32).reshape(len(found), -1)
    return dict(zip(found, (matrix @ vector).tolist(), strict=True))


def _of_passages(connection: Connection, numbers: Collection[int]) -> dict[int, int]:
    sql = "SELECT number, chunk FROM passages WHERE number IN (:ids)"
    return dict(map(tuple, _rows(connection, sql, numbers)))


def _of_chunks(connection: Connection, chunks: Collection[int]) -> dict[int, int]:
    sql = "SELECT number, chunk FROM passages WHERE chunk IN (:ids)"
    return dict(map(tuple, _rows(connection, sql, chunks)))


def _chunk_rows(connection: Connection, owner: str, chunks: Collection[int]) -> Sequence[Any]:
    sql = (
        "SELECT number, id, text, origin, created_at, checked_at, about_start, about_end"
        " FROM chunks WHERE owner = ? AND number IN (:ids) ORDER BY number"
    )
    return _rows(connection, sql, chunks, owner)


def _places(
    connection: Connection, owner: str, chunks: Collection[int]
) -> dict[int, list[tuple[str, int | None, int | None]]]:
    """Where each chunk was said, and the owner's chunks said just before and after it there."""
    beside = (
        "(SELECT o.chunk FROM occurrences o JOIN chunks c ON c.number = o.chunk"
        " WHERE o.session = here.session AND c.owner = ?"
        " AND o.number {} here.number ORDER BY o.number {} LIMIT 1)"
    )
    sql = (
        f"SELECT here.chunk, here.session, {beside.format('<', 'DESC')},"
        f" {beside.format('>', 'ASC')} FROM occurrences here"
        " WHERE here.chunk IN (:ids) AND here.session != '' ORDER BY here.number"
    )
    places: dict[int, list[tuple[str, int | None, int | None]]] = {}
    for chunk, session, before, after in _rows(connection, sql, chunks, owner, owner):
        places.setdefault(chunk, []).append((session, before, after))
    return places


def _rows(connection: Connection, sql: str, ids: Collection[int], *before: object) -> Sequence[Any]:
    """The rows of a query with `:ids` in it, which comes after every other parameter.

    Plain SQL: composing it takes SQLAlchemy longer than running it, several times a recall.
    """
    if not ids:
        return []  # SQLite would walk through the table
    marked = sql.replace(":ids", ", ".join("?" * len(ids)))
    return connection.exec_driver_sql(marked, (*before, *sorted(ids))).all()
