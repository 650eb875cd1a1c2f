"""Whether an answer about the user stands on what they said, for models that make things up."""

from __future__ import annotations

import re
from collections.abc import Iterable

from assistant.agent.claim_words import COMMON
from memory_store.terms import query_terms, terms

_PERSONAL = re.compile(
    r"^(?=.*\b(?:my|mine|i|our|we)\b)(?:(?:and|so|but|please|tell\s+me)\W+)*"
    r"(?:who|whom|whose|what|where|when|which|how\s+(?:many|much|old|long|often|tall|big|far))\b"
    r"|我.*(?:什么|哪|谁|几|多少|多大|多久|多高|多远)",
    re.IGNORECASE | re.DOTALL,
)
_ADVICE = re.compile(
    r"\b(?:should|could|can|would|need\s+to)\b|怎么|如何|为什么|应该|该|可以|能", re.I
)
_ASKING = re.compile(r"什么|哪[里儿个些]?|谁|几|多少|怎么|吗|呢|我们?|你们?|[的是了]")
_WORD = re.compile(r"[^\W\d_㐀-鿿]{3,}")
_NUMBER = re.compile(r"\d+")
_CHINESE = re.compile(r"[㐀-鿿]{2,}")


def asks_about_self(question: str) -> bool:
    """Whether a fact of the user's own life is asked for, and not advice or general knowledge."""
    return _PERSONAL.search(question) is not None and _ADVICE.search(question) is None


def supported(answer: str, sources: Iterable[str], question: str) -> bool:
    """Whether an answer gives anything of a source that the question does not hold itself."""
    asked, given = _tokens(question), _tokens(answer)
    return any((_tokens(source) - asked) & given for source in sources)


def speaks_of(source: str, question: str) -> bool:
    """Whether a text holds at least half of what a question is about."""
    about = set(query_terms(_ASKING.sub(" ", question)))
    return 2 * len(about.intersection(terms(source))) >= len(about) > 0


def _tokens(text: str) -> set[str]:
    words = {word.lower().rstrip("s") for word in _WORD.findall(text)} - COMMON
    pairs = {run[at : at + 2] for run in _CHINESE.findall(text) for at in range(len(run) - 1)}
    return words | pairs | set(_NUMBER.findall(text))
