"""A fitted context as rows, for notebooks: a bar a part, and a data frame."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from assistant.context.request import PARTS, Context
from memory_store import html
from memory_store.extras import frame

if TYPE_CHECKING:
    from pandas import DataFrame

COLOURS = dict(
    zip(
        (*PARTS, "reserve", "free"),
        ("#37474f", "#78909c", "#8e24aa", "#1e88e5", "#43a047", "#fdd835", "#fb8c00", "#bdbdbd"),
        strict=False,
    )
)
"""A colour for each part, the same in tables and pictures."""


def rows(context: Context) -> list[dict[str, Any]]:
    """One row a part of the request, in its order, then the reply's reserve and what is free.

    Tokens are by the server's count as learned, so that they add up to the limit.
    """
    parts = {part: round(context.parts.get(part, 0) * context.factor) for part in PARTS}
    parts["reserve"] = context.reserve
    parts["free"] = max(context.limit - sum(parts.values()), 0)
    return [
        {"part": part, "tokens": tokens, "share": tokens / context.limit}
        for part, tokens in parts.items()
    ]


def to_pandas(context: Context) -> DataFrame:
    """Return the rows as a data frame.

    Raises:
        ExtraMissing: pandas is not installed.
    """
    return frame(rows(context))


def to_html(context: Context) -> str:
    """Return a table of parts with their tokens as bars, and what was left out and why."""
    offset = 0.0
    shown: list[tuple[object, ...]] = []
    for row in rows(context):
        colour = COLOURS.get(row["part"], "#e0e0e0")
        bar = html.bar(row["share"], colour, offset)
        shown.append((row["part"], f"{row['tokens']:,}", f"{row['share']:.1%}", bar))
        offset += row["share"]
    caption = (
        f"{len(context.messages)} messages, {context.tokens:,} tokens of {context.limit:,}"
        f" ({context.reserve:,} kept for the reply), {len(context.hits)} memories"
    )
    parts = html.table(("part", "tokens", "of the limit", ""), shown, caption)
    left_out = [(str(one.what), str(one.why)) for one in context.left_out]
    return parts + (html.table(("left out", "why"), left_out) if left_out else "")
