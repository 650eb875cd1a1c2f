"""Forgetting: a chunk, all that was made from it, and every byte of either in the home's files."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from sqlalchemy import Connection, text

from memory_store import places, records
from memory_store.chunk import Chunk, Interval
from memory_store.errors import InvalidInput
from memory_store.ledger import Ledger
from memory_store.places import Place
from memory_store.terms import runs, terms

QUOTE = 40
"""A text of at least so many characters that stands word for word in another is quoted there."""

OnForget = Callable[[Connection, Sequence[Chunk]], None]
"""Removes, in the same transaction, what else was kept of these chunks: turns, traces, jobs.

They come once for each place where they were said, see `places.remove`."""


@dataclass(frozen=True, slots=True)
class Forgotten:
    """What a call of `forget` removed, or would remove.

    Attributes:
        chunks: what the conditions named, oldest first.
        derived: what was made from these or quotes them, and goes with them.
        kept: ids of chunks that were also said elsewhere, and lost only these copies.
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
            InvalidInput: no condition is given, or one is empty.
        """
        named = (self.subject, self.session, self.query, self.within)
        if not self.ids and all(value is None for value in named):
            raise InvalidInput("say what to forget: ids, a subject, a session, a query or a time.")
        for name in ("subject", "session", "query"):
            if (value := getattr(self, name)) is not None and not value.strip():
                raise InvalidInput(f"the {name} is empty; leave it out or say which.")
        if self.query is not None and not terms(self.query):
            raise InvalidInput(f"the query {self.query!r:.60} holds no word; give words or digits.")


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
            found = _find(connection, owner, selection)
            return replace(_forgotten(connection, owner, *found), dry_run=True)
    with ledger.write() as connection:
        named, taken = _find(connection, owner, selection)
        done = _forgotten(connection, owner, named, taken)
        if taken:
            gone = places.remove(connection, owner, taken, now)
            for callback in callbacks:
                callback(connection, gone)
    return done


def _find(
    connection: Connection, owner: str, selection: Selection
) -> tuple[set[str], dict[int, Place]]:
    """The ids that the selection names, and every place that is to be forgotten.

    A session and a time name what was said there and then; what was said elsewhere too stays.
    With a place goes what else was said in its turn if it is a question's, and with a chunk that
    is said nowhere else what was made from it or quotes it.
    """
    named = {chunk.id for chunk in _named(connection, owner, selection)}
    fresh = places.of_chunks(
        connection, owner, named, session=selection.session, within=selection.within
    )
    taken: dict[int, Place] = {}
    gone: set[str] = set()
    while fresh:
        taken |= fresh
        whole = places.only_there(connection, owner, taken) - gone
        gone |= whole
        made = records.derived(connection, owner, whole) | _quoting(connection, owner, whole)
        more = places.of_chunks(connection, owner, made)
        more |= places.of_turns(connection, owner, fresh)
        fresh = {number: place for number, place in more.items() if number not in taken}
    return named, taken


def _named(connection: Connection, owner: str, selection: Selection) -> list[Chunk]:
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
        words, parts = set(terms(selection.query)), runs(selection.query)
        named = [chunk for chunk in named if _holds(chunk, words, parts)]
    return named


def _holds(chunk: Chunk, words: Collection[str], parts: Sequence[str]) -> bool:
    """Whether a chunk's text, or the call that it came of, holds the words, and whole the runs."""
    said = f"{chunk.text}\n{chunk.freshness.call or ''}"
    if not set(words) <= set(terms(said)):
        return False
    return all(any(part in run for run in runs(said)) for part in parts)


def _forgotten(
    connection: Connection, owner: str, named: Collection[str], taken: Mapping[int, Place]
) -> Forgotten:
    gone = places.only_there(connection, owner, taken)
    found = records.by_id(connection, owner, gone)
    chunks = [found[chunk_id] for chunk_id in sorted(found)]
    return Forgotten(
        tuple(chunk for chunk in chunks if chunk.id in named),
        tuple(chunk for chunk in chunks if chunk.id not in named),
        tuple(sorted({place.chunk_id for place in taken.values()} - gone)),
    )


def _quoting(connection: Connection, owner: str, ids: Collection[str]) -> set[str]:
    return {
        chunk_id
        for chunk in records.by_id(connection, owner, ids).values()
        if len(chunk.text) >= QUOTE
        for chunk_id in connection.scalars(
            text("SELECT id FROM chunks WHERE owner = :owner AND instr(text, :part) > 0"),
            {"owner": owner, "part": chunk.text},
        )
    }
