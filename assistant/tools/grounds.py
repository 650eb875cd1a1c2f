"""What a fact stands on that the model asks to be saved: the user's own words, or what was read."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from assistant.context.wording import language_of
from memory_store import Chunk
from memory_store.chunk import Origin
from memory_store.terms import query_terms

_USER = re.compile(r"\b(?:the\s+)?user(?:'s|’s)?\b|用户的?", re.IGNORECASE)
_NUMBER = re.compile(r"\d+")
_NAME = re.compile(r"(?<=[\w,;'’] )[A-Z]\w+")
_SHARE = 0.5
"""At least this share of a fact's words stands in what the user said, if it is the user's word."""


@dataclass(frozen=True, slots=True)
class Grounds:
    """Whose word a fact is, and the ids of the memories that it was made from."""

    origin: Origin
    derived_from: tuple[str, ...] = ()


def grounds_of(
    fact: str, said: str, *, told: Sequence[str], results: Sequence[str], seen: Iterable[Chunk]
) -> Grounds:
    """Return what a fact stands on.

    It is the user's word where its numbers, its names and most of its words are the user's, or
    where it translates them, and nothing that was read holds the rest of it. Else it is derived
    from those memories that hold most of what the user did not say.

    Args:
        said: what the user said in this run and in the window.
        told: what tools have told in this run.
        results: the ids of the memories that these were kept in or read from.
        seen: the memories that stand before the model, these among them.
    """
    plain = _USER.sub(" ", fact)
    words = set(query_terms(plain))
    new = words - set(query_terms(said))
    shares = {chunk: len(new.intersection(query_terms(chunk.text))) for chunk in seen}
    most = max(shares.values(), default=0)
    sources = [chunk for chunk, share in shares.items() if share == most > 0]
    read = [*told, *(chunk.text for chunk in shares if chunk.origin in ("tool", "import"))]
    found = any(new.intersection(query_terms(text)) for text in read)
    if not found and _says(said, plain, words, new, translated=not read):
        return Grounds("user")
    if found or (told and not sources):
        ids = [chunk.id for chunk in sources] or results
        return Grounds("tool", tuple(dict.fromkeys(ids)))
    return Grounds("assistant", tuple(chunk.id for chunk in sources))


def _says(said: str, fact: str, words: set[str], new: set[str], *, translated: bool) -> bool:
    if not set(_NUMBER.findall(fact)) <= set(_NUMBER.findall(said)):
        return False
    if translated and language_of(fact) != language_of(said):
        return True
    low = said.lower()
    names = [name.lower() for name in _NAME.findall(fact)]
    return all(name in low for name in names) and len(words - new) >= _SHARE * len(words) > 0
