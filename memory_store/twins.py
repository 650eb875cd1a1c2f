"""Twins: what an import brings under another id although it is here, word for word."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace

from sqlalchemy import Connection, select, update

from memory_store import places, records, tables
from memory_store.chunk import Chunk
from memory_store.freshness import event_time
from memory_store.identity import digest
from memory_store.places import copy_mark
from memory_store.tables import to_micros
from memory_store.writing import Occurrence, Writer

Said = tuple[int, Occurrence]
"""A place in the order of all that a file tells of, and what was said there."""


def find(connection: Connection, owner: str, chunks: Sequence[Chunk]) -> dict[str, str]:
    """Which of these chunks are here under another id, and under which.

    Twins differ in nothing but when and where they were said; sources that are twins count as
    the same. Of a subject nothing else may have been said in between, or it would be history.
    """
    twins = _aliases(connection, owner, [chunk.id for chunk in chunks])
    while True:
        rest = [chunk for chunk in chunks if chunk.id not in twins]
        marks = {chunk.id: digest(owner, with_sources(chunk, twins)) for chunk in rest}
        here = _by_digest(connection, owner, set(marks.values()))
        new = {
            chunk.id: mine.id
            for chunk in rest
            for mine in here.get(marks[chunk.id], ())
            if not _changed_between(connection, owner, mine, chunk, rest)
        }
        if not new:
            return twins
        twins |= new


def with_sources(chunk: Chunk, twins: Mapping[str, str]) -> Chunk:
    """The chunk, made from what is here where that is the twin of a source."""
    sources = dict.fromkeys(twins.get(source, source) for source in chunk.derived_from)
    return replace(chunk, derived_from=tuple(sources))


def say_again(
    writer: Writer, twins: Iterable[tuple[str, Chunk, Sequence[Said]]], forgotten: Collection[bytes]
) -> list[tuple[int, int, Occurrence]]:
    """Count to the chunks here what their twins say; returns what is still to be noted of it.

    What an earlier import told of a twin, or was forgotten here, is not counted.
    """
    connection, owner = writer.connection, writer.owner
    c = tables.chunks.c
    news: list[tuple[int, int, Occurrence]] = []
    for chunk_id, twin, said in twins:
        number = connection.scalar(select(c.number).where(c.id == chunk_id)) or 0
        first = connection.exec_driver_sql(
            "INSERT OR IGNORE INTO chunk_aliases VALUES (?, ?)", (twin.id, number)
        ).rowcount
        here = {} if first else places.of_chunks(connection, owner, [chunk_id])
        known = {(each.session, each.turn, each.step, each.created_at) for each in here.values()}
        new = [
            (order, number, one)
            for order, one in said
            if (where := (one.session, one.turn, one.step, one.created_at)) not in known
            and copy_mark(chunk_id, *where) not in forgotten
        ]
        at = to_micros(twin.checked_at)
        which = update(tables.chunks).where(c.number == number)
        connection.execute(which.values(copies=c.copies + len(new)))
        connection.execute(
            which.where(c.checked_at < at).values(checked_at=at, tag=twin.freshness.tag)
        )
        news += new
    return news


def _aliases(connection: Connection, owner: str, ids: Sequence[str]) -> dict[str, str]:
    rows = connection.exec_driver_sql(
        "SELECT a.id, c.id FROM json_each(?) named JOIN chunk_aliases a ON a.id = named.value"
        " JOIN chunks c ON c.number = a.chunk WHERE c.owner = ?",
        (json.dumps(ids), owner),
    )
    return dict(rows.tuples().all())


def _by_digest(
    connection: Connection, owner: str, marks: Collection[bytes]
) -> dict[bytes, list[Chunk]]:
    c = tables.chunks.c
    found: dict[bytes, list[Chunk]] = {}
    ordered = sorted(marks)
    for start in range(0, len(ordered), records.IN_LIMIT):
        some = ordered[start : start + records.IN_LIMIT]
        query = select(tables.chunks).where(c.owner == owner, c.digest.in_(some)).order_by(c.number)
        for chunk in records.read_chunks(connection, query):
            found.setdefault(digest(owner, chunk), []).append(chunk)
    return found


def _changed_between(
    connection: Connection, owner: str, mine: Chunk, theirs: Chunk, others: Sequence[Chunk]
) -> bool:
    """Whether anything else was said of their subject between the two, here or among `others`."""
    if mine.subject is None:
        return False
    first, last = sorted((event_time(mine), event_time(theirs)))
    here = records.listing(connection, owner, subject=mine.subject)
    there = [chunk for chunk in others if chunk.subject == mine.subject]
    return any(
        first <= event_time(chunk) <= last and chunk.text != mine.text for chunk in here + there
    )
