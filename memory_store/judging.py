"""Judging chunks with all that the ledger knows: newest of subject, sources, validators."""

from __future__ import annotations

import logging
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from graphlib import CycleError, TopologicalSorter

from sqlalchemy import Connection, update

from memory_store import records, tables
from memory_store.chunk import Chunk
from memory_store.freshness import Judgement, Verdict, held_last, holds, judge
from memory_store.ledger import Ledger
from memory_store.protocols import Validator
from memory_store.tables import to_micros

_log = logging.getLogger(__name__)


def judge_all(
    ledger: Ledger, owner: str, ids: Collection[str], now: datetime, validator: Validator | None
) -> dict[str, Judgement]:
    """Judge the owner's chunks of these ids; unknown ids are left out.

    A source that is found to be unchanged has its clock restarted, durably.
    """
    hearing = Hearing(owner, now, validator)
    with ledger.read() as connection:
        hearing.take(connection, records.by_id(connection, owner, ids).values())
    judgements = {id_: hearing.decide(id_) for id_ in ids if id_ in hearing.judged}
    hearing.restart(ledger)
    return judgements


def judge_stored(
    connection: Connection, owner: str, ids: Collection[str], now: datetime
) -> dict[str, Judgement]:
    """Judge the owner's chunks from the ledger alone: no validator is asked, nothing written."""
    hearing = Hearing(owner, now, None)
    hearing.take(connection, records.by_id(connection, owner, ids).values())
    return {id_: hearing.judged[id_] for id_ in ids if id_ in hearing.judged}


class Hearing:
    """Judges chunks from the ledger alone, and asks validators only of those that it decides.

    Attributes:
        judged: how every chunk taken in stands so far, with its sources.
    """

    def __init__(self, owner: str, now: datetime, validator: Validator | None) -> None:
        self._owner = owner
        self._validator = validator
        self._case = Case(now, {}, {})
        self.judged: dict[str, Judgement] = {}

    def take(self, connection: Connection, chunks: Iterable[Chunk]) -> None:
        """Take in the owner's chunks, with all that they were made from."""
        known = records.with_sources(connection, self._owner, chunks)
        known = {id_: chunk for id_, chunk in known.items() if id_ not in self.judged}
        self._case.known.update(known)
        self._case.rivals.update(_rivals(connection, self._owner, known, self._case.now))
        self.judged.update(self._case.judge())

    def open(self, chunk_id: str) -> bool:
        """Whether a validator has yet to be asked before the chunk's verdict is known."""
        return bool(self._to_ask(chunk_id))

    def decide(self, chunk_id: str) -> Judgement:
        """The chunk's verdict, after its own and its sources' validators were asked, once each."""
        asked = self._to_ask(chunk_id)
        for source in asked:
            self._case.tags[source] = _ask(self._validator, self._case.known[source])
        if asked:
            self._case.reopen()
            self.judged = self._case.judge()
        return self.judged[chunk_id]

    def against(self, chunk_id: str) -> tuple[Chunk, ...]:
        """What says otherwise than the chunk on another authority."""
        subject = self._case.known[chunk_id].subject or ""
        rivals, ids = self._case.rivals.get(subject, ()), self.judged[chunk_id].conflicts_with
        return tuple(chunk for chunk in rivals if chunk.id in ids)

    def restart(self, ledger: Ledger) -> None:
        """Restart, durably, the clocks of those whose source was found to be unchanged."""
        known, tags = self._case.known, self._case.tags
        same = [id_ for id_, tag in tags.items() if tag == known[id_].freshness.tag]
        _restart(ledger, [known[id_] for id_ in same], self._case.now)

    def _to_ask(self, chunk_id: str) -> list[str]:
        """Of the chunk and its sources those that a validator could save, and has not judged."""
        if self._validator is None or self.judged[chunk_id].verdict is not Verdict.STALE:
            return []
        case, line = self._case, [chunk_id]
        for id_ in line:  # grows as sources are found
            line += [s for s in case.known[id_].derived_from if s in case.known and s not in line]
        return [id_ for id_ in line if id_ not in case.tags and _expired(case.known[id_], case.now)]


