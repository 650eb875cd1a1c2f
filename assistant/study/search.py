"""Finding courses for words in English or Chinese, and by meaning where an embedder is given."""

from __future__ import annotations

import math
import re
import unicodedata
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from assistant.study.course import Course
from memory_store.protocols import Embedder

_LATIN = re.compile(r"[a-z0-9][a-z0-9+#.]*")
_HAN = re.compile(r"[\u3400-\u9fff]+")
_COMMON = frozenset(
    re.findall(
        r"\w+",
        "a an and the of in on for to by with from i my me want learn study learning course courses"
        " intro introduction into using about how is be at it hour hours week weeks month months",
    )
)
_ASKING = re.compile(
    r"^(?:\W|(?:please|help|me|i|we|want|wish|would|like|to|learn|study|about|how|get|into)\b"
    r"|我|想要?|希望|打算|准备|零基础|系统地?|学习|学会|学|请|帮|制定)+",
    re.IGNORECASE,
)
"""What a goal begins with, whatever it is about."""
CLEAR = 0.85
"""The score of a course that the goal names."""
NEAR = 0.5
"""The nearness in meaning that counts as much. With the packaged embedder half of 60 goals told in
other words reach it, and one of 60 about cooking, sports or languages."""
MEANING_FLOOR = 0.35
"""Cosine below which two texts share no meaning that counts."""


@dataclass(frozen=True, slots=True)
class Found:
    """A course with how well it answers: 1 and more is a clear match."""

    course: Course
    score: float


def plain(text: str) -> str:
    """Return the text in one form of width and case."""
    return unicodedata.normalize("NFKC", text).lower()


def tokens(text: str) -> list[str]:
    """Return Latin words without plural s, and pairs of Chinese characters."""
    lowered = plain(text)
    words = [w for w in _LATIN.findall(lowered) if w not in _COMMON]
    found = [w[:-1] if len(w) > 3 and w.endswith("s") and w[-2] != "s" else w for w in words]
    for run in _HAN.findall(lowered):
        found += [run[i : i + 2] for i in range(len(run) - 1)] if len(run) > 1 else [run]
    return found


def search(
    courses: Sequence[Course],
    query: str,
    *,
    level: str | None = None,
    embedder: Embedder | None = None,
) -> list[Found]:
    """Return the courses that answer the query, best first; equal ones in the catalogue's order."""
    chosen = [course for course in courses if level is None or course.level == level]
    weights = _rarity(courses)
    scores = [_by_words(course, query, weights) for course in chosen]
    if embedder is not None and chosen:
        meaning = _by_meaning(chosen, query, embedder)
        scores = [words + close for words, close in zip(scores, meaning, strict=True)]
    found = [Found(c, round(s, 4)) for c, s in zip(chosen, scores, strict=True) if s > 0]
    return sorted(found, key=lambda item: -item.score)


def named(course: Course, text: str) -> float:
    """Return how much of the text names this course: its longest title or topic found there."""
    lowered = f" {' '.join(_LATIN.findall(plain(text)))} {plain(text)} "
    best = 0.0
    for weight, term in _terms(course):
        if _inside(term, lowered):
            best = max(best, weight * min(1.5, 0.7 + len(tokens(term)) * 0.15))
    return best


def terms_in(course: Course, text: str) -> set[str]:
    """Return the course's titles and topics that the text names."""
    words = f" {' '.join(_LATIN.findall(plain(text)))} {plain(text)} "
    return {term for _, term in _terms(course) if _inside(term, words)}


def _terms(course: Course) -> list[tuple[float, str]]:
    titles = [course.id, course.title, course.title.partition(":")[0], course.title_zh]
    return [(1.2, plain(t)) for t in titles if t] + [(1.0, plain(t)) for t in course.topics]


def _inside(term: str, text: str) -> bool:
    if _HAN.search(term):
        return term in text
    singular = term[:-1] if len(term) > 4 and term.endswith("s") else term
    return re.search(rf"(?<![a-z0-9]){re.escape(singular)}s?(?![a-z0-9+#])", text) is not None


def _document(course: Course) -> str:
    return " ".join((course.title, course.title_zh, *course.topics))


def _rarity(courses: Sequence[Course]) -> dict[str, float]:
    counts = Counter(token for course in courses for token in set(tokens(_document(course))))
    return {token: math.log(1 + len(courses) / count) for token, count in counts.items()}


def _by_words(course: Course, query: str, weights: dict[str, float]) -> float:
    asked = set(tokens(query))
    rarest = max(weights.values(), default=1.0)  # what a word weighs that no course has
    total = sum(weights.get(token, rarest) for token in asked)
    held = set(tokens(_document(course)))
    shared = sum(weights[token] for token in asked & held)
    return named(course, query) + (shared / total if total else 0.0)


def near(courses: Sequence[Course], query: str, embedder: Embedder) -> list[Found]:
    """Return the courses whose titles or topics are nearest in meaning, best first.

    The score is how far the best of them is from the average of all on the way to being the same,
    so that it means the same with every embedder.
    """
    named_by = [(n, term) for n, course in enumerate(courses) for _, term in _terms(course)]
    asked = _ASKING.sub("", query).strip() or query
    vectors = embedder.embed([asked, *(term for _, term in named_by)])
    cosines = [float(cosine) for cosine in vectors[1:] @ vectors[0]]
    average = sum(cosines) / max(1, len(cosines))
    best = [0.0] * len(courses)
    for (n, _), cosine in zip(named_by, cosines, strict=True):
        best[n] = max(best[n], (cosine - average) / (1 - average))
    found = [Found(c, round(s, 4)) for c, s in zip(courses, best, strict=True) if s > 0]
    return sorted(found, key=lambda item: -item.score)


def _by_meaning(courses: Sequence[Course], query: str, embedder: Embedder) -> list[float]:
    vectors = embedder.embed([query, *(_document(course) for course in courses)])
    cosines = vectors[1:] @ vectors[0]
    return [max(0.0, float(cosine) - MEANING_FLOOR) for cosine in cosines]
