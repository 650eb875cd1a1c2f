"""Companions: what belongs to a hit, its answer or question, and what has superseded it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime

from sqlalchemy import Connection

from memory_store import records
from memory_store.chunk import Chunk
from memory_store.freshness import Judgement, Verdict
from memory_store.hits import Score
from memory_store.selection import Found

ESCORTED = 8
"""So many of the best hits bring along what belongs to them."""


def companions(
    connection: Connection,
    owner: str,
    found: Sequence[Found],
    judgements: Mapping[str, Judgement],
    now: datetime,
) -> dict[str, list[Found]]:
    """For each chunk found what it brings along.

    A question brings its answer, an answer or a tool result its question, and what was superseded
    brings the current chunk of its subject, which the question may share no word with.
    """
    beside = records.beside(connection, owner, [f.chunk.id for f in found[:ESCORTED]])
    current = _current(connection, owner, found, judgements, now)
    ids = {id_ for pairs in beside.values() for id_, _ in pairs} | set(current.values())
    chunks = records.by_id(connection, owner, ids)
    brought: dict[str, list[Found]] = {}
    for f in found:
        own = [
            chunks[id_]
            for id_, away in beside.get(f.chunk.id, ())
            if id_ in chunks and _belongs(f.chunk, chunks[id_], away)
        ]
        newer = current.get(f.chunk.id)
        if newer in chunks:
            own.append(chunks[newer])
        score = Score(f.score.total, neighbour=f.score.total)
        brought[f.chunk.id] = [Found(chunk, None, score) for chunk in own]
    return brought


def _current(
    connection: Connection,
    owner: str,
    found: Sequence[Found],
    judgements: Mapping[str, Judgement],
    now: datetime,
) -> dict[str, str]:
    """The current chunk of the subject of each chunk that is superseded."""
    superseded = {
        f.chunk.id: f.chunk.subject
        for f in found
        if f.chunk.subject is not None
        and f.chunk.id in judgements
        and judgements[f.chunk.id].verdict is Verdict.SUPERSEDED
    }
    newest = records.newest_of(connection, owner, set(superseded.values()), now)
    return {id_: newest[subject][0] for id_, subject in superseded.items() if subject in newest}


def _belongs(chunk: Chunk, other: Chunk, away: int) -> bool:
    """Whether `other`, said `away` places after `chunk` in one turn or beside it, completes it."""
    if chunk.kind == "question":
        return other.kind == "answer" and away > 0
    return chunk.kind in ("answer", "tool_result") and other.kind == "question" and away < 0
