"""Echoes: text that recall put into a prompt and that comes back as if it were news."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable

from memory_store.chunk import Chunk, Draft

REMEMBERED = 500
"""How many recalled texts are kept in mind; a run recalls far fewer."""

SHARE = 0.6
"""From this share of its letters on, a text counts as made of recalled ones."""


class Echoes:
    """The texts that this process has recalled lately."""

    def __init__(self) -> None:
        self._recalled: OrderedDict[str, Chunk] = OrderedDict()

    def recalled(self, hits: Iterable[tuple[str, Chunk]]) -> None:
        """Keep in mind what was recalled: the text shown, and its chunk."""
        for shown, chunk in hits:
            self._recalled[shown.strip()] = chunk
            self._recalled.move_to_end(shown.strip())
        while len(self._recalled) > REMEMBERED:
            self._recalled.popitem(last=False)

    def source(self, draft: Draft) -> str | None:
        """The id of the chunk that the draft mostly repeats; None where it is news.

        What the user says, and what an answer says, is always news. So is what a tool says of a
        source that ages, and what is said anew of a subject that was recalled: there the same
        words are a new observation.
        """
        contract = draft.freshness
        if draft.origin == "user" or draft.kind in ("question", "answer"):
            return None
        if contract.max_age is not None or contract.validator is not None:
            return None
        letters = _letters(draft.text)
        parts = [(shown, chunk) for shown, chunk in self._recalled.items() if shown in draft.text]
        if draft.subject is not None and any(c.subject == draft.subject for _, c in parts):
            return None
        parts.sort(key=lambda part: len(part[0]), reverse=True)
        rest = draft.text
        for shown, _ in parts:
            rest = rest.replace(shown, " ")
        if not parts or letters - _letters(rest) < SHARE * letters:
            return None
        return parts[0][1].id


def _letters(text: str) -> int:
    return sum(character.isalnum() for character in text)
