"""Long texts, cut to a number of tokens at line and list boundaries."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, cast

from memory_store.protocols import TokenCounter

HEAD_SHARE = 0.65
"""Of what is shown of a long text, how much is its head; the rest is its tail."""

_RUN = 24  # characters between which a text without lines may be cut


def cut(text: str, limit: int, count: TokenCounter, *, rest: str = "") -> str:
    """Return `text` in at most `limit` tokens: its head and its tail, and how much that is.

    The result is longer than `limit` only where the remark about the cut alone is longer.

    Args:
        rest: how to read what is left out, such as `read_memory(id="…")`.
    """
    if _fits(text, limit, count):
        return text
    units = _units(text)
    shown = _head_and_tail(units, limit, count, rest)
    if shown is None and units.name != "characters":
        shown = _head_and_tail(_characters(text), limit, count, rest)
    return shown or units.remark((), rest)


@dataclass(frozen=True, slots=True)
class _Units:
    """A text in the parts between which it may be cut."""

    name: str
    parts: Sequence[str]
    glue: str = "\n"

    def amount(self, parts: Sequence[str]) -> int:
        return sum(map(len, parts)) if self.name == "characters" else len(parts)

    def remark(self, shown: Sequence[str], rest: str) -> str:
        reading = f"; {rest} shows the rest" if rest else ""
        figures = f"{self.amount(shown):,} of {self.amount(self.parts):,}"
        return f"[… {figures} {self.name} shown{reading} …]"


def _units(text: str) -> _Units:
    if text.lstrip().startswith("["):
        try:
            value = json.loads(text)
        except (ValueError, RecursionError):
            value = None
        if isinstance(value, list):
            items = cast("list[Any]", value)
            return _Units("items", [json.dumps(item, ensure_ascii=False) for item in items])
    lines = text.splitlines()
    return _Units("lines", lines) if len(lines) > 1 else _characters(text)


def _characters(text: str) -> _Units:
    runs = [text[start : start + _RUN] for start in range(0, len(text), _RUN)]
    return _Units("characters", runs, glue="")


def _head_and_tail(units: _Units, limit: int, count: TokenCounter, rest: str) -> str | None:
    """Return head, remark and tail in at most `limit` tokens; None where not one part fits."""
    parts = units.parts
    room = limit - count(units.remark(parts, rest)) - 4
    head = _taken(parts, room * HEAD_SHARE, count)
    tail = min(_taken(parts[::-1], room * (1 - HEAD_SHARE), count), len(parts) - head)
    while head > 0:
        first, last = parts[:head], parts[len(parts) - tail :]
        remark = units.remark((*first, *last), rest)
        pieces = [units.glue.join(first), remark, units.glue.join(last)]
        result = "\n".join(piece for piece in pieces if piece)
        if count(result) <= limit:
            return result
        head, tail = head - 1, max(tail - 1, 0)
    return None


def _taken(parts: Sequence[str], room: float, count: TokenCounter) -> int:
    """Return how many of the first parts fit into `room` tokens."""
    for number, part in enumerate(parts):
        # What is far too long need not be counted: few tokens have more than 40 characters.
        room -= count(part) + 1 if len(part) < room * 40 else len(part)
        if room < 0:
            return number
    return len(parts)


def _fits(text: str, limit: int, count: TokenCounter) -> bool:
    # Most texts are far from the limit: a token is at least one byte, at most some 20 characters.
    return len(text.encode("utf-8", "replace")) <= limit or count(text) <= limit
