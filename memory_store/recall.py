"""Recall: search both ways, fuse, judge every hit, bring neighbours along, fit a token budget."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, tzinfo
from typing import TYPE_CHECKING, Literal

from memory_store import candidates, ranking, records
from memory_store.candidates import Candidate, DenseSearch
from memory_store.chunk import Chunk, Interval
from memory_store.errors import EmbedderError, InvalidInput
from memory_store.freshness import Judgement
from memory_store.hits import Recall, Score
from memory_store.ledger import Ledger
from memory_store.lexical import LexicalQuery
from memory_store.protocols import Embedder, Reranker, TokenCounter
from memory_store.ranking import Evidence
from memory_store.selection import Found, Selection
from memory_store.timeframe import asks_for_past, find_timeframes

if TYPE_CHECKING:
    from memory_store.protocols import Vectors

CONSIDERED = 60
"""How many of the best candidates are judged, and returned or dropped with a reason."""

_log = logging.getLogger(__name__)

Judge = Callable[[Collection[str]], dict[str, Judgement]]


class Recaller:
    """Finds what one owner's memory holds on a question."""

    def __init__(
        self,
        ledger: Ledger,
        owner: str,
        *,
        embedder: Embedder,
        dense: DenseSearch,
        judge: Judge,
        now: Callable[[], datetime],
        zone: tzinfo,
        count_tokens: TokenCounter,
        reranker: Reranker | None = None,
    ) -> None:
        self._ledger = ledger
        self._owner = owner
        self._embedder = embedder
        self._dense = dense
        self._judge = judge
        self._now = now
        self._zone = zone
        self._count = count_tokens
        self._reranker = reranker

    def recall(
        self,
        query: str,
        *,
        budget: int,
        exclude: Collection[str] = (),
        stale: Literal["mark", "drop"] = "mark",
        limit: int | None = None,
    ) -> Recall:
        """Find, judge and fit; see `MemoryStore.recall`.

        Raises:
            InvalidInput: an empty query, a negative budget or limit.
        """
        _check(query, budget, limit)
        watch = _Watch()
        now = self._now()
        frames = find_timeframes(query, now=now, zone=self._zone)
        intervals = tuple(frame.interval for frame in frames)
        past = asks_for_past(query, now=now, zone=self._zone)
        found = self._search(query, intervals, watch)
        with watch("freshness"):
            judgements = self._judge([f.chunk.id for f in found])
        with watch("neighbours"):
            brought = self._brought(found)
            judgements |= self._judge([f.chunk.id for group in brought.values() for f in group])
        with watch("fit"):
            selection = Selection(judgements, self._count, budget, limit, past, stale, set(exclude))
            selection.choose(found, brought)
        return Recall(
            query=query,
            now=now,
            intervals=intervals,
            past=past,
            hits=selection.ordered(),
            dropped=tuple(selection.dropped),
            tokens=selection.tokens,
            seconds=watch.seconds,
        )

    def _search(self, query: str, intervals: Sequence[Interval], watch: _Watch) -> list[Found]:
        """The best candidates, best first."""
        vector, near = self._meaning(query, watch)
        with self._ledger.read() as connection:
            with watch("lexical"):
                words = LexicalQuery(connection, self._owner, query)
                pool = candidates.gather(
                    connection, self._owner, dense=near, query=words, vector=vector
                )
            with watch("fuse"):
                beside = records.neighbours(connection, self._owner, [c.chunk.id for c in pool])
        with watch("fuse"):
            scores = ranking.rank([_evidence(c, beside, intervals) for c in pool])
            by_id = {c.chunk.id: c for c in pool}
            best = [Found(by_id[i].chunk, by_id[i].passage, s) for i, s in scores.items()]
        return best[:CONSIDERED]

    def _meaning(self, query: str, watch: _Watch) -> tuple[Vectors | None, list[tuple[int, float]]]:
        """The question's vector and the passages near it; nothing where the embedder is out."""
        try:
            with watch("embed"):
                vector = self._embedder.embed([query])[0]
            with watch("dense"):
                return vector, self._dense(vector, candidates.POOL)
        except EmbedderError as error:  # words still find, and the user sees why in the log
            _log.warning("recall by words only: %s", error)
            return None, []

    def _brought(self, found: Sequence[Found]) -> dict[str, list[Found]]:
        """What each hit brings along: a question its answer, an answer or a result its question."""
        with self._ledger.read() as connection:
            beside = records.neighbours(connection, self._owner, [f.chunk.id for f in found])
            ids = {id_ for pairs in beside.values() for id_, _ in pairs}
            chunks = records.by_id(connection, self._owner, ids)
        brought: dict[str, list[Found]] = {}
        for f in found:
            pairs = [(chunks[i], away) for i, away in beside.get(f.chunk.id, []) if i in chunks]
            brought[f.chunk.id] = [
                Found(chunk, None, Score(f.score.total, neighbour=f.score.total))
                for chunk, away in pairs
                if _belongs(f.chunk, chunk, away)
            ]
        return brought


def _check(query: str, budget: int, limit: int | None) -> None:
    if not query.strip():
        raise InvalidInput("query is empty; say what to look for.")
    if budget < 0:
        raise InvalidInput(f"budget {budget} is negative; give the tokens that hits may take.")
    if limit is not None and limit < 0:
        raise InvalidInput(f"limit {limit} is negative; give the most hits, or none for no limit.")


def _belongs(chunk: Chunk, other: Chunk, away: int) -> bool:
    """Whether `other`, said `away` places after `chunk`, completes it."""
    if chunk.scope.turn and chunk.scope.turn != other.scope.turn:
        return False
    wanted = "answer" if chunk.kind == "question" else "question"
    ahead = away > 0 if chunk.kind == "question" else away < 0
    return chunk.kind in ("question", "answer", "tool_result") and other.kind == wanted and ahead


def _evidence(
    candidate: Candidate,
    beside: Mapping[str, Sequence[tuple[str, int]]],
    intervals: Sequence[Interval],
) -> Evidence:
    chunk = candidate.chunk
    pairs = beside.get(chunk.id, ())
    return Evidence(
        id=chunk.id,
        dense=candidate.dense,
        dense_rank=candidate.dense_rank,
        lexical=candidate.lexical,
        lexical_rank=candidate.lexical_rank,
        before=tuple(id_ for id_, away in pairs if away < 0),
        after=tuple(id_ for id_, away in pairs if away > 0),
        in_time=any(_speaks_of(chunk, interval) for interval in intervals),
    )


def _speaks_of(chunk: Chunk, interval: Interval) -> bool:
    about = chunk.about
    if about is not None and about.start < interval.end and interval.start <= about.end:
        return True
    return interval.holds(chunk.created_at)


@dataclass(slots=True)
class _Watch:
    """Adds up how long each named part takes."""

    seconds: dict[str, float] = field(default_factory=dict[str, float])

    def __call__(self, name: str) -> _Lap:
        return _Lap(self.seconds, name)


@dataclass(slots=True)
class _Lap:
    seconds: dict[str, float]
    name: str
    started: float = 0.0

    def __enter__(self) -> None:
        self.started = time.perf_counter()

    def __exit__(self, *_: object) -> None:
        taken = time.perf_counter() - self.started
        self.seconds[self.name] = self.seconds.get(self.name, 0.0) + taken
