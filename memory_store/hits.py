"""What a recall returns: hits with score and verdict, and what was dropped and why."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING, Literal

from memory_store.chunk import Chunk, Interval
from memory_store.freshness import Judgement, Verdict

if TYPE_CHECKING:
    from pandas import DataFrame


@dataclass(frozen=True, slots=True)
class Passage:
    """The part of a long chunk that matched: `number` of `total`, 1-based; characters start:end."""

    number: int
    total: int
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Score:
    """The parts of a hit's score. Ranks are 1-based; None: not among that side's candidates."""

    total: float
    dense: float | None = None
    dense_rank: int | None = None
    lexical: float | None = None
    lexical_rank: int | None = None
    time: float = 0.0
    neighbour: float = 0.0
    rerank: float | None = None


@dataclass(frozen=True, slots=True)
class Hit:
    """A chunk that recall found, why it is there, and whether it is current.

    Attributes:
        text: what to show: the chunk's text, or the passages of it that fit.
        via: `search`, or `neighbour` where a hit brought it along (a question its answer).
        against: what says otherwise on another authority (see `Judgement.conflicts_with`).
    """

    chunk: Chunk
    text: str
    score: Score
    judgement: Judgement
    passage: Passage | None = None
    via: Literal["search", "neighbour"] = "search"
    against: tuple[Chunk, ...] = ()

    @property
    def verdict(self) -> Verdict:
        """How current the chunk is."""
        return self.judgement.verdict


@dataclass(frozen=True, slots=True)
class Dropped:
    """A candidate that was left out, and why, in one plain clause."""

    chunk: Chunk
    score: Score
    judgement: Judgement
    reason: str

    @property
    def verdict(self) -> Verdict:
        """How current the chunk is."""
        return self.judgement.verdict


@dataclass(frozen=True, slots=True)
class Recall:
    """The result of one recall.

    Attributes:
        now: the time for which freshness was judged, UTC.
        intervals: the spans of time that the question names; empty where it names none.
        past: whether the question asks for what was, so that superseded chunks come back.
        hits: best first; oldest first where the past is asked for.
        passed_over: how many candidates scored below all of these, and were not looked at.
        tokens: the sum of the hits' texts.
        seconds: the time each part took, by name (embed, dense, lexical, fuse, freshness …).
    """

    query: str
    now: datetime
    intervals: tuple[Interval, ...] = ()
    past: bool = False
    hits: tuple[Hit, ...] = ()
    dropped: tuple[Dropped, ...] = ()
    passed_over: int = 0
    tokens: int = 0
    seconds: dict[str, float] = field(default_factory=dict[str, float], compare=False)

    def __iter__(self) -> Iterator[Hit]:
        return iter(self.hits)

    def __len__(self) -> int:
        return len(self.hits)

    def to_pandas(self) -> DataFrame:
        """Return hits and what was dropped as a data frame (needs the `notebooks` extra).

        Raises:
            ExtraMissing: pandas is not installed.
        """
        from memory_store.recall_view import to_pandas

        return to_pandas(self)

    def _repr_html_(self) -> str:
        """Show scores and verdicts as a table, in Jupyter."""
        from memory_store.recall_view import to_html

        return to_html(self)
