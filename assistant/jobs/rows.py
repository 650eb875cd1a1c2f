"""The ledger tables of jobs, reminders, notices and the outbox, and how times stand in them."""

from __future__ import annotations

from datetime import UTC, datetime

from memory_store.ledger import Migration

MIGRATIONS = (
    Migration(
        "jobs",
        1,
        (
            "CREATE TABLE job_seen (owner TEXT NOT NULL, job TEXT NOT NULL, since TEXT NOT NULL,"
            " PRIMARY KEY (owner, job)) WITHOUT ROWID",
            "CREATE TABLE job_runs (number INTEGER PRIMARY KEY AUTOINCREMENT, owner TEXT NOT NULL,"
            " job TEXT NOT NULL, first_due TEXT NOT NULL, due TEXT NOT NULL, covers INTEGER"
            " NOT NULL, ok INTEGER NOT NULL, detail TEXT NOT NULL, at TEXT NOT NULL)",
            # The key that makes a due time take effect once, whoever runs it.
            "CREATE UNIQUE INDEX job_runs_key ON job_runs (owner, job, due) WHERE ok = 1",
            "CREATE TABLE reminders (number INTEGER PRIMARY KEY AUTOINCREMENT, owner TEXT NOT NULL,"
            " text TEXT NOT NULL, due TEXT, rule TEXT NOT NULL, start TEXT, status TEXT NOT NULL,"
            " made_at TEXT NOT NULL, told_at TEXT, done_at TEXT, turn TEXT NOT NULL)",
            "CREATE INDEX reminders_due ON reminders (owner, due) WHERE status = 'open'",
            "CREATE TABLE notices (number INTEGER PRIMARY KEY AUTOINCREMENT, owner TEXT NOT NULL,"
            " key TEXT NOT NULL, text TEXT NOT NULL, at TEXT NOT NULL, shown_at TEXT,"
            " UNIQUE (owner, key))",
            "CREATE TABLE outbox (number INTEGER PRIMARY KEY AUTOINCREMENT, owner TEXT NOT NULL,"
            " key TEXT NOT NULL, channel TEXT NOT NULL, text TEXT NOT NULL, at TEXT NOT NULL,"
            " attempts INTEGER NOT NULL DEFAULT 0, next_at TEXT NOT NULL, sent_at TEXT,"
            " problem TEXT, UNIQUE (owner, key, channel))",
            "CREATE INDEX outbox_waiting ON outbox (owner, next_at) WHERE sent_at IS NULL",
        ),
    ),
)


def stamp(moment: datetime) -> str:
    """Write an aware time, so that texts compare as times do."""
    return moment.astimezone(UTC).isoformat(timespec="microseconds")


def moment_of(text: str) -> datetime:
    """Read what `stamp` wrote."""
    return datetime.fromisoformat(text)
