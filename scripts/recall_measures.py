"""The measures of the recall benchmark, over ranked positions of records."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from recall_corpora import Conversation, Question

Row = dict[str, object]

UNSESSIONED = ("realmem",)
"""Data sets whose questions name sessions, not records."""


@dataclass(frozen=True)
class Asked:
    """One question with what a system found: ranked keys, the right ones and the outdated ones."""

    category: str
    answerable: bool
    found: tuple[str, ...]
    right: frozenset[str]
    outdated: frozenset[str]
    current: frozenset[str]
    empty: bool


def by_record(
    conversation: Conversation, question: Question, places: Sequence[int], current: Iterable[int]
) -> Asked:
    """What was found, record by record."""
    names = conversation.records
    return Asked(
        category=question.category,
        answerable=question.answerable,
        found=tuple(dict.fromkeys(names[place] for place in places)),
        right=question.evidence,
        outdated=question.stale,
        current=frozenset(names[place] for place in current),
        empty=not places,
    )


def by_session(conversation: Conversation, question: Question, places: Sequence[int]) -> Asked:
    """What was found, session by session: each ranks where its first record does."""
    session_of = dict(zip(conversation.records, conversation.sessions, strict=True))
    right = question.sessions or frozenset(session_of[r] for r in question.evidence)
    found = tuple(dict.fromkeys(conversation.sessions[place] for place in places))
    return Asked(
        question.category,
        question.answerable,
        found,
        right,
        frozenset(),
        frozenset(),
        not places,
    )


def rows(dataset: str, system: str, asked: Sequence[Asked]) -> list[Row]:
    """One row a category, and `all` for what is answerable."""
    groups: dict[str, list[Asked]] = {}
    for one in asked:
        groups.setdefault(one.category, []).append(one)
    # Adversarial questions have evidence but no right answer: a category of their own, not in all.
    groups = {"all": [one for one in asked if one.answerable], **dict(sorted(groups.items()))}
    return [
        {"dataset": dataset, "system": system, "category": category, **_measured(group)}
        for category, group in groups.items()
        if group
    ]


def _measured(group: Sequence[Asked]) -> Row:
    judged = [one for one in group if one.right]
    pairs = [one for one in group if one.outdated and one.right]
    return {
        "n": len(judged) or len(group),
        "hit@5": _mean(judged, lambda one: float(_got(one, 5) > 0)),
        "hit@10": _mean(judged, lambda one: float(_got(one, 10) > 0)),
        "recall@5": _mean(judged, lambda one: _got(one, 5) / len(one.right)),
        "recall@10": _mean(judged, lambda one: _got(one, 10) / len(one.right)),
        "all@10": _mean(judged, lambda one: float(_got(one, 10) == len(one.right))),
        "ndcg@10": _mean(judged, _ndcg),
        "new_above_old": _mean(pairs, lambda one: float(_newer_first(one))),
        "stale_as_current": _mean(pairs, lambda one: float(_misleads(one))),
        "abstained": _mean(group, lambda one: float(one.empty)),
    }


def _got(one: Asked, depth: int) -> int:
    return len(one.right & set(one.found[:depth]))


def _ndcg(one: Asked) -> float:
    gain = sum(1 / math.log2(r + 1) for r, f in enumerate(one.found[:10], 1) if f in one.right)
    ideal = sum(1 / math.log2(r + 1) for r in range(1, min(len(one.right), 10) + 1))
    return gain / ideal


def _newer_first(one: Asked) -> bool:
    """Whether an up-to-date record is found, and before any outdated one."""
    first = next((f for f in one.found if f in one.right | one.outdated), None)
    return first in one.right


def _misleads(one: Asked) -> bool:
    """Whether an outdated record stands in the top 10 as true now, none newer above it."""
    top = one.found[:10]
    first = next((f for f in top if f in one.right | (one.outdated & one.current)), None)
    return first is not None and first not in one.right


def _mean(group: Sequence[Asked], value: Callable[[Asked], float]) -> float | None:
    return round(sum(map(value, group)) / len(group), 4) if group else None
