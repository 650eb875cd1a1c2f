"""Candidates: what either side of recall found and what was said beside it, with both scores."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import TYPE_CHECKING, Any

from sqlalchemy import Connection, bindparam, text

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
    pool = _Pool(connection, owner, words, vector)
    pool.similar.update(dense)
    lexical = words.search(POOL)
    numbers = {number for number, _ in dense} | {number for number, _ in lexical}
    found = pool.candidates(_of_passages(connection, numbers))
    found = _ranked(found, dense, lexical)
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
    matching: dict[int, Match]

    def __init__(
        self, connection: Connection, owner: str, words: LexicalQuery, vector: Vectors | None
    ) -> None:
        self.connection = connection
        self.owner = owner
        self.words = words
        self.vector = vector
        self.similar = {}
        self.matching = {}

    def candidates(self, chunk_of: dict[int, int]) -> list[Candidate]:
        """The owner's chunks of these passages, newest last."""
        numbers = sorted(chunk_of)
        unknown = [number for number in numbers if number not in self.similar]
        self.similar.update(similarities(self.connection, self.vector, unknown))
        self.matching.update(self.words.match(numbers))
        parts: dict[int, list[int]] = {}
        for number in numbers:
            parts.setdefault(chunk_of[number], []).append(number)
        places = _places(self.connection, self.owner, parts)
        return [
            self._candidate(row, parts[row.number], places.get(row.number, ()))
            for row in _chunk_rows(self.connection, self.owner, parts)
        ]

    def _candidate(
        self, row: Any, parts: list[int], places: Sequence[tuple[str, int | None, int | None]]
    ) -> Candidate:
        matches = [self.matching[number] for number in parts if number in self.matching]
        held = 0
        for match in matches:
            held |= match.held
        about = None
        if row.about_start is not None:
            about = (from_micros(row.about_start), from_micros(row.about_end))
        return Candidate(
            number=row.number,
            id=row.id,
            text=row.text,
            origin=row.origin,
            created_at=from_micros(row.created_at),
            about=about,
            places=tuple(places),
            passage=max(parts, key=self._worth),
            dense=max((self.similar[n] for n in parts if n in self.similar), default=None),
            dense_rank=None,
            lexical=max((match.score for match in matches), default=0.0),
            lexical_rank=None,
            held=held,
        )

    def _worth(self, number: int) -> tuple[float, float, int]:
        match = self.matching.get(number)
        top = 0.0 if match is None else match.score / self.words.weight
        return (top + self.similar.get(number, 0.0), top, -number)


def _ranked(
    found: list[Candidate],
    dense: Sequence[tuple[int, float]],
    lexical: Sequence[tuple[int, float]],
) -> list[Candidate]:
    """The candidates with their ranks on either side, counted in chunks."""
    by_dense = sorted((c for c in found if c.dense is not None), key=lambda c: -(c.dense or 0.0))
    by_words = sorted((c for c in found if c.lexical > 0), key=lambda c: (-c.lexical, -c.number))
    near = {c.number: rank for rank, c in enumerate(by_dense[: len(dense)], 1)}
    said = {c.number: rank for rank, c in enumerate(by_words[: len(lexical)], 1)}
    return [
        replace(c, dense_rank=near.get(c.number), lexical_rank=said.get(c.number)) for c in found
    ]


def similarities(
    connection: Connection, vector: Vectors | None, numbers: Sequence[int]
) -> dict[int, float]:
    """The cosine similarity of the stored passages to `vector`."""
    if vector is None or not numbers:
        return {}
    import numpy as np

    rows = _rows(connection, "SELECT passage, vector FROM vectors WHERE passage IN :ids", numbers)
    if not rows:
        return {}
    matrix = np.frombuffer(b"".join(row.vector for row in rows), dtype=np.float32)
    scores = matrix.reshape(len(rows), -1) @ vector
    return {int(row.passage): float(score) for row, score in zip(rows, scores, strict=True)}


def _of_passages(connection: Connection, numbers: Collection[int]) -> dict[int, int]:
    sql = "SELECT number, chunk FROM passages WHERE number IN :ids"
    return {row.number: row.chunk for row in _rows(connection, sql, numbers)}


def _of_chunks(connection: Connection, chunks: Collection[int]) -> dict[int, int]:
    sql = "SELECT number, chunk FROM passages WHERE chunk IN :ids"
    return {row.number: row.chunk for row in _rows(connection, sql, chunks)}


def _chunk_rows(connection: Connection, owner: str, chunks: Collection[int]) -> Sequence[Any]:
    sql = (
        "SELECT number, id, text, origin, created_at, about_start, about_end FROM chunks"
        " WHERE number IN :ids AND owner = :owner ORDER BY number"
    )
    return _rows(connection, sql, chunks, owner=owner)


def _places(
    connection: Connection, owner: str, chunks: Collection[int]
) -> dict[int, list[tuple[str, int | None, int | None]]]:
    """Where each chunk was said, and the owner's chunks said just before and after it there."""
    beside = (
        "(SELECT o.chunk FROM occurrences o JOIN chunks c ON c.number = o.chunk"
        " WHERE o.session = here.session AND c.owner = :owner"
        " AND o.number {} here.number ORDER BY o.number {} LIMIT 1)"
    )
    sql = (
        f"SELECT here.chunk, here.session, {beside.format('<', 'DESC')} AS before,"
        f" {beside.format('>', 'ASC')} AS after FROM occurrences here"
        " WHERE here.chunk IN :ids AND here.session != '' ORDER BY here.number"
    )
    places: dict[int, list[tuple[str, int | None, int | None]]] = {}
    for row in _rows(connection, sql, chunks, owner=owner):
        places.setdefault(row.chunk, []).append((row.session, row.before, row.after))
    return places


def _rows(
    connection: Connection, sql: str, ids: Collection[int], **values: object
) -> Sequence[Any]:
    query = text(sql).bindparams(bindparam("ids", expanding=True))
    return connection.execute(query, {"ids": sorted(ids), **values}).all()
