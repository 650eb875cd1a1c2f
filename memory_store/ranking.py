"""Ranking: the candidates of both sides on one scale. Pure functions, no storage."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from memory_store.hits import Score

LEXICAL = 0.55
NEIGHBOUR = 0.25
TIME = 0.15


@dataclass(frozen=True, slots=True)
class Evidence:
    """What is known of one candidate for one question.

    Attributes:
        before, after: the candidates said just before and after it.
        in_time: whether it was said, or speaks of, the time that the question names.
    """

    id: str
    dense: float | None
    dense_rank: int | None
    lexical: float
    lexical_rank: int | None
    before: tuple[str, ...] = ()
    after: tuple[str, ...] = ()
    in_time: bool = False


def rank(evidence: Sequence[Evidence]) -> dict[str, Score]:
    """Score the candidates of one question: id to score, best first, newest of equals first."""
    dense = _scaled({e.id: e.dense for e in evidence if e.dense is not None})
    lexical = _scaled({e.id: e.lexical for e in evidence})
    own = {e.id: LEXICAL * lexical[e.id] + (1 - LEXICAL) * dense.get(e.id, 0.0) for e in evidence}
    scores: dict[str, Score] = {}
    for e in evidence:
        neighbour = NEIGHBOUR * sum(own.get(id_, 0.0) for id_ in (*e.before, *e.after))
        time = TIME if e.in_time else 0.0
        scores[e.id] = Score(
            total=own[e.id] + neighbour + time,
            dense=e.dense,
            dense_rank=e.dense_rank,
            lexical=e.lexical,
            lexical_rank=e.lexical_rank,
            time=time,
            neighbour=neighbour,
        )
    best = sorted(scores, reverse=True)
    return {id_: scores[id_] for id_ in sorted(best, key=lambda id_: -scores[id_].total)}


def _scaled(values: Mapping[str, float]) -> dict[str, float]:
    """Values from 0 for the least to 1 for the greatest."""
    if not values:
        return {}
    low, high = min(values.values()), max(values.values())
    span = high - low
    return {id_: (value - low) / span if span > 0 else 0.0 for id_, value in values.items()}