@dataclass(slots=True)
class Case:
    """All that is known about some chunks; judging it is pure.

    Attributes:
        known: the chunks by id, with every source of theirs that is still stored.
        rivals: for each subject its current chunk, then its newest on the other authority.
        tags: what validators say of the chunks that were asked about.
    """

    now: datetime
    known: dict[str, Chunk]
    rivals: dict[str, list[Chunk]]
    tags: dict[str, str | None] = field(default_factory=dict[str, str | None])
    _done: dict[str, Judgement] = field(default_factory=dict[str, Judgement])

    def judge(self) -> dict[str, Judgement]:
        """Judge every known chunk, its sources before it; a circle takes the strictest in it."""
        sources = {
            id_: [source for source in chunk.derived_from if source in self.known]
            for id_, chunk in self.known.items()
            if id_ not in self._done
        }
        try:
            order, circular = list(TopologicalSorter(sources).static_order()), False
        except CycleError:  # only a damaged or a forged ledger has one
            order, circular = sorted(sources), True
        for id_ in order:
            if id_ in sources:
                self._done[id_] = self._judge(self.known[id_])
        while circular:
            stricter = {id_: self._judge(self.known[id_]) for id_ in order}
            changed = [id_ for id_ in order if stricter[id_].verdict > self._done[id_].verdict]
            self._done |= {id_: stricter[id_] for id_ in changed}
            circular = bool(changed)
        return self._done

    def reopen(self) -> None:
        """Judge everything again, with what was learnt since."""
        self._done = {}

    def _judge(self, chunk: Chunk) -> Judgement:
        sources = [(self.known[s], self._done[s]) for s in chunk.derived_from if s in self._done]
        same = self.rivals.get(chunk.subject or "", [])
        judgement = judge(
            chunk,
            now=self.now,
            newest=same[0] if same else None,
            tag=self.tags.get(chunk.id),
            sources=sources,
        )
        if conflicts := _conflicts(chunk, same, self.now):
            judgement = replace(judgement, conflicts_with=conflicts)
        elif judgement.conflicts_with:  # a source's, not this chunk's own
            judgement = replace(judgement, conflicts_with=())
        return judgement


def _conflicts(chunk: Chunk, same: Sequence[Chunk], now: datetime) -> tuple[str, ...]:
    """The other of two that say different things, where the user's word is not the later one."""
    if len(same) < 2:
        return ()
    current, other = same
    later = (held_last(other, now), other.id) > (held_last(current, now), current.id)
    at_once = holds(other, now) == holds(current, now) and other.created_at <= now
    if current.text == other.text or not later or not at_once:
        return ()
    if chunk.id == current.id:
        return (other.id,)
    return (current.id,) if chunk.id == other.id else ()


def _rivals(
    connection: Connection, owner: str, known: dict[str, Chunk], now: datetime
) -> dict[str, list[Chunk]]:
    subjects = {chunk.subject for chunk in known.values() if chunk.subject is not None}
    newest = records.newest_of(connection, owner, subjects, now)
    missing = {id_ for ids in newest.values() for id_ in ids} - known.keys()
    chunks = known | records.by_id(connection, owner, missing)
    return {subject: [chunks[id_] for id_ in ids] for subject, ids in newest.items()}


def _expired(chunk: Chunk, now: datetime) -> bool:
    contract = chunk.freshness
    if contract.max_age is None or contract.validator is None or contract.tag is None:
        return False
    checked_at = chunk.checked_at if chunk.checked_at <= now else chunk.created_at
    return checked_at > now or now - checked_at >= contract.max_age


def _ask(validator: Validator | None, chunk: Chunk) -> str | None:
    if validator is None:
        return None
    try:
        return validator(chunk)
    except Exception as error:  # a validator is a user's code; one that fails cannot tell
        name, problem = chunk.freshness.validator, type(error).__name__
        _log.warning("validator %s failed: %s", name, problem)
        return None


def _restart(ledger: Ledger, chunks: Sequence[Chunk], now: datetime) -> None:
    if not chunks:
        return
    at = to_micros(now)
    with ledger.write() as connection:
        c = tables.chunks.c
        for chunk in chunks:
            connection.execute(
                update(tables.chunks)
                .where(c.id == chunk.id, c.checked_at < at)
                .values(checked_at=at)
            )
