"""Ranking: a linear score over what shows that a chunk answers a question. Pure, no storage.

Every signal lies between about 0 and 1, so that a weight says how much it counts. The weights were
fitted by listwise softmax loss (Cao et al., 2007) over LoCoMo, BEAM, RealMem and LifeBench, and
judged with whole conversations left out. Recency did not help there: it only breaks ties.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

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
"""How much each signal counts; see `_Signals.of`."""

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
    signals = _Signals(question, candidates)
    scores = {c.id: _score(c, signals.of(c)) for c in candidates}
    newest_first = sorted(scores, reverse=True)
    return {id_: scores[id_] for id_ in sorted(newest_first, key=lambda id_: -scores[id_].total)}


def _score(candidate: Candidate, signals: Mapping[str, float]) -> Score:
    parts = {name: WEIGHTS[name] * value for name, value in signals.items()}
    return Score(
        total=sum(parts.values()),
        dense=candidate.dense,
        dense_rank=candidate.dense_rank,
        lexical=candidate.lexical,
        lexical_rank=candidate.lexical_rank,
        time=parts["in_time"] + parts["dated"],
        neighbour=sum(parts[name] for name in BESIDE),
    )


class _Signals:
    """The signals of every candidate of one question."""

    def __init__(self, question: Question, candidates: Sequence[Candidate]) -> None:
        self._question = question
        self._lexical = _scaled({c.number: c.lexical for c in candidates}, low=0.0)
        self._dense = _scaled({c.number: c.dense for c in candidates if c.dense is not None})
        self._sessions: dict[str, list[Candidate]] = {}
        for c in candidates:
            for session in {session for session, _, _ in c.places}:
                self._sessions.setdefault(session, []).append(c)
        self._of_session = {name: self._session(own) for name, own in self._sessions.items()}
        self._words = question.text.casefold()
        self._asks_assistant = float(_YOU.search(question.text) is not None)
        self._when = _WHEN.search(question.text) is not None

    def of(self, candidate: Candidate) -> dict[str, float]:
        """The signals of one candidate, by the names of `WEIGHTS`."""
        question, text = self._question, candidate.text
        before = [n for _, n, _ in candidate.places if n is not None]
        after = [n for _, _, n in candidate.places if n is not None]
        sessions = [self._of_session[session] for session, _, _ in candidate.places]
        session = max(sessions, default=(0.0, 0.0, 0.0))
        by_assistant = float(candidate.origin == "assistant")
        return {
            "lexical": self._lexical[candidate.number],
            "dense": self._dense.get(candidate.number, 0.0),
            "coverage": question.coverage(candidate.held),
            "lexical_before": _best(self._lexical, before),
            "lexical_after": _best(self._lexical, after),
            "dense_before": _best(self._dense, before),
            "dense_after": _best(self._dense, after),
            "session_lexical": session[0],
            "session_dense": session[1],
            "session_coverage": session[2],
            "assistant": by_assistant,
            "assistant_asked": by_assistant * self._asks_assistant,
            "speaker": float(self._names_speaker(text)),
            "dated": float(self._when and _TIME_WORD.search(text) is not None),
            "question": float(text.rstrip().endswith(("?", "？"))),
            "length": math.log1p(len(text)) / 5,
            "in_time": float(any(_speaks_of(candidate, i) for i in question.intervals)),
        }

    def _session(self, own: Sequence[Candidate]) -> tuple[float, float, float]:
        """A session's best three by each side, and how much of the question it covers in all."""
        held = 0
        for c in own:
            held |= c.held
        return (
            _top_three([self._lexical[c.number] for c in own]),
            _top_three([self._dense.get(c.number, 0.0) for c in own]),
            self._question.coverage(held),
        )

    def _names_speaker(self, text: str) -> bool:
        """Whether the text opens with a speaker, `Ann: …`, whom the question names."""
        match = _SPEAKER.match(text)
        return match is not None and match[1].casefold() in self._words


def _speaks_of(candidate: Candidate, interval: Interval) -> bool:
    if candidate.about is not None:
        start, end = candidate.about
        return start < interval.end and interval.start <= end
    return interval.holds(candidate.created_at)


def _best(values: Mapping[int, float], numbers: Sequence[int]) -> float:
    return max((values.get(number, 0.0) for number in numbers), default=0.0)


def _top_three(values: Sequence[float]) -> float:
    return sum(sorted(values)[-3:]) / 3


def _scaled(values: Mapping[int, float], low: float | None = None) -> dict[int, float]:
    """Values from 0 for `low`, or the least, to 1 for the greatest."""
    if not values:
        return {}
    low = min(values.values()) if low is None else low
    span = max(values.values()) - low
    return {key: (value - low) / span if span > 0 else 0.0 for key, value in values.items()}
