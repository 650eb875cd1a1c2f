"""A memory that is found, and knows what is out of date (SQLite ledger, Chroma index)."""

from memory_store.chunk import Chunk, Draft, Freshness, Interval, Kind, Origin, Scope
from memory_store.freshness import Judgement, Verdict
from memory_store.hits import Dropped, Hit, Passage, Recall, Score

__all__ = [
    "Chunk",
    "Draft",
    "Dropped",
    "Freshness",
    "Hit",
    "Interval",
    "Judgement",
    "Kind",
    "Origin",
    "Passage",
    "Recall",
    "Scope",
    "Score",
    "Verdict",
]
