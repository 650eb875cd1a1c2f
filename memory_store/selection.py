"""Selection: which of the ranked candidates are returned, within a token budget, and why not."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from memory_store.chunk import Chunk
from memory_store.freshness import Judgement, Verdict, event_time
from memory_store.hits import Dropped, Hit, Passage, Score
from memory_store.protocols import TokenCounter
from memory_store.records import PassageRow

SHARE = 4
"""A chunk of more than the budget's this part is shown by the passage that matched."""

ESCORTED = 5
"""So many of the best hits bring their neighbours along."""


@dataclass(frozen=True, slots=True)
class Found:
    """A ranked chunk with the passage of it that matched; None where a hit brings it along."""

    chunk: Chunk
    passage: PassageRow | None
    score: Score


@dataclass(slots=True)
class Selection:
    """Takes candidates best first until the budget or the limit is reached."""

    judgements: Mapping[str, Judgement]
    count: TokenCounter
    budget: int
    limit: int | None
    past: bool
    stale: Literal["mark", "drop"]
    exclude: set[str]
    tokens: int = 0
    hits: list[Hit] = field(default_factory=list[Hit])
    dropped: list[Dropped] = field(default_factory=list[Dropped])
    _seen: set[str] = field(default_factory=set[str])

    def choose(self, found: Sequence[Found], brought: Mapping[str, Sequence[Found]]) -> None:
        """Take or drop each candidate, best first, the best ones with what belongs to them."""
        for f in found:
            taken = self._consider(f, "search")
            if taken and len(self.hits) <= ESCORTED:
                for other in brought.get(f.chunk.id, ()):
                    self._consider(other, "neighbour")

    def ordered(self) -> tuple[Hit, ...]:
        """The hits, best first; oldest first where the past is asked for."""
        if not self.past:
            return tuple(self.hits)
        return tuple(sorted(self.hits, key=lambda hit: (event_time(hit.chunk), hit.chunk.id)))

    def _consider(self, found: Found, via: Literal["search", "neighbour"]) -> bool:
        chunk = found.chunk
        judgement = self.judgements.get(chunk.id)
        if judgement is None or chunk.id in self._seen:  # forgotten meanwhile, or taken already
            return False
        hit = self._shown(found, judgement, via)
        reason = self._refusal(chunk, judgement, hit)
        if via == "search" or reason is None:
            self._seen.add(chunk.id)
        if reason is not None:
            if via == "search":
                self.dropped.append(Dropped(chunk, found.score, judgement, reason))
            return False
        self.hits.append(hit)
        self.tokens += self.count(hit.text)
        return True

    def _refusal(self, chunk: Chunk, judgement: Judgement, hit: Hit) -> str | None:
        if chunk.id in self.exclude:
            return "it stands in the prompt already"
        verdict = judgement.verdict
        if verdict is Verdict.STALE and self.stale == "drop":
            return f"stale: {judgement.reason}"
        if verdict in (Verdict.SUPERSEDED, Verdict.CHANGED) and not self.past:
            return f"{verdict}: {judgement.reason}"
        if self.limit is not None and len(self.hits) >= self.limit:
            return f"beyond the limit of {self.limit} hits"
        if self.tokens + self.count(hit.text) > self.budget:
            return f"does not fit the budget of {self.budget} tokens"
        return None

    def _shown(
        self, found: Found, judgement: Judgement, via: Literal["search", "neighbour"]
    ) -> Hit:
        """The hit as it would be shown: whole, or by its matching passage where it is long."""
        chunk, row = found.chunk, found.passage
        if row is None or row.total == 1:
            return Hit(chunk, chunk.text, found.score, judgement, via=via)
        passage = Passage(row.place, row.total, row.start, row.end)
        whole = chunk.tokens * SHARE <= self.budget
        text = chunk.text if whole else chunk.text[row.start : row.end].strip()
        return Hit(chunk, text, found.score, judgement, passage, via)
