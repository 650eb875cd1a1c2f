"""Checking that the ledger, its words, its vectors and the index hold the same."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import Connection

from memory_store import erasure, lexical, records
from memory_store.errors import MemoryStoreError
from memory_store.ledger import Ledger
from memory_store.shared_index import SharedIndex
from memory_store.stats import count_verdicts

REPAIR = "'assistant memory reindex' builds it anew."

UNERASED = (
    "what was forgotten still stands in the files, for a process was stopped or holds them;"
    " it is erased when that one ends and with the next command."
)


@dataclass(frozen=True, slots=True)
class Verification:
    """What a check found.

    Attributes:
        problems: each in one line, with what to do about it; empty where all is well.
        vectors: how many passages have a vector; the others wait for the embedder.
        indexed: how many vectors the index holds; the others wait for it, and are searched.
        verdicts: the owner's chunks by verdict now.
    """

    ok: bool
    problems: tuple[str, ...]
    chunks: int
    passages: int
    vectors: int
    indexed: int
    verdicts: dict[str, int]


def verify(ledger: Ledger, owner: str, index: SharedIndex, now: datetime) -> Verification:
    """Check everything that is stored, every owner's. Repairs nothing."""
    with ledger.read() as connection:
        problems = [*_database(connection), *_words(connection)]
        chunks = records.count(connection)
        passages, embedded, vectors = connection.exec_driver_sql(
            "SELECT count(*), coalesce(sum(embedded), 0), (SELECT count(*) FROM vectors)"
            " FROM passages"
        ).one()
        if embedded != vectors:
            problems.append(f"{embedded} passages are marked as embedded, {vectors} vectors exist.")
        if erasure.waits(connection):
            problems.append(UNERASED)
        verdicts, _ = count_verdicts(connection, owner, now)
    held: set[str] = set()
    try:
        held, expected = index.contents()
        if missing := len(expected - held):
            problems.append(f"the index lacks {missing} passages that it should hold. {REPAIR}")
        with ledger.read() as connection:
            extra = len(held - records.passage_ids(connection))
        if extra:
            problems.append(f"the index holds {extra} passages that are not stored. {REPAIR}")
    except MemoryStoreError as error:
        problems.append(f"{error} {REPAIR}")
    return Verification(
        not problems, tuple(problems), chunks, passages, vectors, len(held), verdicts
    )


def _database(connection: Connection) -> list[str]:
    found = [
        str(row[0])
        for row in connection.exec_driver_sql("PRAGMA integrity_check")
        if row[0] != "ok"
    ]
    broken = connection.exec_driver_sql("PRAGMA foreign_key_check").all()
    if broken:
        found.append(f"{len(broken)} rows of the ledger refer to rows that do not exist.")
    return found


def _words(connection: Connection) -> list[str]:
    """Whether every passage stands in the lexical index, once."""
    held = lexical.rowids(connection)
    stored = set(connection.exec_driver_sql("SELECT number FROM passages").scalars())
    if held == stored:
        return []
    return [
        f"{len(stored - held)} passages are not found by their words,"
        f" {len(held - stored)} words' rows have no passage."
    ]
