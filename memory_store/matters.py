"""Matters: of the best hits, those that speak of one matter are put newest first.

A subject says what supersedes what. Without one, two statements about the same thing at different
times both come back; the newer stands above the older, so that the reader can tell.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING

from sqlalchemy import Connection

from memory_store.chunk import Chunk
from memory_store.freshness import event_time
from memory_store.hits import Score
from memory_store.selection import Found

if TYPE_CHECKING:
    from memory_store.protocols import Vectors

TOP = 5
"""So many of the best are put in order of time; further down it would bring up what is weak."""

SAME = 0.45
"""Passages at least this similar speak of one matter (cosine), by measurement on BEAM."""

SHORT = 100
"""Bytes of a single statement. Each of its words counts: "the code of the garage" is another matter
than "the code of the office". In a longer text what is asked may stand in other words."""

WORDS, SHORT_WORDS = 0.3, 0.5
"""A newer one must have this share of the older's lexical score: it answers the same question."""

BEHIND, SHORT_BEHIND = 3.0, 1.6
"""It must not score lower than the older one by more than this: of 17 updates in two statements 13
are within 1.6, of 17 statements on two matters one (English and Chinese)."""


def newest_first(connection: Connection, found: Sequence[Found]) -> list[Found]:
    """The same, with each of the best set above the older ones on its matter.

    Only what people said themselves is moved.
    """
    vectors = _vectors(connection, found[:TOP])
    top: list[Found] = []
    for f in found[:TOP]:
        older = (place for place, other in enumerate(top) if _replaces(f, other, vectors))
        top.insert(next(older, len(top)), f)
    return [*top, *found[TOP:]]


def _replaces(new: Found, old: Found, vectors: dict[int, Vectors]) -> bool:
    if new.passage is None or old.passage is None:
        return False
    a, b = vectors.get(new.passage.number), vectors.get(old.passage.number)
    if a is None or b is None or _age_key(new.chunk) < _age_key(old.chunk):
        return False
    said = new.chunk.origin == old.chunk.origin == "user"
    short = max(len(f.chunk.text.encode()) for f in (new, old)) <= SHORT
    return said and _answers_as_well(new.score, old.score, short) and float(a @ b) >= SAME


def _answers_as_well(new: Score, old: Score, short: bool) -> bool:
    share, behind = (SHORT_WORDS, SHORT_BEHIND) if short else (WORDS, BEHIND)
    in_words = (new.lexical or 0.0) >= share * (old.lexical or 0.0)
    return in_words and new.total >= old.total - behind and new.time >= old.time


def _age_key(chunk: Chunk) -> tuple[datetime, str]:
    """Orders chunks by when it was so; equal times go by id, as everywhere.

    What was said again is as new as the last time.
    """
    return (chunk.checked_at if chunk.about is None else event_time(chunk), chunk.id)


def _vectors(connection: Connection, found: Sequence[Found]) -> dict[int, Vectors]:
    import numpy as np

    numbers = [f.passage.number for f in found if f.passage is not None]
    if not numbers:
        return {}
    marks = ", ".join("?" * len(numbers))
    rows = connection.exec_driver_sql(
        f"SELECT passage, vector FROM vectors WHERE passage IN ({marks})", tuple(numbers)
    )
    return {row.passage: np.frombuffer(row.vector, dtype=np.float32) for row in rows}
