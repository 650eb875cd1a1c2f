"""Freshness: is a chunk still current? Verdicts are a pure function of what is known about it.

The terms are HTTP caching's (RFC 9111). Staleness is inherited: a chunk takes the strictest
verdict of the chunks that it was derived from.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from enum import IntEnum

from memory_store.chunk import Chunk, Freshness


class Verdict(IntEnum):
    """How current a chunk is, from usable to unusable; a larger value is stricter."""

    FRESH = 0
    REVALIDATED = 1
    STALE = 2
    CHANGED = 3
    SUPERSEDED = 4

    @property
    def current(self) -> bool:
        """Whether a chunk of this verdict may be presented as true now."""
        return self <= Verdict.REVALIDATED

    def __str__(self) -> str:
        return self.name.lower()


@dataclass(frozen=True, slots=True)
class Judgement:
    """A verdict with its reason.

    Attributes:
        as_of: the time up to which the text is known to have been true, UTC.
        reason: one plain clause, for people and models.
        call: the call that would make the text anew, where there is one.
        inherited_from: the id of the source whose verdict was taken over, if one was.
        conflicts_with: ids of chunks of the same subject that say otherwise on another authority.
    """

    verdict: Verdict
    as_of: datetime
    reason: str
    call: str | None = None
    inherited_from: str | None = None
    conflicts_with: tuple[str, ...] = ()


def event_time(chunk: Chunk) -> datetime:
    """When what the chunk says began to be true: its event time if known, else its record time."""
    return chunk.about.start if chunk.about is not None else chunk.created_at


def held_last(chunk: Chunk, now: datetime) -> datetime:
    """The latest time, up to its recording, at which the chunk says that it was so.

    What was said again, or its source found unchanged, was so then too.
    """
    about = chunk.about
    if about is None:
        return chunk.checked_at if chunk.checked_at <= now else chunk.created_at
    return min(max(chunk.created_at, about.start), about.end)


def ended_at(chunk: Chunk) -> datetime | None:
    """When what the chunk says ceased, or will cease, to be so; None where it names no end.

    An interval without length says only when it began; one that reaches just to the recording
    says that it was still so then.
    """
    about = chunk.about
    if about is None or about.end in (about.start, chunk.created_at):
        return None
    return about.end


def holds(chunk: Chunk, now: datetime) -> bool:
    """Whether what the chunk says has begun to be so and, by its own word, has not ended."""
    end = ended_at(chunk)
    return (chunk.about is None or chunk.about.start <= now) and (end is None or end > now)


def trusted(chunk: Chunk) -> bool:
    """Whether the chunk is the user's word; see `Draft.origin`."""
    return chunk.origin == "user"


def newest_first(chunks: Sequence[Chunk], now: datetime) -> list[Chunk]:
    """Order chunks of one subject, the current one first.

    What comes from the future (a clock that went back, or a run with an earlier `now`) is never
    newer than what is not; equal times, and the future among itself, are ordered by id. What has
    ended, or has not begun, does not take the place of what holds now. What anybody but the user
    says never takes the place of what the user said, however new it is.
    """

    def age_key(chunk: Chunk) -> tuple[bool, bool, bool, datetime, str]:
        known = chunk.created_at <= now
        at = min(held_last(chunk, now), now) if known else now
        return (known, known and holds(chunk, now), trusted(chunk), at, chunk.id)

    return sorted(chunks, key=age_key, reverse=True)


def judge(
    chunk: Chunk,
    *,
    now: datetime,
    newest: Chunk | None = None,
    tag: str | None = None,
    sources: Sequence[tuple[Chunk, Judgement]] = (),
) -> Judgement:
    """Judge one chunk.

    A fact whose own interval has ended is stale, also where nothing newer is known of its subject:
    the end that it names is the end of its lifetime, no validator can renew it, and what holds now
    is not known. It is not superseded, which is said of what something else has replaced.

    Args:
        now: the run's time, UTC.
        newest: the current chunk of the same owner and subject; None where there is no subject.
        tag: what the validator says is the source's version now; None where it cannot answer.
        sources: what the chunk was derived from, each with its own judgement.
    """
    own = _judge_alone(chunk, now, newest, tag)
    worst = max(sources, key=lambda pair: pair[1].verdict, default=None)
    if worst is None or worst[1].verdict <= own.verdict:
        return own
    source, verdict = worst
    made_from = f"made from {source.kind} {source.id}: {verdict.reason}"
    return replace(
        verdict,
        as_of=min(own.as_of, verdict.as_of),
        reason=verdict.reason if verdict.inherited_from else made_from,  # names where it began
        inherited_from=source.id,
    )


def _judge_alone(chunk: Chunk, now: datetime, newest: Chunk | None, tag: str | None) -> Judgement:
    # A check made under a later clock than now's says nothing about now.
    checked_at = chunk.checked_at if chunk.checked_at <= now else chunk.created_at
    as_of, call = min(checked_at, now), chunk.freshness.call
    if newest is not None and newest.id != chunk.id:
        reason = f"{newest.kind} {newest.id} of {newest.created_at.isoformat()} "
        return Judgement(Verdict.SUPERSEDED, as_of, reason + _before(newest, chunk, now), call)
    end = ended_at(chunk)
    if chunk.kind == "fact" and end is not None and end <= now:
        why = f"it held until {end.isoformat()}"
        return Judgement(Verdict.STALE, end - end.resolution, why, call)
    return _judge_age(chunk.freshness, checked_at, now, tag)


def _before(newest: Chunk, chunk: Chunk, now: datetime) -> str:
    """Why the one comes before the other; see `newest_first`."""
    if holds(newest, now) and not holds(chunk, now):
        return "holds now"
    by_word = trusted(newest) and not trusted(chunk)
    return "is the user's own word" if by_word else "is newer"


def _judge_age(
    contract: Freshness, checked_at: datetime, now: datetime, tag: str | None
) -> Judgement:
    as_of, call = min(checked_at, now), contract.call
    if contract.max_age is None:
        return Judgement(Verdict.FRESH, as_of, "does not age", call)
    from_future = checked_at > now
    # RFC 9111, 4.2: fresh while the age is below the lifetime, so that a lifetime of 0 never is.
    if not from_future and now - checked_at < contract.max_age:
        return Judgement(Verdict.FRESH, as_of, "within its max_age", call)
    if contract.validator is not None and contract.tag is not None and tag is not None:
        if tag == contract.tag:
            return Judgement(Verdict.REVALIDATED, now, "its source has not changed", call)
        return Judgement(Verdict.CHANGED, as_of, "its source has changed since", call)
    why = "it is dated after now" if from_future else f"older than its max_age {contract.max_age}"
    return Judgement(Verdict.STALE, as_of, why, call)
