"""Forgetting: a chunk, all that was made from it, and every byte of either in the home's files."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import Connection, bindparam, select, text

from memory_store import lexical, records, tables
from memory_store.chunk import Chunk, Interval
from memory_store.errors import InvalidInput
from memory_store.identity import tombstone
from memory_store.ledger import Ledger
from memory_store.tables import to_micros

QUOTE = 40
"""A text of at least so many characters that stands word for word in another is quoted there."""

OnForget = Callable[[Connection, Sequence[Chunk]], None]
"""Removes, in the same transaction, what else was kept of these chunks: turns, traces, jobs."""


@dataclass(frozen=True, slots=True)
class Forgotten:
    """What a call of `forget` removed, or would remove.

    Attributes:
        chunks: what the conditions named, oldest first.
        derived: what was made from these or quotes them, and goes with them.
        kept: ids of chunks that were also said elsewhere, and lost only the copy here.
        erased: whether no byte of it is left; False on a dry run, and while another process
            holds the index or the ledger: that one's next step, or its end, erases the rest.
    """

    chunks: tuple[Chunk, ...]
    derived: tuple[Chunk, ...] = ()
    kept: tuple[str, ...] = ()
    dry_run: bool = False
    erased: bool = False


@dataclass(frozen=True, slots=True)
class Selection:
    """Which chunks to forget: those that fit every condition given."""

    ids: Collection[str] = ()
    subject: str | None = None
    session: str | None = None
    query: str | None = None
    within: Interval | None = None

    def check(self) -> None:
        """Refuse a selection of everything by mistake.

        Raises:
            InvalidInput: no condition is given, or the query is blank.
        """
        named = (self.subject, self.session, self.query, self.within)
        if not self.ids and all(value is None for value in named):
            raise InvalidInput("say what to forget: ids, a subject, a session, a query or a time.")
        if self.query is not None and not self.query.strip():
            raise InvalidInput("the query is blank; give words that the texts to forget hold.")


def forget(
    ledger: Ledger,
    owner: str,
    selection: Selection,
    now: datetime,
    callbacks: Sequence[OnForget],
    *,
    dry_run: bool,
) -> Forgotten:
    """Find and, unless on a dry run, remove in one transaction, callbacks included.

    Raises:
        InvalidInput: no condition is given.
    """
    selection.check()
    if dry_run:
        with ledger.read() as connection:
            named, derived, kept = find(connection, owner, selection)
    else:
        with ledger.write() as connection:
            named, derived, kept = find(connection, owner, selection)
            if selection.session is not None:
                remove_copies(connection, kept, selection.session)
            gone = [*named, *derived]
            if gone:
                remove(connection, owner, [chunk.id for chunk in gone], now)
                for callback in callbacks:
                    callback(connection, gone)
    return Forgotten(
        tuple(named), tuple(derived), tuple(chunk.id for chunk in kept), dry_run=dry_run
    )


def find(
    connection: Connection, owner: str, selection: Selection
) -> tuple[list[Chunk], list[Chunk], list[Chunk]]:
    """The chunks to forget, those that go with them, and those that only lose a copy."""
    named = records.listing(
        connection,
        owner,
        subject=selection.subject,
        session=selection.session,
        within=selection.within,
    )
    if selection.ids:
        named = [chunk for chunk in named if chunk.id in set(selection.ids)]
    if selection.query is not None:
        words = _plain(selection.query).split()
        named = [chunk for chunk in named if all(word in _plain(chunk.text) for word in words)]
    kept: list[Chunk] = []
    if selection.session is not None:
        elsewhere = _said_elsewhere(connection, owner, selection.session)
        kept = [chunk for chunk in named if chunk.id in elsewhere]
        named = [chunk for chunk in named if chunk.id not in elsewhere]
    return named, _made_from(connection, owner, named), kept


def remove(connection: Connection, owner: str, ids: Collection[str], now: datetime) -> None:
    """Delete chunks with their passages, words, vectors and places; leave tombstones.

    The vector index is to be begun anew, since Chroma keeps what it deletes in its files.
    """
    p, c = tables.passages.c, tables.chunks.c
    for start in range(0, len(ids), records.IN_LIMIT):
        some = sorted(ids)[start : start + records.IN_LIMIT]
        numbers = list(
            connection.scalars(
                select(p.number)
                .join_from(tables.passages, tables.chunks, p.chunk == c.number)
                .where(c.owner == owner, c.id.in_(some))
            )
        )
        lexical.remove(connection, numbers)
        connection.execute(
            text("DELETE FROM chunks WHERE owner = :owner AND id IN :ids").bindparams(
                bindparam("ids", expanding=True)
            ),
            {"owner": owner, "ids": some},
        )
    connection.exec_driver_sql(
        "INSERT OR IGNORE INTO tombstones VALUES (?, ?)",
        [(tombstone(chunk_id), to_micros(now)) for chunk_id in ids],
    )
    lexical.purge(connection)
    records.renew_index(connection)


def remove_copies(connection: Connection, chunks: Sequence[Chunk], session: str) -> None:
    """Take out that these chunks were also said in `session`."""
    for chunk in chunks:
        connection.execute(
            text(
                "DELETE FROM occurrences WHERE session = :session"
                " AND chunk = (SELECT number FROM chunks WHERE id = :id)"
            ),
            {"session": session, "id": chunk.id},
        )
        # What is left of it is the earliest place that is still known.
        connection.execute(
            text(
                "UPDATE chunks SET (session, turn, step, created_at, copies) = ("
                " SELECT o.session, o.turn, o.step, o.created_at,"
                "   (SELECT count(*) FROM occurrences WHERE chunk = chunks.number)"
                " FROM occurrences o WHERE o.chunk = chunks.number ORDER BY o.number LIMIT 1)"
                " WHERE id = :id"
            ),
            {"id": chunk.id},
        )


def _plain(value: str) -> str:
    return unicodedata.normalize("NFKC", value).casefold()


def _said_elsewhere(connection: Connection, owner: str, session: str) -> set[str]:
    o, c = tables.occurrences.c, tables.chunks.c
    here = select(o.chunk).where(o.session == session)
    return set(
        connection.scalars(
            select(c.id)
            .join_from(tables.occurrences, tables.chunks, o.chunk == c.number)
            .where(c.owner == owner, o.session != session, o.chunk.in_(here))
        )
    )


def _made_from(connection: Connection, owner: str, named: Sequence[Chunk]) -> list[Chunk]:
    """Everything derived from the named, their turns' answers, and what quotes any of them."""
    gone = {chunk.id: chunk for chunk in named}
    fresh = list(named)
    while fresh:
        ids = records.derived(connection, owner, [chunk.id for chunk in fresh])
        ids |= _answers(connection, owner, [chunk for chunk in fresh if chunk.kind == "question"])
        ids |= _quoting(connection, owner, fresh)
        found = records.by_id(connection, owner, ids - gone.keys())
        fresh = list(found.values())
        gone |= found
    named_ids = {chunk.id for chunk in named}
    return sorted((c for c in gone.values() if c.id not in named_ids), key=lambda chunk: chunk.id)


def _answers(connection: Connection, owner: str, questions: Sequence[Chunk]) -> set[str]:
    """The answers given in the questions' turns."""
    return {
        chunk.id
        for question in questions
        if question.scope.turn
        for chunk in records.listing(
            connection,
            owner,
            kind="answer",
            session=question.scope.session,
            turn=question.scope.turn,
        )
    }


def _quoting(connection: Connection, owner: str, chunks: Sequence[Chunk]) -> set[str]:
    return {
        chunk_id
        for chunk in chunks
        if len(chunk.text) >= QUOTE
        for chunk_id in connection.scalars(
            text("SELECT id FROM chunks WHERE owner = :owner AND instr(text, :part) > 0"),
            {"owner": owner, "part": chunk.text},
        )
    }
