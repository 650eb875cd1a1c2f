"""Quotes: the parts of a text by which it is recognised where it stands in another."""

from __future__ import annotations

import re
from collections.abc import Iterable

from sqlalchemy import Connection

from memory_store.passages import CJK

SENTENCE = 12
"""Letters from which on a sentence is more than a turn of phrase; a Chinese one counts twice."""

_SENTENCES = re.compile(r"\n+|(?<=[.!?…])\s+|(?<=[。！？；])")
_EDGES = " \t\r\f\v.,;:!?…。，；：！？\"'“”‘’「」()（）"
_CHINESE = re.compile(f"[{CJK}]")
_NAMES = re.compile(r"[A-Za-z0-9](?:[\w.+@#/:-]*[A-Za-z0-9])?", re.ASCII)
_DATE = re.compile(r"\d{1,4}[-/.:]\d{1,2}(?!\d).*", re.DOTALL)


def own_parts(text: str) -> set[str]:
    """The sentences of a text, and what it names by letters and digits (`4711-QX`, `a1@b.org`).

    A short turn of phrase, a plain number and a date are nobody's own.
    """
    sentences = {part.strip(_EDGES) for part in _SENTENCES.split(text)}
    names = {name for name in _NAMES.findall(text) if _is_name(name)}
    return {part for part in sentences if _letters(part) >= SENTENCE} | names


def unremembered(connection: Connection, owner: str, parts: Iterable[str]) -> set[str]:
    """Those of the parts that stand in none of the owner's chunks."""
    return {
        part
        for part in parts
        if connection.exec_driver_sql(
            "SELECT 1 FROM chunks WHERE owner = ? AND instr(text, ?) > 0 LIMIT 1", (owner, part)
        ).first()
        is None
    }


def _letters(part: str) -> int:
    return sum(map(str.isalnum, part)) + len(_CHINESE.findall(part))


def _is_name(word: str) -> bool:
    digits = sum(map(str.isdigit, word))
    named = digits and (digits >= 6 or not all(c.isdigit() or c in "-/.:" for c in word))
    return len(word) >= 6 and bool(named) and _DATE.fullmatch(word) is None
