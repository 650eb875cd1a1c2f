"""What a memory is, holds and was checked for, in words a person reads."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import datetime, timedelta, tzinfo
from typing import TYPE_CHECKING

from assistant.context.wording import Language, ago
from assistant.phrases import in_words, recognised, say
from memory_store import Chunk, Judgement

if TYPE_CHECKING:
    from memory_store.stats import Stats
    from memory_store.verify import Verification

Row = tuple[str, str]
"""A name and what is said of it."""


def named(word: str, language: Language) -> str:
    """Return a kind, a verdict or an origin in the user's language."""
    return say(f"word.{word}", language)


def why(reason: str, language: Language) -> str:
    """Return in the user's language why `memory_store` judges a memory so, or leaves it out."""
    return in_words(recognised(reason, "reason", "word"), language)


def of_chunk(
    chunk: Chunk,
    judgement: Judgement,
    session: str | None,
    *,
    now: datetime,
    zone: tzinfo,
    language: Language,
) -> Iterator[Row]:
    """Yield what is known of one memory; `session` is the name of where it was said."""
    verdict = {
        "verdict": named(str(judgement.verdict), language),
        "reason": why(judgement.reason, language),
    }
    age = ago(chunk.created_at, now, zone, language)
    rows = {
        "memory.id": chunk.id,
        "memory.kind": named(chunk.kind, language),
        "memory.remembered": f"{_time(chunk.created_at, zone)}, {age}",
        "memory.verdict": say("memory.because", language, **verdict),
        "memory.subject": chunk.subject,
        "memory.said_by": named(chunk.origin, language),
        "memory.session": session,
        "memory.speaks_of": chunk.about
        and f"{_time(chunk.about.start, zone)} – {_time(chunk.about.end, zone)}",
        "memory.lifetime": _lifetime(chunk.freshness.max_age, language),
        "memory.made_by": chunk.freshness.call,
        "memory.made_from": ", ".join(chunk.derived_from),
        "memory.said_again": str(chunk.copies - 1) if chunk.copies > 1 else "",
    }
    for name, value in rows.items():
        if value:
            yield say(name, language), value


def of_stats(stats: Stats, zone: tzinfo, language: Language) -> Iterator[Row]:
    """Yield what a memory holds; what is nothing is left out, but for the count of memories."""
    counts = _counted(stats.kinds, language)
    rows = {
        "memory.memories": say("memory.counted", language, total=stats.chunks, counts=counts)
        if counts
        else stats.chunks,
        "memory.state": _counted(stats.verdicts, language),
        "memory.said_again": stats.copies,
        "memory.contradicted": stats.conflicts,
        "memory.sessions": stats.sessions,
        "memory.subjects": stats.subjects,
        "memory.oldest": stats.oldest and _time(stats.oldest, zone),
        "memory.newest": stats.newest and _time(stats.newest, zone),
        "memory.not_indexed": stats.pending
        and say("memory.waiting", language, count=stats.pending),
        "memory.on_disk": f"{(stats.ledger_bytes + stats.index_bytes) / 1e6:.1f} MB",
        "memory.embedder": stats.embedder,
        "memory.holder": stats.holder,
    }
    for name, value in rows.items():
        if value:
            yield say(name, language), str(value)


def of_verification(found: Verification, language: Language) -> str:
    """Return what a check found; the problems, each with its remedy, on lines of their own."""
    if not found.ok:
        opening = say("memory.problems", language)
        return "\n".join((opening, *(f"- {problem}" for problem in found.problems)))
    waiting = found.passages - found.indexed
    return say(
        "memory.well_waiting" if waiting else "memory.well",
        language,
        chunks=found.chunks,
        passages=found.passages,
        waiting=waiting,
    )


def _counted(counts: Mapping[str, int], language: Language) -> str:
    told = (say(f"counted.{name}", language, n=count) for name, count in counts.items() if count)
    return ("，" if language == "zh" else ", ").join(told)


def _time(moment: datetime, zone: tzinfo) -> str:
    return f"{moment.astimezone(zone):%Y-%m-%d %H:%M}"


def _lifetime(max_age: timedelta | None, language: Language) -> str:
    return "" if max_age is None else why(str(max_age), language)
