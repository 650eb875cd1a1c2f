"""Putting drafts into the ledger: said-again counted, ids in order, one transaction."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, insert, select, update

from memory_store import lexical, passages, places, records, tables
from memory_store.chunk import Chunk, Draft, Scope, to_utc
from memory_store.freshness import event_time
from memory_store.identity import digest, new_ids, tombstone
from memory_store.tables import to_micros


@dataclass(frozen=True, slots=True)
class Occurrence:
    """One time that a chunk's text was said. Times are microseconds, see `tables`."""

    session: str
    turn: str
    step: int
    created_at: int


@dataclass(slots=True)
class Writer:
    """Writes chunks within one transaction of the caller's.

    Attributes:
        now: what `created_at` is where a draft gives none, UTC.
        window: the most characters of one passage.
    """

    connection: Connection
    owner: str
    now: datetime
    window: int
    _numbers: dict[str, int] = field(default_factory=dict[str, int])
    _rows: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])
    _sources: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])
    _said: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])
    _parts: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])
    _words: list[tuple[int, str, str]] = field(default_factory=list[tuple[int, str, str]])

    def write(self, drafts: Sequence[Draft], tokens: Sequence[int]) -> list[Chunk]:
        """Store checked drafts and return the chunk of each, in their order.

        What was made from a forgotten chunk, such as an answer that was under way, is forgotten
        at once: nothing of it is written, and its chunk has no copies.
        """
        sources = {source for draft in drafts for source in draft.derived_from}
        gone = places.forgotten(self.connection, sources)
        digests = [digest(self.owner, draft) for draft in drafts]
        twins = self._twins(digests)
        last_id = records.states(self.connection)["last_id"]
        ids = new_ids(self.now, last_id)
        made: dict[str, Chunk] = {}
        result: list[str] = []
        lost: list[str] = []
        for draft, mark, size in zip(drafts, digests, tokens, strict=True):
            twin = twins.get(mark)
            if not gone.isdisjoint(draft.derived_from):
                twin = next(ids)
                made[twin] = replace(self._chunk(twin, draft, size), copies=0)
                lost.append(twin)
            elif twin is not None and self._still_current(twin, draft.subject):
                self._say_again(twin, draft)
                made.pop(twin, None)  # it has one more copy now
            else:
                twin = twins[mark] = next(ids)
                made[twin] = self._chunk(twin, draft, size)
                self.put(made[twin], mark)
            result.append(twin)
        self.flush()
        places.mark(self.connection, [tombstone(each) for each in lost], self.now)
        if result:
            records.set_state(self.connection, "last_id", max(last_id, *result))
        made |= records.by_id(self.connection, self.owner, set(result) - made.keys())
        return [made[chunk_id] for chunk_id in result]

    def put(self, chunk: Chunk, mark: bytes, said: Sequence[Occurrence] | None = None) -> int:
        """Store a whole chunk with its passages, and return its row number.

        Args:
            said: where it was said; None where its own scope is the one place. An empty
                sequence leaves that to the caller.
        """
        number = self._next("chunks")
        self._rows.append(_row(number, chunk, mark))
        self._sources += [
            {"chunk": number, "place": place, "source": source}
            for place, source in enumerate(chunk.derived_from)
        ]
        for part in _passages(chunk, self.window):
            row = self._next("passages")
            header = _header(chunk, self.window)
            self._parts.append(
                {
                    "number": row,
                    "chunk": number,
                    "place": part.number,
                    "total": part.total,
                    "start": part.start,
                    "end": part.end,
                    "header": header,
                    "embedded": 0,
                }
            )
            self._words.append((row, self.owner, part.text))
        scope = chunk.scope
        own = Occurrence(scope.session, scope.turn, scope.step, to_micros(chunk.created_at))
        for occurrence in [own] if said is None else said:
            self.occur(number, occurrence)
        return number

    def occur(self, number: int, occurrence: Occurrence) -> None:
        """Note one more time that a chunk was said."""
        self._said.append(
            {
                "chunk": number,
                "session": occurrence.session,
                "turn": occurrence.turn,
                "step": occurrence.step,
                "created_at": occurrence.created_at,
            }
        )

    def flush(self) -> None:
        """Send what is noted to the database."""
        for table, rows in (
            (tables.chunks, self._rows),
            (tables.chunk_sources, self._sources),
            (tables.occurrences, self._said),
            (tables.passages, self._parts),
        ):
            if rows:
                self.connection.execute(insert(table), rows)
                rows.clear()
        if self._words:
            lexical.add(self.connection, self._words)
            self._words.clear()

    def _chunk(self, chunk_id: str, draft: Draft, tokens: int) -> Chunk:
        at = self._at(draft)
        return Chunk(
            id=chunk_id,
            kind=draft.kind,
            text=draft.text,
            scope=Scope(self.owner, draft.session, draft.turn, draft.step),
            created_at=at,
            checked_at=at,
            about=draft.about,
            subject=draft.subject,
            freshness=draft.freshness,
            origin=draft.origin,
            derived_from=tuple(draft.derived_from),
            tokens=tokens,
        )

    def _at(self, draft: Draft) -> datetime:
        return self.now if draft.created_at is None else to_utc(draft.created_at)

    def _twins(self, digests: Sequence[bytes]) -> dict[bytes, str]:
        c = tables.chunks.c
        found: dict[bytes, str] = {}
        for start in range(0, len(digests), records.IN_LIMIT):
            some = digests[start : start + records.IN_LIMIT]
            rows = self.connection.execute(
                select(c.digest, c.id)
                .where(c.owner == self.owner, c.digest.in_(some))
                .order_by(c.number)
            )
            found.update(dict(rows.tuples().all()))
        return found

    def _still_current(self, chunk_id: str, subject: str | None) -> bool:
        """Whether saying it again confirms it, rather than going back to what once was."""
        if subject is None:
            return True
        self.flush()
        newest = records.newest_of(self.connection, self.owner, [subject], self.now)
        return newest.get(subject, [""])[0] == chunk_id

    def _say_again(self, chunk_id: str, draft: Draft) -> None:
        self.flush()
        c = tables.chunks.c
        at = to_micros(self._at(draft))
        which = update(tables.chunks).where(c.id == chunk_id)
        self.connection.execute(which.values(copies=c.copies + 1))
        # The source has said the same again: its clock is restarted (RFC 9111, 4.3.4).
        self.connection.execute(
            which.where(c.checked_at <= at).values(checked_at=at, tag=draft.freshness.tag)
        )
        number = self.connection.scalar(select(c.number).where(c.id == chunk_id))
        self.occur(number or 0, Occurrence(draft.session, draft.turn, draft.step, at))

    def _next(self, table: str) -> int:
        """The next row number of `table`; nobody else writes during the transaction."""
        if table not in self._numbers:
            last = self.connection.exec_driver_sql(
                "SELECT max(seq) FROM sqlite_sequence WHERE name = ?", (table,)
            ).scalar()
            self._numbers[table] = int(last or 0)
        self._numbers[table] += 1
        return self._numbers[table]


