"""Small pieces of HTML for notebooks: escaped tables and bars that need no style sheet."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

COLOURS = {
    "fresh": "#2e7d32",
    "revalidated": "#00838f",
    "stale": "#ef6c00",
    "changed": "#ad1457",
    "superseded": "#757575",
}
"""A colour for each verdict, the same in tables and pictures."""


class Markup(str):
    """HTML that is safe as it is; every other text is escaped."""

    __slots__ = ()


def cell(value: object) -> str:
    """Return a value as the inside of a table's cell."""
    if isinstance(value, Markup):
        return value
    if value is None:
        return ""
    return escape(f"{value:.3g}" if isinstance(value, float) else str(value))


def table(heads: Sequence[str], rows: Sequence[Sequence[object]], caption: str = "") -> Markup:
    """Return a table. Long texts are wrapped and left-aligned; the caption stands above it."""
    style = ' style="text-align:left; vertical-align:top; white-space:pre-wrap"'
    head = "".join(f"<th{style}>{escape(name)}</th>" for name in heads)
    body = "".join(
        "<tr>" + "".join(f"<td{style}>{cell(value)}</td>" for value in row) + "</tr>"
        for row in rows
    )
    above = f'<caption style="text-align:left">{escape(caption)}</caption>' if caption else ""
    return Markup(f"<table>{above}<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>")


def bar(share: float, colour: str, offset: float = 0.0) -> Markup:
    """Return a horizontal bar: `share` of its column wide, after `offset` of it."""
    left, width = (round(100 * min(max(part, 0.0), 1.0), 1) for part in (offset, share))
    return Markup(
        '<div style="width:16em; background:#8882"><div style="margin-left:'
        f'{left}%; width:{min(width, 100 - left):.1f}%; height:0.8em; background:{colour}">'
        "</div></div>"
    )


def verdict(name: str) -> Markup:
    """Return a verdict in its colour."""
    return Markup(f'<b style="color:{COLOURS.get(name, "inherit")}">{escape(name)}</b>')
