"""Recall: search both ways, rank, judge every hit, bring along what belongs to it, fit a budget."""

from __future__ import annotations

import logging
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from datetime import datetime, tzinfo
from typing import TYPE_CHECKING, Literal

from sqlalchemy import Connection

from memory_store import candidates, ranking, records, relevance
from memory_store.candidates import DenseSearch
from memory_store.chunk import Interval
from memory_store.companions import companions
from memory_store.errors import EmbedderError, InvalidInput
from memory_store.freshness import Judgement
from memory_store.hits import Recall, Score
from memory_store.ledger import Ledger
from memory_store.lexical import LexicalQuery
from memory_store.matters import newest_first
from memory_store.protocols import Embedder, Reranker, TokenCounter
from memory_store.ranking import Question
from memory_store.rerank import reranked
from memory_store.selection import Found, Policy, Selection
from memory_store.timeframe import asks_for_past, find_timeframes
from memory_store.watch import Watch

if TYPE_CHECKING:
    from memory_store.protocols import Vectors

CONSIDERED = 60
"""How many of the best candidates are judged, and returned or dropped with a reason."""

_log = logging.getLogger(__name__)

Judge = Callable[[Collection[str]], dict[str, Judgement]]


@dataclass(frozen=True, slots=True)
class Recaller:
    """Finds what one owner's memory holds on a question.

    Attributes:
        dense: the search by meaning; it keeps to the same owner.
        judge: judges chunks for now; ids that it does not know are left out.
        zone: the user's zone, for the times in questions.
    """

    ledger: Ledger
    owner: str
    embedder: Embedder
    dense: DenseSearch
    judge: Judge
    now: Callable[[], datetime]
    zone: tzinfo
    count_tokens: TokenCounter
    reranker: Reranker | None = None

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
        watch = Watch()
        now = self.now()
        frames = find_timeframes(query, now=now, zone=self.zone)
        intervals = tuple(frame.interval for frame in frames)
        past = asks_for_past(query, now=now, zone=self.zone)
        policy = Policy(budget, limit, past, stale, frozenset(exclude))
        found = self._search(query, intervals, watch)
        with watch("freshness"):
            judgements = self.judge([f.chunk.id for f in found])
        with watch("companions"):
            with self.ledger.read() as connection:
                brought = companions(connection, self.owner, found, judgements, now)
            judgements |= self.judge({f.chunk.id for own in brought.values() for f in own})
        with watch("fit"):
            selection = Selection(policy, judgements, self.count_tokens)
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

    def _search(self, query: str, intervals: Sequence[Interval], watch: Watch) -> list[Found]:
        """What is relevant, best first."""
        vector, near = self._meaning(query, watch)
        with self.ledger.read() as connection:
            with watch("lexical"):
                words = LexicalQuery(connection, self.owner, query)
                pool = candidates.gather(
                    connection, self.owner, dense=near, words=words, vector=vector
                )
            with watch("rank"):
                asked = Question(query, intervals, words.coverage)
                relevant = {c.id for c in relevance.relevant(pool, words)}
                scores = ranking.rank(asked, pool)
                best = [pair for pair in scores.items() if pair[0] in relevant][:CONSIDERED]
            with watch("read"):
                found = self._read(connection, best, {c.id: c.passage for c in pool})
                if self.reranker is None:
                    return newest_first(connection, found)
        with watch("rerank"):
            return reranked(self.reranker, query, found)

    def _meaning(self, query: str, watch: Watch) -> tuple[Vectors | None, list[tuple[int, float]]]:
        """The question's vector and the passages near it; nothing where the embedder is out."""
        try:
            with watch("embed"):
                vector = self.embedder.embed([query])[0]
            with watch("dense"):
                return vector, self.dense(vector, candidates.POOL)
        except EmbedderError as error:  # words still find, and the user sees why in the log
            _log.warning("recall by words only: %s", error)
            return None, []

    def _read(
        self, connection: Connection, scores: Sequence[tuple[str, Score]], passage: dict[str, int]
    ) -> list[Found]:
        chunks = records.by_id(connection, self.owner, [id_ for id_, _ in scores])
        rows = records.passages(connection, self.owner, [passage[id_] for id_, _ in scores])
        return [
            Found(chunks[id_], rows.get(passage[id_]), score)
            for id_, score in scores
            if id_ in chunks
        ]


def _check(query: str, budget: int, limit: int | None) -> None:
    if not query.strip():
        raise InvalidInput("query is empty; say what to look for.")
    if budget < 0:
        raise InvalidInput(f"budget {budget} is negative; give the tokens that hits may take.")
    if limit is not None and limit < 0:
        raise InvalidInput(f"limit {limit} is negative; give the most hits, or none for no limit.")
