"""Places: each time that a chunk was said, and how some of them, or all, are taken out."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from datetime import datetime

from sqlalchemy import Connection, func, select, text

from memory_store import erasure, lexical, records, tables
from memory_store.chunk import Chunk, Interval, Scope
from memory_store.identity import tombstone
from memory_store.tables import from_micros, to_micros


@dataclass(frozen=True, slots=True)
class Place:
    """One time that a chunk was said: a row of the occurrences."""

    number: int
    chunk_id: str
    session: str
    turn: str
    step: int
    created_at: int

    @property
    def mark(self) -> bytes:
        """The tombstone of this copy of a chunk that was said elsewhere too."""
        return copy_mark(self.chunk_id, self.session, self.turn, self.step, self.created_at)


def copy_mark(chunk_id: str, session: str, turn: str, step: int, created_at: int) -> bytes:
    """The tombstone of the copy of a chunk that was said there and then."""
    return tombstone(f"{chunk_id} {session} {turn} {step} {created_at}")


def of_chunks(
    connection: Connection,
    owner: str,
    ids: Collection[str] | None = None,
    *,
    session: str | None = None,
    within: Interval | None = None,
) -> dict[int, Place]:
    """Where these chunks of the owner, or all, were said: there and then, if given; by number."""
    c, o = tables.chunks.c, tables.occurrences.c
    query = (
        select(o.number, c.id, o.session, o.turn, o.step, o.created_at)
        .join_from(tables.occurrences, tables.chunks, o.chunk == c.number)
        .where(c.owner == owner, *records.said(session, None, within))
    )
    if ids is not None:
        named = func.json_each(json.dumps(sorted(ids))).table_valued("value")
        query = query.where(c.id.in_(select(named.c.value)))
    return {row[0]: Place(*row) for row in connection.execute(query).tuples()}


def of_turns(connection: Connection, owner: str, asked: Collection[int]) -> dict[int, Place]:
    """What was said in the turns of those of these places that are a question's; no questions."""
    rows = connection.exec_driver_sql(
        "SELECT o.number, c.id, o.session, o.turn, o.step, o.created_at FROM json_each(?) asked"
        " JOIN occurrences a ON a.number = asked.value AND a.turn != ''"
        " JOIN chunks q ON q.number = a.chunk AND q.kind = 'question'"
        " JOIN occurrences o ON o.session = a.session AND o.turn = a.turn"
        " JOIN chunks c ON c.number = o.chunk AND c.kind != 'question' AND c.owner = ?",
        (json.dumps(sorted(asked)), owner),
    )
    return {row[0]: Place(*row) for row in rows}


def only_there(connection: Connection, owner: str, taken: Mapping[int, Place]) -> set[str]:
    """The ids of the chunks that were said nowhere but in these places."""
    ids = {place.chunk_id for place in taken.values()}
    every = of_chunks(connection, owner, ids)
    return ids - {place.chunk_id for number, place in every.items() if number not in taken}


def remove(
    connection: Connection, owner: str, taken: Mapping[int, Place], now: datetime
) -> list[Chunk]:
    """Take out these copies, and the chunks of which none is left; leave tombstones.

    The vector index is to be begun anew, since Chroma keeps what it deletes in its files. Until
    `erasure.erase` has rewritten the files, the ledger says that they still hold it.

    Returns:
        Each copy as its chunk was said there, `copies` being how many are left: 0 where the
        chunk is gone.
    """
    chunks = records.by_id(connection, owner, {place.chunk_id for place in taken.values()})
    gone = only_there(connection, owner, taken)
    lost = [place for place in taken.values() if place.chunk_id not in gone]
    marks = [*map(tombstone, _names(connection, gone)), *(place.mark for place in lost)]
    _delete(connection, gone, lost)
    mark(connection, marks, now)
    lexical.purge(connection)
    records.renew_index(connection)
    erasure.announce(connection)
    left = records.by_id(connection, owner, chunks.keys() - gone)
    return [
        replace(
            left.get(place.chunk_id, chunks[place.chunk_id]),
            scope=Scope(owner, place.session, place.turn, place.step),
            created_at=from_micros(place.created_at),
            copies=left[place.chunk_id].copies if place.chunk_id in left else 0,
        )
        for _, place in sorted(taken.items())
    ]


def mark(connection: Connection, marks: Collection[bytes], now: datetime) -> None:
    """Keep these tombstones."""
    if marks:
        connection.exec_driver_sql(
            "INSERT OR IGNORE INTO tombstones VALUES (?, ?)",
            [(each, to_micros(now)) for each in sorted(marks)],
        )


def forgotten(connection: Connection, ids: Collection[str]) -> set[str]:
    """Which of these chunk ids were forgotten."""
    return {
        chunk_id
        for chunk_id in ids
        if connection.exec_driver_sql(
            "SELECT 1 FROM tombstones WHERE digest = ?", (tombstone(chunk_id),)
        ).first()
    }


def _names(connection: Connection, ids: Collection[str]) -> list[str]:
    """These ids, and those under which an import brought the same texts."""
    others = connection.exec_driver_sql(
        "SELECT a.id FROM json_each(?) gone JOIN chunks c ON c.id = gone.value"
        " JOIN chunk_aliases a ON a.chunk = c.number",
        (json.dumps(sorted(ids)),),
    )
    return [*ids, *others.scalars()]


def _delete(connection: Connection, gone: Collection[str], lost: Collection[Place]) -> None:
    ids = json.dumps(sorted(gone))
    passages = connection.exec_driver_sql(
        "SELECT p.number FROM json_each(?) gone JOIN chunks c ON c.id = gone.value"
        " JOIN passages p ON p.chunk = c.number",
        (ids,),
    )
    lexical.remove(connection, list(passages.scalars()))
    connection.exec_driver_sql(
        "DELETE FROM chunks WHERE id IN (SELECT value FROM json_each(?))", (ids,)
    )
    connection.exec_driver_sql(
        "DELETE FROM occurrences WHERE number IN (SELECT value FROM json_each(?))",
        (json.dumps([place.number for place in lost]),),
    )
    for chunk_id in sorted({place.chunk_id for place in lost}):
        # What is left of it is the earliest place that is still known.
        connection.execute(
            text(
                "UPDATE chunks SET (session, turn, step, created_at, event_at, copies) = ("
                " SELECT o.session, o.turn, o.step, o.created_at,"
                "   coalesce(chunks.about_start, o.created_at),"
                "   (SELECT count(*) FROM occurrences WHERE chunk = chunks.number)"
                " FROM occurrences o WHERE o.chunk = chunks.number ORDER BY o.number LIMIT 1)"
                " WHERE id = :id"
            ),
            {"id": chunk_id},
        )
