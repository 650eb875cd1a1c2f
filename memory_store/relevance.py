"""Relevance: which candidates say anything to a question at all, so that recall can abstain."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

from memory_store.candidates import Candidate
from memory_store.lexical import LexicalQuery

NEAR = 0.15
"""A chunk at least this similar to the question is relevant, whatever its words. That is low: of
short statements half are no more similar than .28 to a question that they answer."""

COVERED = 0.25
"""A chunk that holds at least this share of the question's weight in words is relevant."""

RARE = 0.02
"""A chunk that holds a word of the question which at most this share of the passages hold is
relevant: an exact match of a name or an identifier is never hidden."""


def relevant(candidates: Sequence[Candidate], words: LexicalQuery) -> list[Candidate]:
    """The candidates that may answer, and what was said in one session with them.

    An answer often shares nothing with the question but its place, right after what does. Empty
    where nothing fits.
    """

    @cache  # few sets of terms are held by many candidates
    def says_enough(held: int) -> bool:
        return words.coverage(held) >= COVERED or words.holds_rare(held, RARE)

    fitting = {
        c.number
        for c in candidates
        if (c.dense is not None and c.dense >= NEAR) or says_enough(c.held)
    }
    sessions = {session for c in candidates if c.number in fitting for session, _, _ in c.places}
    return [
        c
        for c in candidates
        if c.number in fitting or any(session in sessions for session, _, _ in c.places)
    ]
