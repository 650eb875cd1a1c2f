"""Export and import: a memory as JSON lines, versioned, exact, all of it or nothing.

The first line says what the file is; each further line is one chunk in the order of storing.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, cast

from sqlalchemy import Connection, select

from memory_store import records, tables, twins
from memory_store.checking import check
from memory_store.chunk import Chunk, Draft, Freshness, Interval, Scope
from memory_store.errors import ImportRefused, InvalidInput, NotFound, StorageFull
from memory_store.identity import digest, is_id, tombstone
from memory_store.tables import to_micros
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
    """Write every chunk of the owner to `path`, which is replaced as a whole.

    Raises:
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
    partial = path.with_name(f".{path.name}.partial")
    try:
        with partial.open("w", encoding="utf-8", newline="\n") as file:
            file.write(json.dumps(head, ensure_ascii=False) + "\n")
            for line in _lines(connection, owner):
                file.write(json.dumps(line, ensure_ascii=False) + "\n")
        partial.replace(path)
    except OSError as error:
        partial.unlink(missing_ok=True)
        raise StorageFull(f"{path} cannot be written: {error.strerror}.") from error
    return Transferred(total)


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
    lines = [(n, line) for n, line in enumerate(data.split(b"\n"), 1) if line.strip()]
    if not lines:
        raise ImportRefused(f"{path} is empty; give a file that 'assistant memory export' wrote.")
    head = _parse(path, *lines[0])
    if head.get("format") != FORMAT:
        raise ImportRefused(f"{path}, line 1: not an export of a memory (no format {FORMAT!r}).")
    if head.get("version") != VERSION:
        raise ImportRefused(
            f"{path}, line 1: version {head.get('version')!r}; this program reads {VERSION}."
        )
    if head.get("chunks") != len(lines) - 1:
        raise ImportRefused(
            f"{path}, line {lines[-1][0]}: the file ends after {len(lines) - 1} chunks, but line 1"
            f" announces {head.get('chunks')!r}."
        )
    entries = [
        _entry(path, number, _parse(path, number, line), owner) for number, line in lines[1:]
    ]
    seen: dict[str, int] = {}
    for entry in entries:
        first = seen.setdefault(entry.chunk.id, entry.line)
        if first != entry.line:
            raise ImportRefused(
                f"{path}, line {entry.line}: chunk {entry.chunk.id} stands on line {first} already."
            )
    return entries


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
            number = writer.put(chunk, digest(owner, chunk), ())
            said += [(place, number, occurrence) for place, occurrence in entry.said]
    said += twins.say_again(writer, again, marks)
    for _, number, occurrence in sorted(said, key=lambda one: one[0]):
        writer.occur(number, occurrence)
    writer.flush()
    last = max((entry.chunk.id for entry in entries), default="")
    if last > records.states(connection)["last_id"]:
        records.set_state(connection, "last_id", last)
    return Transferred(len(entries) - known - len(gone), known, len(gone))


@dataclass(frozen=True, slots=True)
class Entry:
    """A chunk of an export file: its line, and (place in the order of all, occurrence) each."""

    line: int
    chunk: Chunk
    said: tuple[tuple[int, Occurrence], ...]


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
        yield from (_line(chunk, said[chunk.id]) for chunk in chunks)


def _line(chunk: Chunk, said: list[list[Any]]) -> dict[str, Any]:
    contract, about = chunk.freshness, chunk.about
    return {
        "id": chunk.id,
        "kind": chunk.kind,
        "text": chunk.text,
        "session": chunk.scope.session,
        "turn": chunk.scope.turn,
        "step": chunk.scope.step,
        "created_at": chunk.created_at.isoformat(),
        "checked_at": chunk.checked_at.isoformat(),
        "about": None if about is None else [about.start.isoformat(), about.end.isoformat()],
        "subject": chunk.subject,
        "max_age": None if contract.max_age is None else contract.max_age.total_seconds(),
        "validator": contract.validator,
        "tag": contract.tag,
        "call": contract.call,
        "origin": chunk.origin,
        "derived_from": list(chunk.derived_from),
        "tokens": chunk.tokens,
        "copies": chunk.copies,
        "said": said,
    }


def _parse(path: Path, number: int, line: bytes) -> dict[str, Any]:
    try:
        value = json.loads(line)
    except ValueError as error:
        raise ImportRefused(f"{path}, line {number}: not JSON ({error}).") from error
    if not isinstance(value, dict):
        raise ImportRefused(f"{path}, line {number}: not a JSON object.")
    return cast("dict[str, Any]", value)


def _entry(path: Path, number: int, value: dict[str, Any], owner: str) -> Entry:
    try:
        chunk = _chunk(value, owner)
        said = tuple(
            (int(place), Occurrence(str(session), str(turn), int(step), int(at)))
            for place, session, turn, step, at in value["said"]
        )
        if not said or chunk.copies < 1:
            raise InvalidInput("it was said nowhere.")
    except KeyError as error:
        raise ImportRefused(f"{path}, line {number}: {error.args[0]} is missing.") from error
    except (AttributeError, TypeError, ValueError, OverflowError) as error:
        raise ImportRefused(f"{path}, line {number}: {error}") from error
    return Entry(number, chunk, said)


def _chunk(value: dict[str, Any], owner: str) -> Chunk:
    max_age, about = value["max_age"], value["about"]
    draft = Draft(
        kind=value["kind"],
        text=value["text"],
        session=value["session"],
        turn=value["turn"],
        step=int(value["step"]),
        created_at=datetime.fromisoformat(value["created_at"]),
        about=None if about is None else Interval(*map(datetime.fromisoformat, about)),
        subject=value["subject"],
        freshness=Freshness(
            None if max_age is None else timedelta(seconds=max_age),
            value["validator"],
            value["tag"],
            value["call"],
        ),
        origin=value["origin"],
        derived_from=tuple(value["derived_from"]),
    )
    check(draft)
    if not is_id(value["id"]):
        raise InvalidInput(f"id {value['id']!r} is not a chunk id.")
    checked_at = datetime.fromisoformat(value["checked_at"])
    to_micros(checked_at)  # raises where it has no time zone
    return Chunk(
        id=value["id"],
        kind=draft.kind,
        text=draft.text,
        scope=Scope(owner, draft.session, draft.turn, draft.step),
        created_at=cast("datetime", draft.created_at),
        checked_at=checked_at,
        about=draft.about,
        subject=draft.subject,
        freshness=draft.freshness,
        origin=draft.origin,
        derived_from=draft.derived_from,
        tokens=int(value["tokens"]),
        copies=int(value["copies"]),
    )


def _taken(connection: Connection, ids: Sequence[str]) -> set[str]:
    """Which of these ids are in use, by any owner."""
    c = tables.chunks.c
    found: set[str] = set()
    for start in range(0, len(ids), records.IN_LIMIT):
        some = ids[start : start + records.IN_LIMIT]
        found.update(connection.scalars(select(c.id).where(c.id.in_(some))))
    return found


def _same(mine: Chunk | None, theirs: Chunk) -> bool:
    """Whether they are one chunk; how often it was said and checked may have moved on."""
    if mine is None:
        return False
    return (mine.kind, mine.text, mine.created_at) == (theirs.kind, theirs.text, theirs.created_at)
