"""Export and import: a memory as JSON lines, versioned, exact, all of it or nothing.

The first line says what the file is; each further line is one chunk in the order of storing.
"""

from __future__ import annotations

import errno
import json
import os
from codecs import BOM_UTF8
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from graphlib import CycleError, TopologicalSorter
from itertools import chain
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, select

from memory_store import records, tables, twins
from memory_store.chunk import Chunk
from memory_store.errors import ImportRefused, InvalidInput, NotFound, StorageFull
from memory_store.exported import Entry, Head, line_of, parse, read_line
from memory_store.identity import digest, tombstone
from memory_store.writing import Occurrence, Writer

FORMAT = "memory-store"
VERSION = 1
BATCH = 500


@dataclass(frozen=True, slots=True)
class Transferred:
    """What an export or import did.

    Attributes:
        chunks: how many were written to the file, or taken in from it.
        known: how many of the file's were here already, be it under another id.
        forgotten: how many were left out because they had been forgotten here.
    """

    chunks: int
    known: int = 0
    forgotten: int = 0


def export(connection: Connection, owner: str, path: Path, now: datetime) -> Transferred:
    """Write every chunk of the owner to `path`: a file is replaced as a whole, a pipe written to.

    Raises:
        InvalidInput: no file can have such a name.
        StorageFull: the file cannot be written.
    """
    total = records.count(connection, owner)
    head = {
        "format": FORMAT,
        "version": VERSION,
        "owner": owner,
        "exported_at": now.isoformat(),
        "chunks": total,
        "tombstones": sorted(mark.hex() for mark in tombstones(connection)),
    }
    try:
        _write(path.resolve(), head, _lines(connection, owner))
    except OSError as error:
        kind = InvalidInput if error.errno == errno.ENAMETOOLONG else StorageFull
        raise kind(f"{path} cannot be written: {error.strerror}.") from error
    return Transferred(total)


def _write(path: Path, head: dict[str, Any], lines: Iterable[dict[str, Any]]) -> None:
    special = path.exists() and not path.is_file()  # a device or a pipe can only be written to
    partial = path if special else path.with_name(f".export-{os.getpid()}.partial")
    try:
        with partial.open("w", encoding="utf-8", newline="\n") as file:
            for line in chain([head], lines):
                file.write(json.dumps(line, ensure_ascii=False) + "\n")
        if not special:
            partial.replace(path)
    except BaseException:
        if not special:
            partial.unlink(missing_ok=True)
        raise


def tombstones(connection: Connection) -> set[bytes]:
    """The marks of what was forgotten here."""
    return set(connection.scalars(select(tables.tombstones.c.digest)))


def read(path: Path, owner: str) -> list[Entry]:
    """Read and check a whole export file.

    Raises:
        NotFound: there is no such file.
        ImportRefused: it is not an export, or a line is broken; the message names the line.
    """
    try:
        data = path.read_bytes()
    except OSError as error:
        raise NotFound(f"{path} cannot be read: {error.strerror}.") from error
    data = data.removeprefix(BOM_UTF8)
    lines = [(n, line) for n, line in enumerate(data.split(b"\n"), 1) if line.strip()]
    if not lines:
        raise ImportRefused(f"{path} is empty; give a file that 'assistant memory export' wrote.")
    entries: list[Entry] = []
    for number, line in lines:
        try:
            if number == lines[0][0]:
                _check_head(parse(Head, line), len(lines) - 1)
            else:
                entries.append(read_line(number, line, owner))
        except InvalidInput as error:
            raise ImportRefused(f"{path}, line {number}: {error}") from error
    seen: dict[str, int] = {}
    for entry in entries:
        first = seen.setdefault(entry.chunk.id, entry.line)
        if first != entry.line:
            raise ImportRefused(
                f"{path}, line {entry.line}: chunk {entry.chunk.id} stands on line {first} already."
            )
    return entries


def _check_head(head: Head, chunks: int) -> None:
    if head.format != FORMAT:
        raise InvalidInput(f"not an export of a memory (no format {FORMAT!r}).")
    if head.version != VERSION:
        raise InvalidInput(f"version {head.version}; this program reads {VERSION}.")
    if head.chunks != chunks:
        raise InvalidInput(f"it announces {head.chunks} chunks, but the file holds {chunks}.")


