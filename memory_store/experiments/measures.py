"""Measures of retrieval, question by question (ir_measures), and their means with intervals."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

from memory_store.experiments.corpora import Conversation, Question
from memory_store.extras import needs

if TYPE_CHECKING:
    from pandas import DataFrame

MEASURES = (
    "hit@5",
    "hit@10",
    "recall@5",
    "recall@10",
    "all@10",
    "ndcg@10",
    "new_above_old",
    "stale_as_current",
    "abstained",
)
"""Each is between 0 and 1, and empty for a question that it does not apply to."""

_STANDARD = {
    "hit@5": "Success@5",
    "hit@10": "Success@10",
    "recall@5": "R@5",
    "recall@10": "R@10",
    "ndcg@10": "nDCG@10",
}
RESAMPLES = 2_000


@dataclass(frozen=True)
class Asked:
    """One question with what a system found: ranked keys, the right ones and the outdated ones.

    Attributes:
        current: what of it the system presents as true now.
    """

    conversation: str
    question: Question
    found: tuple[str, ...]
    right: frozenset[str]
    outdated: frozenset[str] = frozenset()
    current: frozenset[str] = frozenset()


def by_record(
    conversation: Conversation,
    question: Question,
    places: Sequence[int],
    current: Iterable[int] = (),
) -> Asked:
    """What was found, record by record."""
    names = conversation.records
    return Asked(
        conversation.id,
        question,
        found=tuple(dict.fromkeys(names[place] for place in places)),
        right=question.evidence,
        outdated=question.stale,
        current=frozenset(names[place] for place in current),
    )


def by_session(conversation: Conversation, question: Question, places: Sequence[int]) -> Asked:
    """What was found, session by session: each ranks where its first record does."""
    session_of = dict(zip(conversation.records, conversation.sessions, strict=True))
    right = question.sessions or frozenset(session_of[record] for record in question.evidence)
    found = tuple(dict.fromkeys(conversation.sessions[place] for place in places))
    return Asked(conversation.id, question, found, right)


def measure(asked: Sequence[Asked]) -> DataFrame:
    """Return one row a question, with a column for each of `MEASURES`."""
    pandas = needs("pandas")
    standard = _standard(asked)
    rows = [
        {
            "conversation": one.conversation,
            "question": one.question.id,
            "category": one.question.category,
            "answerable": one.question.answerable,
            "text": one.question.text,
            "found": list(one.found[:10]),
            "right": sorted(one.right),
            **standard[place],
            "all@10": float(one.right <= set(one.found[:10])) if one.right else None,
            **_of_pairs(one),
            "abstained": float(not one.found),
        }
        for place, one in enumerate(asked)
    ]
    frame: DataFrame = pandas.DataFrame(rows)
    return frame.astype(dict.fromkeys(MEASURES, "float64")) if rows else frame


def _standard(asked: Sequence[Asked]) -> list[dict[str, float | None]]:
    """The well-known measures, of ir_measures; empty where there is nothing to find."""
    library = needs("ir_measures")
    names = {library.parse_measure(short): name for name, short in _STANDARD.items()}
    right = [
        library.Qrel(str(place), key, 1) for place, one in enumerate(asked) for key in one.right
    ]
    found = [
        library.ScoredDoc(str(place), key, float(-rank))
        for place, one in enumerate(asked)
        for rank, key in enumerate(one.found)
    ]
    values: list[dict[str, float | None]] = [
        dict.fromkeys(_STANDARD, 0.0 if one.right else None) for one in asked
    ]
    if right:
        for value in library.iter_calc(list(names), right, found):
            values[int(value.query_id)][names[value.measure]] = float(value.value)
    return values


def _of_pairs(one: Asked) -> dict[str, float | None]:
    """Whether the up-to-date record stands above the outdated one, and which passes as current."""
    if not one.outdated or not one.right:
        return {"new_above_old": None, "stale_as_current": None}
    both = one.right | one.outdated
    presented = one.right | (one.outdated & one.current)
    first = next((key for key in one.found if key in both), None)
    misleading = next((key for key in one.found[:10] if key in presented), None)
    return {
        "new_above_old": float(first in one.right),
        "stale_as_current": float(misleading is not None and misleading not in one.right),
    }


def summary(results: DataFrame, by: Sequence[str] = ("setting",), level: float = 0.95) -> DataFrame:
    """Return the means by group, category and measure, with their confidence intervals.

    The intervals are percentile bootstraps (Efron, 1979) that draw whole conversations, because
    the questions of one are alike. Of a single conversation there is none.

    Args:
        results: rows of `measure`, with the columns of `by` beside.

    Returns:
        Columns: those of `by`, category, measure, mean, low, high, n (questions), conversations.
        The category `all` is what is answerable: adversarial questions have no right answer.
    """
    pandas = needs("pandas")
    answerable: Any = results[results["answerable"]].assign(category="all")
    both: Any = pandas.concat([answerable, results])
    rows: list[dict[str, Any]] = []
    for keys, group in both.groupby([*by, "category"], sort=False):
        named = dict(zip([*by, "category"], cast("tuple[Any, ...]", keys), strict=True))
        for name in MEASURES:
            values = group[["conversation", name]].dropna()
            if len(values):
                rows.append({**named, "measure": name, **_interval(values, name, level)})
    return pandas.DataFrame(rows)


def _ratio(sums: Any, counts: Any, axis: int) -> Any:
    return sums.sum(axis=axis) / counts.sum(axis=axis)


def _interval(values: Any, name: str, level: float) -> dict[str, float | int]:
    conversations = values.groupby("conversation")[name].agg(["sum", "count"])
    sums, counts = conversations["sum"].to_numpy(), conversations["count"].to_numpy()
    low = high = float("nan")
    if len(sums) > 1:
        drawn = needs("scipy.stats").bootstrap(
            (sums, counts),
            _ratio,
            paired=True,
            vectorized=True,
            method="percentile",
            confidence_level=level,
            n_resamples=RESAMPLES,
            rng=needs("numpy").random.default_rng(0),
        )
        low, high = drawn.confidence_interval
    return {
        "mean": float(sums.sum() / counts.sum()),
        "low": float(low),
        "high": float(high),
        "n": int(counts.sum()),
        "conversations": len(sums),
    }
