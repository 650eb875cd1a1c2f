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
from memory_store.checking import check_text, one_of, several
from memory_store.companions import companions
from memory_store.errors import EmbedderError, InvalidInput
from memory_store.hits import Recall, Score
from memory_store.judging import Hearing
from memory_store.ledger import Ledger
from memory_store.lexical import CONTEXT, LexicalQuery
from memory_store.matters import newest_first
from memory_store.protocols import Embedder, Reranker, TokenCounter, Validator
from memory_store.ranking import Question
from memory_store.rerank import reranked
from memory_store.selection import Found, Policy, Selection
from memory_store.timeframe import asks_for_past, find_timeframes
from memory_store.watch import Watch

if TYPE_CHECKING:
    from memory_store.protocols import Vectors

    Meaning = tuple[Vectors | None, list[tuple[int, float]]]

CONSIDERED = 60
"""How many of the best candidates are judged, and returned or dropped with a reason."""

SAID_BEFORE = 600
"""So many characters of what was said just before are read, its beginning."""

LONGEST = 4_000
"""Characters of a question that are searched with; of a longer one its beginning and its end."""

IRRELEVANT = "nothing in it speaks of what is asked"

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Recaller:
    """Finds what one owner's memory holds on a question.

    Attributes:
        dense: the search by meaning; it keeps to the same owner.
        validator: tells a source's version now, for what has aged.
        zone: the user's zone, for the times in questions.
    """

    ledger: Ledger
    owner: str
    embedder: Embedder
    dense: DenseSearch
    validator: Validator | None
    now: Callable[[], datetime]
    zone: tzinfo
    count_tokens: TokenCounter
    reranker: Reranker | None = None

    def recall(
        self,
        query: str,
        *,
        budget: int,
        context: str = "",
        exclude: Collection[str] = (),
        stale: Literal["mark", "drop"] = "mark",
        limit: int | None = None,
    ) -> Recall:
        """Find, judge and fit; see `MemoryStore.recall`.

        Raises:
            InvalidInput: an empty query, a negative budget or limit.
        """
        _check(query, context, budget, limit)
        one_of("stale", stale, ("mark", "drop"))
        exclude = several("exclude", exclude)
        asked = (
            query if len(query) <= LONGEST else f"{query[: LONGEST // 2]} {query[-LONGEST // 2 :]}"
        )
        watch = Watch()
        now = self.now()
        frames = find_timeframes(asked, now=now, zone=self.zone)
        intervals = tuple(frame.interval for frame in frames)
        past = asks_for_past(asked, now=now, zone=self.zone)
        policy = Policy(budget, limit, past, stale, frozenset(exclude))
        hearing = Hearing(self.owner, now, self.validator)
        context = context[:SAID_BEFORE].strip()
        meaning = self._meaning(asked, context, watch)
        with self.ledger.read() as connection:
            with watch("lexical"):
                words = LexicalQuery(connection, self.owner, asked, context)
            question = Question(asked, intervals, words.coverage)
            found, rest, passed_over = self._search(connection, question, words, meaning, watch)
            with watch("freshness"):
                hearing.take(connection, [f.chunk for f in found + rest])
            with watch("companions"):
                brought = companions(connection, self.owner, found, hearing.judged, now)
                hearing.take(connection, [f.chunk for own in brought.values() for f in own])
        with watch("fit"):
            selection = Selection(policy, hearing, self.count_tokens)
            selection.choose(found, brought)
            selection.leave_out(rest, IRRELEVANT)
            hearing.restart(self.ledger)
        return Recall(
            query=query,
            now=now,
            intervals=intervals,
            past=past,
            hits=selection.ordered(),
            dropped=tuple(selection.dropped),
            passed_over=passed_over,
            tokens=selection.tokens,
            seconds=watch.seconds,
        )

    def _search(
        self,
        connection: Connection,
        question: Question,
        words: LexicalQuery,
        meaning: Meaning,
        watch: Watch,
    ) -> tuple[list[Found], list[Found], int]:
        """What is relevant, best first; what is not, of the best; how many more there were."""
        vector, near = meaning
        with watch("lexical"):
            pool = candidates.gather(connection, self.owner, dense=near, words=words, vector=vector)
        with watch("rank"):
            relevant = {c.id for c in relevance.relevant(pool, words)}
            scores = list(ranking.rank(question, pool).items())
        with watch("read"):
            passage = {c.id: c.passage for c in pool}
            best = [pair for pair in scores if pair[0] in relevant][:CONSIDERED]
            rest = [pair for pair in scores[:CONSIDERED] if pair[0] not in relevant]
            found = self._read(connection, best, passage)
            dropped = self._read(connection, rest, passage)
        passed_over = len(scores) - len(best) - len(rest)
        if self.reranker is None:
            with watch("read"):
                return newest_first(connection, found), dropped, passed_over
        with watch("rerank"):
            return reranked(self.reranker, question.text, found), dropped, passed_over

    def _meaning(self, query: str, context: str, watch: Watch) -> Meaning:
        """The question's vector and the passages near it; nothing where the embedder is out."""
        try:
            with watch("embed"):
                vector = self._vector(query, context)
            with watch("dense"):
                return vector, self.dense(vector, candidates.POOL)
        except EmbedderError as error:  # words still find, and the user sees why in the log
            _log.warning("recall by words only: %s", error)
            return None, []

    def _vector(self, query: str, context: str) -> Vectors:
        """The question's vector, turned a little towards that of what was said just before."""
        if not context:
            return self.embedder.embed([query])[0]
        asked, said = self.embedder.embed([query, context])
        both = asked + CONTEXT * said
        return both / max(float((both @ both) ** 0.5), 1e-9)

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


def _check(query: str, context: str, budget: int, limit: int | None) -> None:
    for name, text in (("query", query), ("context", context)):
        check_text(name, text)
    if not query.strip():
        raise InvalidInput("query is empty; say what to look for.")
    if budget < 0:
        raise InvalidInput(f"budget {budget} is negative; give the tokens that hits may take.")
    if limit is not None and limit < 0:
        raise InvalidInput(f"limit {limit} is negative; give the most hits, or none for no limit.")
