"""The timeline of a subject: what was so, from when until when."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from memory_store.chunk import Chunk
from memory_store.freshness import Judgement, ended_at, event_time, held_last, trusted


@dataclass(frozen=True, slots=True)
class Period:
    """One statement about a subject, and how long it held.

    Attributes:
        valid_from: when it began to be so (event time, else when it was recorded), UTC.
        valid_until: when it ended by its own word, or the next statement of the same authority
            took its place; None: it holds.
    """

    chunk: Chunk
    valid_from: datetime
    valid_until: datetime | None
    judgement: Judgement


def timeline(
    chunks: Sequence[Chunk], judgements: Mapping[str, Judgement], now: datetime
) -> tuple[Period, ...]:
    """Order chunks of one subject by when they began to be so, the oldest first. Pure.

    What a tool or a page says does not end what the user said, nor the other way round; nor does
    what has an end of its own end anything else.
    """
    ordered = sorted(chunks, key=lambda chunk: (event_time(chunk), chunk.id))
    until: dict[str, datetime | None] = {}
    following: dict[bool, datetime] = {}
    for chunk in sorted(chunks, key=lambda chunk: (held_last(chunk, now), chunk.id), reverse=True):
        start, end, after = event_time(chunk), ended_at(chunk), following.get(trusted(chunk))
        ends = [moment for moment in (end, after) if moment is not None]
        until[chunk.id] = max(start, min(ends)) if ends else None
        if end is None:
            following[trusted(chunk)] = min(start, after or start)
    return tuple(
        Period(chunk, event_time(chunk), until[chunk.id], judgements[chunk.id])
        for chunk in ordered
        if chunk.id in judgements
    )
