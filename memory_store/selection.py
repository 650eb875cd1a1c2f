"""Selection: which of the ranked candidates are returned, within a token budget, and why not."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from memory_store.chunk import Chunk
from memory_store.freshness import Judgement, Verdict, event_time
from memory_store.hits import Dropped, Hit, Passage, Score
from memory_store.judging import Hearing
from memory_store.protocols import TokenCounter
from memory_store.records import PassageRow

SHARE = 4
"""A chunk of more than this part of the budget is shown by the passage that matched."""


@dataclass(frozen=True, slots=True)
class Found:
    """A ranked chunk with the passage of it that matched; None where a hit brings it along."""

    chunk: Chunk
    passage: PassageRow | None
    score: Score


@dataclass(frozen=True, slots=True)
class Policy:
    """What may be returned.

    Attributes:
        budget: the most tokens in all.
        past: whether what was is asked for, so that what is superseded or changed comes too.
        stale: whether what is stale comes marked, or is dropped.
        exclude: ids of chunks that the prompt holds already.
    """

    budget: int
    limit: int | None = None
    past: bool = False
    stale: Literal["mark", "drop"] = "mark"
    exclude: frozenset[str] = frozenset()

    def admits(self, verdict: Verdict) -> bool:
        """Whether what is not current may come, as what it is."""
        return self.stale == "mark" if verdict is Verdict.STALE else self.past


@dataclass(slots=True)
class Selection:
    """Takes candidates best first until the budget or the limit is reached.

    Validators are asked only about what would be returned.
    """

    policy: Policy
    hearing: Hearing
    count: TokenCounter
    tokens: int = 0
    dropped: list[Dropped] = field(default_factory=list[Dropped])
    _taken: dict[str, tuple[float, Hit]] = field(default_factory=dict[str, tuple[float, Hit]])
    _settled: set[str] = field(default_factory=set[str])

    def choose(self, found: Sequence[Found], brought: Mapping[str, Sequence[Found]]) -> None:
        """Take or drop each of `found`, best first, each with what it brings along.

        What is brought along, and was found itself, keeps its own place in the order.
        """
        places = {f.chunk.id: (place, f) for place, f in enumerate(found)}
        for place, f in enumerate(found):
            if f.chunk.id in self._settled:
                continue
            if not self._offer(f, place) and not self._replaced(f):
                continue
            for other in brought.get(f.chunk.id, ()):
                if other.chunk.id in self._settled | self._taken.keys():
                    continue
                if other.chunk.id in places:
                    own_place, own = places[other.chunk.id]
                    self._offer(own, own_place)
                else:
                    self._consider(other, place + 0.5, "neighbour")

    def ordered(self) -> tuple[Hit, ...]:
        """The hits, best first; oldest first where the past is asked for."""
        pairs = sorted(self._taken.values(), key=lambda pair: pair[0])
        hits = [hit for _, hit in pairs]
        if self.policy.past:
            hits.sort(key=lambda hit: (event_time(hit.chunk), hit.chunk.id))
        return tuple(hits)

    def leave_out(self, found: Sequence[Found], reason: str) -> None:
        """Drop for one reason what of these was not brought along either."""
        for f in found:
            if f.chunk.id not in self._taken:
                self._drop(f, reason)

    def _offer(self, found: Found, place: int) -> bool:
        """Settle what was found: whether it is taken; what is not is dropped, with the reason."""
        self._settled.add(found.chunk.id)
        reason = self._consider(found, place, "search")
        if reason is not None:
            self._drop(found, reason)
        return reason is None

    def _drop(self, found: Found, reason: str) -> None:
        judgement = self.hearing.judged[found.chunk.id]
        self.dropped.append(Dropped(found.chunk, found.score, judgement, reason))

    def _consider(
        self, found: Found, place: float, via: Literal["search", "neighbour"]
    ) -> str | None:
        """Take what is found, or say why not."""
        id_ = found.chunk.id
        hit = self._shown(found, via)
        size = self.count(hit.text)
        reason = self._refusal(hit, size)
        if reason is None:
            judgement = self.hearing.decide(id_)
            hit = replace(hit, judgement=judgement, against=self.hearing.against(id_))
            reason = self._out_of_date(hit.judgement)
        if reason is None:
            self._taken[id_] = (place, hit)
            self.tokens += size
        return reason

    def _refusal(self, hit: Hit, size: int) -> str | None:
        """Why this is not returned, as far as no validator need be asked."""
        policy = self.policy
        if hit.chunk.id in policy.exclude:
            return "it stands in the prompt already"
        if not self.hearing.open(hit.chunk.id) and (why := self._out_of_date(hit.judgement)):
            return why
        if policy.limit is not None and len(self._taken) >= policy.limit:
            return f"beyond the limit of {policy.limit} hits"
        if self.tokens + size > policy.budget:
            return f"does not fit the budget of {policy.budget} tokens"
        if hit.via == "neighbour" and size * SHARE > policy.budget:
            return "too long to be brought along"
        return None

    def _out_of_date(self, judgement: Judgement) -> str | None:
        verdict = judgement.verdict
        if verdict.current or self.policy.admits(verdict):
            return None
        return f"{verdict}: {judgement.reason}"

    def _replaced(self, found: Found) -> bool:
        """Whether what was dropped has a newer one in its place."""
        return self.hearing.judged[found.chunk.id].verdict is Verdict.SUPERSEDED

    def _shown(self, found: Found, via: Literal["search", "neighbour"]) -> Hit:
        """The hit as it would be shown: whole, or by its matching passage where it is long."""
        chunk, row = found.chunk, found.passage
        judgement = self.hearing.judged[chunk.id]
        if row is None or row.total == 1:
            return Hit(chunk, chunk.text, found.score, judgement, via=via)
        passage = Passage(row.place, row.total, row.start, row.end)
        whole = chunk.tokens * SHARE <= self.policy.budget
        text = chunk.text if whole else chunk.text[row.start : row.end].strip()
        return Hit(chunk, text, found.score, judgement, passage, via)
