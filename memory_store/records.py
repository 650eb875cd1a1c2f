"""Chunks, passages and their places as rows of the ledger. Every function keeps to one owner."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, TypeVar

from sqlalchemy import (
    ColumnElement,
    Connection,
    Row,
    Select,
    and_,
    bindparam,
    func,
    or_,
    select,
    text,
)

from memory_store import tables
from memory_store.chunk import Chunk, Freshness, Interval, Scope
from memory_store.tables import from_micros, to_micros

_T = TypeVar("_T", int, str)

IN_LIMIT = 500
"""How many values one SQL statement is given at most."""


@dataclass(frozen=True, slots=True)
class PassageRow:
    """A stored passage: part `place` of `total` of a chunk, its characters `start` to `end`.

    Attributes:
        number: its row number, which the lexical index and the vectors go by.
        text: what is embedded and searched: the header, then the part.
    """

    number: int
    chunk_id: str
    place: int
    total: int
    start: int
    end: int
    text: str

    @property
    def id(self) -> str:
        """Its id in the vector index."""
        return passage_id(self.chunk_id, self.place)


def passage_id(chunk_id: str, place: int) -> str:
    """The id that part `place` (1-based) of a chunk has in the vector index."""
    return f"{chunk_id}#{place}"


def by_id(connection: Connection, owner: str, ids: Collection[str]) -> dict[str, Chunk]:
    """The owner's chunks of these ids; unknown ids are left out."""
    found: dict[str, Chunk] = {}
    for some in _batches(ids):
        # Plain SQL: composing these in Core takes longer than running them, in every recall.
        rows = connection.exec_driver_sql(
            f"SELECT * FROM chunks WHERE owner = ? AND id IN ({_marks(some)})", (owner, *some)
        ).all()
        found.update({chunk.id: chunk for chunk in _chunks(connection, rows)})
    return found


def read_chunks(connection: Connection, query: Select[Any]) -> list[Chunk]:
    """The chunks that `query` selects from the chunks table, in its order."""
    return _chunks(connection, connection.execute(query).all())


def _chunks(connection: Connection, rows: Sequence[Row[Any]]) -> list[Chunk]:
    sources = _sources(connection, [row.number for row in rows])
    return [_chunk(row, sources.get(row.number, ())) for row in rows]


def listing(
    connection: Connection,
    owner: str,
    *,
    kind: str | None = None,
    session: str | None = None,
    turn: str | None = None,
    subject: str | None = None,
    within: Interval | None = None,
    limit: int | None = None,
) -> list[Chunk]:
    """The owner's chunks that fit every condition given, oldest first; `limit` keeps the newest.

    A session, turn or time counts wherever the text was said, also as a duplicate.
    """
    c, o = tables.chunks.c, tables.occurrences.c
    query = select(tables.chunks).where(c.owner == owner)
    if kind is not None:
        query = query.where(c.kind == kind)
    if subject is not None:
        query = query.where(c.subject == subject)
    place = said(session, turn, within)
    if place:
        query = query.where(
            select(o.number).where(o.chunk == c.number, *place).correlate(tables.chunks).exists()
        )
    query = query.order_by(c.created_at.desc(), c.number.desc())
    if limit is not None:
        query = query.limit(limit)
    return read_chunks(connection, query)[::-1]


def said(
    session: str | None, turn: str | None, within: Interval | None
) -> list[ColumnElement[bool]]:
    """What holds of the occurrences said there and then, joined with their chunks."""
    c, o = tables.chunks.c, tables.occurrences.c
    place = [
        column == value
        for column, value in ((o.session, session), (o.turn, turn))
        if value is not None
    ]
    if within is not None:
        start, end = to_micros(within.start), to_micros(within.end)
        said = and_(o.created_at >= start, o.created_at < end)
        about = and_(c.about_start < end, or_(c.about_end > start, c.about_start >= start))
        place.append(or_(said, and_(c.about_start.is_not(None), about)))
    return place


def passages(connection: Connection, owner: str, numbers: Collection[int]) -> dict[int, PassageRow]:
    """The owner's passages of these row numbers; unknown numbers are left out."""
    found: dict[int, PassageRow] = {}
    for some in _batches(numbers):
        rows = connection.exec_driver_sql(
            'SELECT p.number, c.id, p.place, p.total, p.start, p."end", p.header, c.text'
            " FROM passages p JOIN chunks c ON c.number = p.chunk"
            f" WHERE c.owner = ? AND p.number IN ({_marks(some)})",
            (owner, *some),
        )
        for number, chunk_id, place, total, start, end, header, whole in rows.all():
            part = passage_text(header, whole, start, end)
            found[number] = PassageRow(number, chunk_id, place, total, start, end, part)
    return found


