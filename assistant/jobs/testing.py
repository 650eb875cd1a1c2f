"""For tests of jobs: work whose effect is a mark in the ledger, and the marks."""

from __future__ import annotations

from sqlalchemy import Connection, text

from assistant.jobs.job import Effect, JobRun
from memory_store.ledger import Ledger


def prepare_marks(ledger: Ledger) -> None:
    """Make the table of marks."""
    with ledger.write() as connection:
        connection.execute(text("CREATE TABLE IF NOT EXISTS marks (run TEXT, covers INTEGER)"))


def marking(run: JobRun) -> Effect:
    """Work whose effect is one mark."""

    def effect(connection: Connection) -> str:
        connection.execute(
            text("INSERT INTO marks VALUES (:run, :covers)"), {"run": run.key, "covers": run.covers}
        )
        return "marked"

    return effect


def marks(ledger: Ledger) -> list[tuple[str, int]]:
    """Every effect that took place: the run's key, and how many due times it covers."""
    with ledger.read() as connection:
        rows = connection.execute(text("SELECT run, covers FROM marks ORDER BY rowid"))
        return [(str(row.run), int(row.covers)) for row in rows]
