"""Counting what a memory holds, without loading embedder, index or validators."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from sqlalchemy import Connection, exists, func, or_, select

from memory_store import judging, records, tables
from memory_store.ledger import Ledger
from memory_store.tables import from_micros


@dataclass(frozen=True, slots=True)
class Stats:
    """What one owner's memory holds.

    Attributes:
        copies: how often a stored text was said again.
        kinds: chunks by kind.
        verdicts: chunks by verdict now (validators are not asked, so that what they could
            revalidate counts as stale).
        conflicts: chunks whose subject is contradicted on another authority.
        unembedded: passages without a vector yet; they are found by words only.
        unindexed: vectors that the index does not hold yet; they are searched exactly.
        ledger_bytes, index_bytes: what the files take on disk.
        embedder: the fingerprint of the embedder that made the vectors; empty where none has.
        holder: which process writes the index now, `pid@host`.
    """

    chunks: int
    copies: int
    passages: int
    kinds: dict[str, int]
    verdicts: dict[str, int]
    conflicts: int
    sessions: int
    subjects: int
    oldest: datetime | None
    newest: datetime | None
    unembedded: int
    unindexed: int
    ledger_bytes: int
    index_bytes: int
    embedder: str
    holder: str | None

    @property
    def pending(self) -> int:
        """Passages that the index does not hold yet."""
        return self.unembedded + self.unindexed


def read_stats(ledger: Ledger, owner: str, now: datetime, index: Path, holder: str | None) -> Stats:
    """Count the owner's chunks; `index` is the folder of the vector index."""
    c = tables.chunks.c
    with ledger.read() as connection:
        rows = connection.execute(
            select(c.kind, func.count()).where(c.owner == owner).group_by(c.kind)
        )
        kinds = {str(kind): int(n) for kind, n in rows.tuples()}
        copies, subjects, oldest, newest = connection.execute(
            select(
                func.sum(c.copies - 1),
                func.count(c.subject.distinct()),
                func.min(c.created_at),
                func.max(c.created_at),
            ).where(c.owner == owner)
        ).one()
        verdicts, conflicts = count_verdicts(connection, owner, now)
        state = records.states(connection)
        vectors, sessions, passages, unembedded = connection.exec_driver_sql(
            "SELECT (SELECT count(*) FROM vectors WHERE number > ?),"
            " (SELECT count(DISTINCT o.session) FROM occurrences o JOIN chunks c"
            "   ON c.number = o.chunk WHERE c.owner = ? AND o.session != ''),"
            " count(*), coalesce(sum(embedded = 0), 0) FROM passages p JOIN chunks c"
            " ON c.number = p.chunk WHERE c.owner = ?",
            (int(state["indexed"]), owner, owner),
        ).one()
    return Stats(
        chunks=sum(kinds.values()),
        copies=copies or 0,
        passages=passages,
        kinds=kinds,
        verdicts=verdicts,
        conflicts=conflicts,
        sessions=sessions,
        subjects=subjects,
        oldest=None if oldest is None else from_micros(oldest),
        newest=None if newest is None else from_micros(newest),
        unembedded=unembedded,
        unindexed=vectors,
        ledger_bytes=_size(ledger.path.parent.glob(f"{ledger.path.name}*")),
        index_bytes=_size(index.rglob("*")),
        embedder=state["fingerprint"],
        holder=holder,
    )


def count_verdicts(connection: Connection, owner: str, now: datetime) -> tuple[dict[str, int], int]:
    """How many of the owner's chunks have each verdict, and how many are contradicted."""
    c = tables.chunks.c
    made = exists().where(tables.chunk_sources.c.chunk == c.number)
    judged = judging.judge_stored(
        connection,
        owner,
        list(
            connection.scalars(
                select(c.id).where(
                    c.owner == owner, or_(c.subject.is_not(None), c.max_age.is_not(None), made)
                )
            )
        ),
        now,
    )
    counts = Counter(str(judgement.verdict) for judgement in judged.values())
    # Without subject, age or sources a chunk is fresh; those are not read at all.
    counts["fresh"] += records.count(connection, owner) - len(judged)
    return dict(counts), sum(bool(judgement.conflicts_with) for judgement in judged.values())


def _size(files: Iterable[Path]) -> int:
    return sum(path.stat().st_size for path in files if path.is_file())
