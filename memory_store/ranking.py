"""Ranking: a linear score over what shows that a chunk answers a question. Pure, no storage.

Every signal lies between about 0 and 1, so that a weight says how much it counts. The weights were
fitted by listwise softmax loss (Cao et al., 2007) over LoCoMo, BEAM, RealMem and LifeBench, and
judged with whole conversations left out. Recency did not help there: it only breaks ties.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cache

from memory_store.candidates import Candidate
from memory_store.chunk import Interval
from memory_store.hits import Score

WEIGHTS: Mapping[str, float] = {
    "lexical": 1.81,
    "dense": 2.49,
    "coverage": 1.83,
    "lexical_before": 0.42,
    "lexical_after": 0.53,
    "dense_before": 0.45,
    "dense_after": 1.06,
    "session_lexical": 1.77,
    "session_dense": 0.44,
    "session_coverage": 1.58,
    "assistant": -1.91,
    "assistant_asked": 1.46,
    "speaker": 2.27,
    "dated": 1.59,
    "question": -0.98,
    "length": -1.63,
    "in_time": 3.12,
}
"""How much each signal counts; see `_Signals`."""

TIME = ("in_time", "dated")
BESIDE = ("lexical_before", "lexical_after", "dense_before", "dense_after")

_SPEAKER = re.compile(r"\s*([^\s:：][^:：\n]{0,40})[:：]")
_WHEN = re.compile(
    r"^\s*when\b|\b(?:what|which) (?:date|day|month|year|time)\b|\bhow long\b"
    r"|什么时候|何时|几[号日月点]|哪[一]?[天年月日]|多久|日期",
    re.I,
)
_TIME_WORD = re.compile(
    r"\b(?:yesterday|today|tomorrow|tonight|last|next|ago|since|recently|weeks?|months?|years?"
    r"|weekend|(?:mon|tues|wednes|thurs|fri|satur|sun)day|january|february|march|april|june|july"
    r"|august|september|october|november|december|(?:19|20)\d\d)\b"
    r"|\d月|\d[日号]|[昨今明前]天|[上下本这]个?[周月]|去年|今年|明年",
    re.I,
)
_YOU = re.compile(r"\byou\b|你", re.I)


@dataclass(frozen=True, slots=True)
class Question:
    """What the signals need to know of the question.

    Attributes:
        coverage: the share of its weight that a set of its terms makes up.
    """

    text: str
    intervals: Sequence[Interval]
    coverage: Callable[[int], float]


def rank(question: Question, candidates: Sequence[Candidate]) -> dict[str, Score]:
    """Score the candidates of one question: id to score, best first, newest of equals first."""
    import numpy as np

    if not candidates:
        return {}
    signals = _Signals(question, candidates).all()
    weights = np.array([WEIGHTS[name] for name in signals])
    # One row a candidate, summed alike, so that what shows the same has the very same score.
    parts = np.ascontiguousarray((weights[:, None] * np.array(list(signals.values()))).T)
    totals: list[float] = parts.sum(axis=1).tolist()
    places = {name: place for place, name in enumerate(signals)}
    time = parts[:, [places[name] for name in TIME]].sum(axis=1).tolist()
    beside = parts[:, [places[name] for name in BESIDE]].sum(axis=1).tolist()
    order = sorted(range(len(totals)), key=lambda i: (totals[i], candidates[i].id), reverse=True)
    return {
        c.id: Score(
            total=totals[i],
            dense=c.dense,
            dense_rank=c.dense_rank,
            lexical=c.lexical,
            lexical_rank=c.lexical_rank,
            time=time[i],
            neighbour=beside[i],
        )
        for i, c in ((i, candidates[i]) for i in order)
    }


class _Signals:
    """The signals of every candidate of one question."""

    def __init__(self, question: Question, candidates: Sequence[Candidate]) -> None:
        self._question = question
        self._candidates = candidates
        self._lexical = _scaled({c.number: c.lexical for c in candidates}, low=0.0)
        self._dense = _scaled({c.number: c.dense for c in candidates if c.dense is not None})
        self._words = question.text.casefold()
        self._coverage = cache(question.coverage)  # few sets of terms are held by many

    def all(self) -> dict[str, list[float]]:
        """Each signal of all candidates, by the names of `WEIGHTS`."""
        found, coverage = self._candidates, self._coverage
        before = [[n for _, n, _ in c.places if n is not None] for c in found]
        after = [[n for _, _, n in c.places if n is not None] for c in found]
        sessions = self._sessions()
        assistant = [float(c.origin == "assistant") for c in found]
        you = float(_YOU.search(self._question.text) is not None)
        return {
            "lexical": [self._lexical[c.number] for c in found],
            "dense": [self._dense.get(c.number, 0.0) for c in found],
            "coverage": [coverage(c.held) for c in found],
            "lexical_before": _best(self._lexical, before),
            "lexical_after": _best(self._lexical, after),
            "dense_before": _best(self._dense, before),
            "dense_after": _best(self._dense, after),
            "session_lexical": [session[0] for session in sessions],
            "session_dense": [session[1] for session in sessions],
            "session_coverage": [session[2] for session in sessions],
            "assistant": assistant,
            "assistant_asked": [you * by for by in assistant],
            "speaker": [float(self._names_speaker(c.text)) for c in found],
            "dated": self._dated(),
            "question": [float(c.text.rstrip().endswith(("?", "？"))) for c in found],
            "length": [math.log1p(len(c.text)) / 5 for c in found],
            "in_time": [
                float(any(_speaks_of(c, each) for each in self._question.intervals)) for c in found
            ],
        }

    def _sessions(self) -> list[tuple[float, float, float]]:
        """For each candidate its best session's signals."""
        members: dict[str, dict[int, Candidate]] = {}
        for c in self._candidates:
            for session, _, _ in c.places:
                members.setdefault(session, {})[c.number] = c
        signals = {name: self._session(own.values()) for name, own in members.items()}
        alone = (0.0, 0.0, 0.0)
        return [
            max((signals[session] for session, _, _ in c.places), default=alone)
            for c in self._candidates
        ]

    def _session(self, own: Collection[Candidate]) -> tuple[float, float, float]:
        """A session's best three by each side, and how much of the question it covers in all."""
        held = 0
        for c in own:
            held |= c.held
        return (
            _top_three([self._lexical[c.number] for c in own]),
            _top_three([self._dense.get(c.number, 0.0) for c in own]),
            self._coverage(held),
        )

    def _dated(self) -> list[float]:
        """Whether a time is asked for and the text names one."""
        if _WHEN.search(self._question.text) is None:
            return [0.0] * len(self._candidates)
        return [float(_TIME_WORD.search(c.text) is not None) for c in self._candidates]

    def _names_speaker(self, text: str) -> bool:
        """Whether the text opens with a speaker, `Ann: …`, whom the question names."""
        match = _SPEAKER.match(text)
        return match is not None and match[1].casefold() in self._words


def _speaks_of(candidate: Candidate, interval: Interval) -> bool:
    if candidate.about is not None:
        start, end = candidate.about
        return start < interval.end and interval.start <= end
    return interval.holds(candidate.created_at) or interval.holds(candidate.checked_at)


def _best(values: Mapping[int, float], groups: Sequence[Sequence[int]]) -> list[float]:
    """Of each group of chunks the greatest value; 0 for those that are not among them."""
    return [max([values.get(number, 0.0) for number in group], default=0.0) for group in groups]


def _top_three(values: Sequence[float]) -> float:
    return sum(sorted(values)[-3:]) / 3


def _scaled(values: Mapping[int, float], low: float | None = None) -> dict[int, float]:
    """Values from 0 for `low`, or the least, to 1 for the greatest."""
    if not values:
        return {}
    low = min(values.values()) if low is None else low
    span = max(values.values()) - low
    return {key: (value - low) / span if span > 0 else 0.0 for key, value in values.items()}
