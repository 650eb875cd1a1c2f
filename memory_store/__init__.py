"""A memory that is found, and knows what is out of date (SQLite ledger, Chroma index)."""

from memory_store.chunk import Chunk, Draft, Freshness, Interval, Kind, Origin, Scope
from memory_store.forget import Forgotten
from memory_store.freshness import Judgement, Verdict
from memory_store.hits import Dropped, Hit, Passage, Recall, Score
from memory_store.stats import Stats
from memory_store.store import MemoryStore

__all__ = [
    "Chunk",
    "Draft",
    "Dropped",
    "Forgotten",
    "Freshness",
    "Hit",
    "Interval",
    "Judgement",
    "Kind",
    "MemoryStore",
    "Origin",
    "Passage",
    "Recall",
    "Scope",
    "Score",
    "Stats",
    "Verdict",
]
