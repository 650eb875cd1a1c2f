"""A recall as rows, for notebooks: an HTML table of scores and verdicts, and a data frame."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from memory_store import html
from memory_store.extras import frame
from memory_store.hits import Dropped, Hit, Recall

if TYPE_CHECKING:
    from pandas import DataFrame

LONGEST = 240
"""Characters of a text in the HTML table; the frame has all of it."""


def rows(recall: Recall) -> list[dict[str, Any]]:
    """One row a hit, in the recall's order, then one for each that was dropped."""
    return [
        *_rows(recall.hits, used=True),
        *_rows(recall.dropped, used=False),
    ]


def _rows(found: Iterable[Hit | Dropped], *, used: bool) -> Iterable[dict[str, Any]]:
    for one in found:
        chunk, score = one.chunk, one.score
        yield {
            "used": used,
            "text": one.text if isinstance(one, Hit) else chunk.text,
            "verdict": str(one.verdict),
            "reason": one.judgement.reason if isinstance(one, Hit) else one.reason,
            "score": score.total,
            "dense": score.dense,
            "dense rank": score.dense_rank,
            "lexical": score.lexical,
            "lexical rank": score.lexical_rank,
            "rerank": score.rerank,
            "via": one.via if isinstance(one, Hit) else None,
            "kind": chunk.kind,
            "created": chunk.created_at,
            "as of": one.judgement.as_of,
            "refresh": one.judgement.call,
            "id": chunk.id,
        }


def to_pandas(recall: Recall) -> DataFrame:
    """Return the rows as a data frame.

    Raises:
        ExtraMissing: pandas is not installed.
    """
    return frame(rows(recall))


def to_html(recall: Recall) -> str:
    """Return the rows as an HTML table; every text is escaped."""
    shown = [
        (
            "✓" if row["used"] else "–",
            _short(row["text"]),
            html.verdict(row["verdict"]),
            _short(row["reason"]),
            row["score"],
            _ranked(row["dense"], row["dense rank"]),
            _ranked(row["lexical"], row["lexical rank"]),
            f"{row['created']:%Y-%m-%d %H:%M}",
            row["kind"],
        )
        for row in rows(recall)
    ]
    heads = ("", "text", "verdict", "why", "score", "meaning", "words", "recorded", "kind")
    past = "; asks for the past, oldest first" if recall.past else ""
    caption = (
        f"“{_short(recall.query)}” at {recall.now:%Y-%m-%d %H:%M} UTC: {len(recall.hits)} used,"
        f" {len(recall.dropped)} left out, {recall.tokens} tokens{past}"
    )
    return html.table(heads, shown, caption)


def _short(text: str) -> str:
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}…"


def _ranked(score: float | None, rank: int | None) -> str:
    return "" if score is None else f"{score:.3g} (#{rank})" if rank else f"{score:.3g}"