def _header(chunk: Chunk, window: int) -> str:
    """What stands before each part of a long text: its date and who said it."""
    if len(chunk.text) <= window:
        return ""
    return f"{chunk.created_at:%Y-%m-%d} {chunk.origin}:"


def _passages(chunk: Chunk, window: int) -> list[passages.PassageText]:
    return passages.split(chunk.text, header=_header(chunk, window), window=window)


def _row(number: int, chunk: Chunk, mark: bytes) -> dict[str, Any]:
    contract, about, scope = chunk.freshness, chunk.about, chunk.scope
    max_age = contract.max_age
    return {
        "number": number,
        "id": chunk.id,
        "owner": scope.owner,
        "kind": chunk.kind,
        "text": chunk.text,
        "session": scope.session,
        "turn": scope.turn,
        "step": scope.step,
        "created_at": to_micros(chunk.created_at),
        "checked_at": to_micros(chunk.checked_at),
        "about_start": None if about is None else to_micros(about.start),
        "about_end": None if about is None else to_micros(about.end),
        "event_at": to_micros(event_time(chunk)),
        "subject": chunk.subject,
        "max_age": None if max_age is None else max_age // tables.MICROSECOND,
        "validator": contract.validator,
        "tag": contract.tag,
        "call": contract.call,
        "origin": chunk.origin,
        "tokens": chunk.tokens,
        "copies": chunk.copies,
        "digest": mark,
    }