def passage_text(header: str, whole: str, start: int, end: int) -> str:
    """What is embedded of a chunk's characters `start` to `end`."""
    part = whole[start:end].strip()
    return f"{header} {part}" if header else part


def passage_numbers(connection: Connection, owner: str, ids: Sequence[str]) -> dict[str, int]:
    """The row number of each passage id of the vector index that the ledger still holds."""
    found: dict[str, int] = {}
    for some in _batches({name.rpartition("#")[0] for name in ids}):
        rows = connection.exec_driver_sql(
            "SELECT c.id, p.place, p.number FROM chunks c JOIN passages p ON p.chunk = c.number"
            f" WHERE c.owner = ? AND c.id IN ({_marks(some)})",
            (owner, *some),
        ).all()
        found.update({passage_id(row[0], row[1]): row[2] for row in rows})
    return {name: found[name] for name in ids if name in found}


def passage_ids(connection: Connection, through: int | None = None) -> set[str]:
    """The index's id of every passage, or of those with a vector numbered up to `through`."""
    query = "SELECT c.id, p.place FROM passages p JOIN chunks c ON c.number = p.chunk"
    if through is not None:
        query += f" JOIN vectors v ON v.passage = p.number WHERE v.number <= {int(through)}"
    return {passage_id(row[0], row[1]) for row in connection.exec_driver_sql(query)}


def beside(
    connection: Connection, owner: str, ids: Collection[str]
) -> dict[str, list[tuple[str, int]]]:
    """For each chunk what was said with it: in its turns, or in none, just before and after it.

    Each comes as (chunk id, distance), the distance negative for what came before. Chunks
    without a session stand alone.
    """
    found: dict[str, list[tuple[str, int]]] = {}
    for some in _batches(ids):
        rows = connection.execute(
            text(
                """
                SELECT me.id AS id, other.id AS other, there.number - here.number AS away
                FROM chunks me
                JOIN occurrences here ON here.chunk = me.number AND here.session != ''
                JOIN occurrences there ON there.number IN (
                    SELECT number FROM occurrences
                        WHERE session = here.session AND turn = here.turn AND here.turn != ''
                    UNION ALL SELECT * FROM (SELECT o.number FROM occurrences o JOIN chunks c
                        ON c.number = o.chunk AND c.owner = :owner
                        WHERE o.session = here.session AND o.number > here.number
                        AND here.turn = '' ORDER BY o.number LIMIT 1)
                    UNION ALL SELECT * FROM (SELECT o.number FROM occurrences o JOIN chunks c
                        ON c.number = o.chunk AND c.owner = :owner
                        WHERE o.session = here.session AND o.number < here.number
                        AND here.turn = '' ORDER BY o.number DESC LIMIT 1))
                JOIN chunks other ON other.number = there.chunk AND other.owner = :owner
                WHERE me.owner = :owner AND me.id IN :ids AND other.number != me.number
                ORDER BY here.number, there.number
                """
            ).bindparams(bindparam("ids", expanding=True)),
            {"owner": owner, "ids": some},
        )
        for chunk_id, other, away in rows:
            found.setdefault(chunk_id, []).append((other, away))
    return found


def newest_of(
    connection: Connection, owner: str, subjects: Collection[str], now: datetime
) -> dict[str, list[str]]:
    """For each subject the id of its current chunk, and of its newest on another authority.

    The order is `freshness.newest_first`'s, worked out by the database.
    """
    found: dict[str, list[str]] = {}
    for some in _batches(subjects):
        rows = connection.execute(
            text(
                """
                SELECT subject, id FROM (
                    SELECT *, row_number() OVER (
                        PARTITION BY subject, trusted
                        ORDER BY known DESC, holds DESC, at DESC, id DESC) AS place
                    FROM (
                        SELECT subject, id, origin = 'user' AS trusted, created_at <= :now AS known,
                            created_at <= :now AND (about_start IS NULL OR about_start <= :now AND (
                                about_end IN (about_start, created_at) OR about_end > :now
                            )) AS holds,
                            CASE WHEN created_at > :now THEN :now
                                WHEN about_start IS NULL THEN
                                    CASE WHEN checked_at > :now THEN created_at ELSE checked_at END
                                ELSE min(max(created_at, about_start), about_end, :now) END AS at
                        FROM chunks WHERE owner = :owner AND subject IN :subjects))
                WHERE place = 1
                ORDER BY subject, known DESC, holds DESC, trusted DESC, at DESC, id DESC
                """
            ).bindparams(bindparam("subjects", expanding=True)),
            {"owner": owner, "now": to_micros(now), "subjects": some},
        )
        for row in rows:
            found.setdefault(row.subject, []).append(row.id)
    return found