def take_in(writer: Writer, entries: Sequence[Entry], path: Path) -> Transferred:
    """Store the entries in one transaction; what was forgotten here stays forgotten.

    What is here under another id is not stored twice: where it was said is counted to the chunk
    that is here, and what was made from it refers to that one.

    Raises:
        ImportRefused: an id is taken by something else; the message names the line.
    """
    connection, owner = writer.connection, writer.owner
    marks = tombstones(connection)
    gone: set[str] = set()
    known = 0
    said: list[tuple[int, int, Occurrence]] = []
    here = _taken(connection, [entry.chunk.id for entry in entries])
    mine = records.by_id(connection, owner, here)
    twin = twins.find(connection, owner, [e.chunk for e in entries if e.chunk.id not in here])
    again: list[tuple[str, Chunk, Sequence[twins.Said]]] = []
    new: list[Chunk] = []
    for entry in entries:
        chunk = entry.chunk
        if tombstone(chunk.id) in marks or gone.intersection(chunk.derived_from):
            gone.add(chunk.id)
        elif chunk.id in here:
            if not _same(mine.get(chunk.id), chunk):
                raise ImportRefused(
                    f"{path}, line {entry.line}: chunk {chunk.id} exists here and says otherwise."
                )
            known += 1
        elif chunk.id in twin:
            again.append((twin[chunk.id], chunk, entry.said))
            known += 1
        else:
            chunk = twins.with_sources(chunk, twin)
            new.append(chunk)
            number = writer.put(chunk, digest(owner, chunk), ())
            said += [(place, number, occurrence) for place, occurrence in entry.said]
    said += twins.say_again(writer, again, marks)
    for _, number, occurrence in sorted(said, key=lambda one: one[0]):
        writer.occur(number, occurrence)
    writer.flush()
    _refuse_circle(connection, owner, new, entries, path)
    last = max((entry.chunk.id for entry in entries), default="")
    if last > records.states(connection)["last_id"]:
        records.set_state(connection, "last_id", last)
    return Transferred(len(entries) - known - len(gone), known, len(gone))


def _refuse_circle(
    connection: Connection, owner: str, new: Sequence[Chunk], entries: Sequence[Entry], path: Path
) -> None:
    """Refuse what was made from itself, be it by way of what is here."""
    family = records.with_sources(connection, owner, new)
    try:
        TopologicalSorter({c.id: c.derived_from for c in family.values()}).prepare()
    except CycleError as error:
        line = next(entry.line for entry in entries if entry.chunk.id in error.args[1])
        raise ImportRefused(f"{path}, line {line}: the chunk was made from itself.") from error


def _lines(connection: Connection, owner: str) -> Iterator[dict[str, Any]]:
    c, o = tables.chunks.c, tables.occurrences.c
    after = ""
    while True:
        query = (
            select(tables.chunks).where(c.owner == owner, c.id > after).order_by(c.id).limit(BATCH)
        )
        chunks = records.read_chunks(connection, query)
        if not chunks:
            return
        after = chunks[-1].id
        said: dict[str, list[list[Any]]] = {chunk.id: [] for chunk in chunks}
        for chunk_id, *place in connection.execute(
            select(c.id, o.number, o.session, o.turn, o.step, o.created_at)
            .join_from(tables.occurrences, tables.chunks, o.chunk == c.number)
            .where(c.id.in_(said))
            .order_by(o.number)
        ):
            said[chunk_id].append(place)
        yield from (line_of(chunk, said[chunk.id]) for chunk in chunks)


def _taken(connection: Connection, ids: Sequence[str]) -> set[str]:
    """Which of these ids are in use, by any owner."""
    c = tables.chunks.c
    found: set[str] = set()
    for start in range(0, len(ids), records.IN_LIMIT):
        some = ids[start : start + records.IN_LIMIT]
        found.update(connection.scalars(select(c.id).where(c.id.in_(some))))
    return found


def _same(mine: Chunk | None, theirs: Chunk) -> bool:
    """Whether they are one chunk; where and when it was said and checked may have moved on."""
    if mine is None:
        return False
    return (mine.kind, mine.text, mine.subject, mine.origin, mine.about) == (
        theirs.kind,
        theirs.text,
        theirs.subject,
        theirs.origin,
        theirs.about,
    )
