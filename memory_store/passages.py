"""Passages: a long text cut at sentence ends into parts that an embedder still represents well."""

from __future__ import annotations

import re
from dataclasses import dataclass

CJK = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uac00-\ud7af"
CJK_WEIGHT = 2
"""A Chinese character says about as much as this many Latin ones."""

_WIDE = re.compile(f"[{CJK}]")
_ENDS = (
    re.compile(r"\n\s*\n"),
    re.compile(r"\n"),
    re.compile(r"[.!?…][\"')\]]*\s|[。！？；…][”’」』）]*"),
    re.compile(r"[,;:]\s|[，、：]"),
    re.compile(r"\s"),
)


@dataclass(frozen=True, slots=True)
class PassageText:
    """Part `number` of `total` (1-based) of a text: its characters `start` to `end`.

    Attributes:
        text: what is embedded and searched: the header, then the part.
    """

    number: int
    total: int
    start: int
    end: int
    text: str


def split(text: str, *, header: str = "", window: int) -> list[PassageText]:
    """Cut `text` into parts of at most about `window` characters, the header before each.

    Together the parts cover the whole text in order, none overlaps another. A Chinese character
    counts double. The cut falls at the end of a paragraph, line, sentence, clause or word, the
    first of these that leaves a part at least half full.
    """
    spans = _spans(text, window)
    lead = f"{header} " if header else ""
    return [
        PassageText(number, len(spans), start, end, lead + text[start:end].strip())
        for number, (start, end) in enumerate(spans, 1)
    ]


def _spans(text: str, window: int) -> list[tuple[int, int]]:
    spans: list[tuple[int, int]] = []
    start = 0
    while start < len(text):
        end = _reach(text, start, window)
        if end < len(text):
            end = _cut(text, start, end)
        spans.append((start, end))
        start = end
    return spans or [(0, 0)]


def _reach(text: str, start: int, window: int) -> int:
    """How far `window` characters reach from `start`, when a wide one counts double."""
    piece = text[start : start + window]
    wide = len(_WIDE.findall(piece))
    if not wide:
        return start + len(piece)
    room, end = window, start
    for character in piece:
        room -= CJK_WEIGHT if _WIDE.match(character) else 1
        if room < 0:
            break
        end += 1
    return max(end, start + 1)


def _cut(text: str, start: int, end: int) -> int:
    """The best place to cut between the middle of start:end and its end."""
    middle = start + (end - start) // 2
    for pattern in _ENDS:
        cut = max((match.end() for match in pattern.finditer(text, middle, end)), default=0)
        if cut > middle:
            return cut
    return end