def with_sources(connection: Connection, owner: str, chunks: Iterable[Chunk]) -> dict[str, Chunk]:
    """The owner's chunks given and everything that they were made from, at any depth, by id."""
    found = {chunk.id: chunk for chunk in chunks}
    gone: set[str] = set()
    while wanted := {s for c in found.values() for s in c.derived_from} - found.keys() - gone:
        found.update(by_id(connection, owner, wanted))
        gone |= wanted - found.keys()
    return found


def derived(connection: Connection, owner: str, ids: Collection[str]) -> set[str]:
    """The ids of everything that was made from these chunks, at any depth; not these."""
    found: set[str] = set()
    wanted = set(ids)
    while wanted:
        next_ones: set[str] = set()
        for some in _batches(wanted):
            next_ones.update(
                connection.scalars(
                    select(tables.chunks.c.id)
                    .join_from(
                        tables.chunk_sources,
                        tables.chunks,
                        tables.chunk_sources.c.chunk == tables.chunks.c.number,
                    )
                    .where(tables.chunks.c.owner == owner, tables.chunk_sources.c.source.in_(some))
                )
            )
        wanted = next_ones - found - set(ids)
        found |= wanted
    return found


def states(connection: Connection) -> dict[str, str]:
    """The store's own values: ledger, fingerprint, generation, indexed, last_id, erasing."""
    rows = connection.exec_driver_sql("SELECT name, value FROM memory_state")
    return {row.name: row.value for row in rows}


def set_state(connection: Connection, name: str, value: object) -> None:
    """Keep one of the store's own values."""
    connection.exec_driver_sql(
        "INSERT OR REPLACE INTO memory_state VALUES (?, ?)", (name, str(value))
    )


def renew_index(connection: Connection) -> None:
    """Have the vector index begun anew; what it holds now is not used any more."""
    generation = int(states(connection)["generation"])
    set_state(connection, "generation", generation + 1)
    set_state(connection, "indexed", 0)


def last_vector(connection: Connection) -> int:
    """The number of the last vector written; vectors are numbered in that order."""
    return int(connection.exec_driver_sql("SELECT max(number) FROM vectors").scalar() or 0)


def count(connection: Connection, owner: str | None = None) -> int:
    """How many chunks are stored."""
    query = select(func.count()).select_from(tables.chunks)
    if owner is not None:
        query = query.where(tables.chunks.c.owner == owner)
    return int(connection.scalar(query) or 0)


def _sources(connection: Connection, numbers: Sequence[int]) -> dict[int, list[str]]:
    sources: dict[int, list[str]] = {}
    for some in _batches(numbers):
        rows = connection.exec_driver_sql(
            "SELECT chunk, source FROM chunk_sources"
            f" WHERE chunk IN ({_marks(some)}) ORDER BY chunk, place",
            tuple(some),
        ).all()
        for number, source in rows:
            sources.setdefault(number, []).append(source)
    return sources


def _chunk(row: Row[Any], sources: Sequence[str]) -> Chunk:
    max_age = None if row.max_age is None else timedelta(microseconds=row.max_age)
    about = None
    if row.about_start is not None:
        about = Interval(from_micros(row.about_start), from_micros(row.about_end))
    return Chunk(
        id=row.id,
        kind=row.kind,
        text=row.text,
        scope=Scope(row.owner, row.session, row.turn, row.step),
        created_at=from_micros(row.created_at),
        checked_at=from_micros(row.checked_at),
        about=about,
        subject=row.subject,
        freshness=Freshness(max_age, row.validator, row.tag, row.call),
        origin=row.origin,
        derived_from=tuple(sources),
        tokens=row.tokens,
        copies=row.copies,
    )


def _marks(values: Sequence[object]) -> str:
    return ", ".join("?" * len(values))


def _batches(values: Iterable[_T]) -> Iterable[list[_T]]:
    every = sorted(set(values))  # pyright: ignore
    return (every[start : start + IN_LIMIT] for start in range(0, len(every), IN_LIMIT))
