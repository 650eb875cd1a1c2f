"""The study log in the ledger: every check-in with all its revisions; nothing is ever lost."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, replace
from datetime import date, datetime
from typing import Any

from sqlalchemy import Connection, text

from assistant.errors import UserError
from assistant.phrases import phrase
from assistant.study.check_in import CheckIn
from memory_store.ledger import Ledger, Migration

MIGRATIONS = (
    Migration(
        "study.log",
        1,
        (
            "CREATE TABLE study_log (owner TEXT NOT NULL, id INTEGER NOT NULL,"
            " revision INTEGER NOT NULL, plan TEXT NOT NULL, recorded_at TEXT NOT NULL,"
            " removed INTEGER NOT NULL, data TEXT NOT NULL, PRIMARY KEY (owner, id, revision))",
            "CREATE TABLE study_reviews (owner TEXT NOT NULL, plan TEXT NOT NULL,"
            " task TEXT NOT NULL, reviewed_at TEXT NOT NULL, rating INTEGER NOT NULL)",
        ),
    ),
)


@dataclass(frozen=True, slots=True)
class Entry:
    """One revision of a check-in. The newest revision counts, unless it removes the entry."""

    id: int
    revision: int
    plan: str
    recorded_at: datetime
    removed: bool
    said: CheckIn

    def data(self) -> dict[str, Any]:
        """Return the entry as JSON."""
        return {
            "id": self.id,
            "revision": self.revision,
            "plan": self.plan,
            "date": self.said.day.isoformat(),
            "minutes": self.said.minutes,
            "course": self.said.group,
            "done": list(self.said.done),
            "stuck": self.said.stuck,
            "note": self.said.note,
            "removed": self.removed,
        }


@dataclass(frozen=True, slots=True)
class Reviewed:
    """A review of a finished topic; the rating is FSRS's: 1 again, 2 hard, 3 good, 4 easy."""

    task: str
    at: datetime
    rating: int


class StudyLog:
    """Check-ins and reviews of one owner."""

    def __init__(self, ledger: Ledger, owner: str) -> None:
        ledger.migrate(MIGRATIONS)
        self.ledger = ledger
        self._owner = owner

    def entries(self, plan: str | None = None) -> list[Entry]:
        """Return the entries of a plan (None: of all) that count, by the day they speak of."""
        current = {entry.id: entry for entry in self.history(plan)}
        kept = [entry for entry in current.values() if not entry.removed]
        return sorted(kept, key=lambda entry: (entry.said.day, entry.id))

    def history(self, plan: str | None = None) -> list[Entry]:
        """Return every revision of every entry, in the order in which they were made."""
        with self.ledger.read() as connection:
            rows = connection.execute(
                text(
                    "SELECT * FROM study_log WHERE owner = :owner"
                    " AND (:plan IS NULL OR plan = :plan) ORDER BY id, revision"
                ),
                {"owner": self._owner, "plan": plan},
            ).all()
        return [_entry(row) for row in rows]

    def add(self, connection: Connection, plan: str, said: CheckIn, now: datetime) -> Entry:
        """Store a new entry."""
        last = connection.execute(
            text("SELECT COALESCE(MAX(id), 0) FROM study_log WHERE owner = :owner"),
            {"owner": self._owner},
        ).scalar_one()
        return self._store(connection, Entry(int(last) + 1, 1, plan, now, False, said))

    def amend(self, connection: Connection, entry: Entry, said: CheckIn, now: datetime) -> Entry:
        """Store what an entry should have said; what it said before stays in the history."""
        return self._store(
            connection, replace(entry, revision=entry.revision + 1, recorded_at=now, said=said)
        )

    def remove(self, connection: Connection, entry: Entry, now: datetime) -> Entry:
        """Take an entry out of the count; it stays in the history."""
        return self._store(
            connection, replace(entry, revision=entry.revision + 1, recorded_at=now, removed=True)
        )

    def find(self, plan: str, identifier: int | None) -> Entry:
        """Return an entry that counts, by default the one made last.

        Raises:
            UserError: there is none.
        """
        entries = self.entries(plan)
        if identifier is None and entries:
            return max(entries, key=lambda entry: entry.id)
        for entry in entries:
            if entry.id == identifier:
                return entry
        key = "study.no_entry_yet" if identifier is None else "study.no_entry"
        raise UserError(phrase(key, plan=plan, entry=identifier))

    def reviews(self, plan: str) -> list[Reviewed]:
        """Return every review, in order."""
        with self.ledger.read() as connection:
            rows = connection.execute(
                text(
                    "SELECT task, reviewed_at, rating FROM study_reviews"
                    " WHERE owner = :owner AND plan = :plan ORDER BY reviewed_at, rowid"
                ),
                {"owner": self._owner, "plan": plan},
            ).all()
        return [Reviewed(r.task, datetime.fromisoformat(r.reviewed_at), r.rating) for r in rows]

    def add_review(self, plan: str, review: Reviewed) -> None:
        """Store a review."""
        with self.ledger.write() as connection:
            connection.execute(
                text(
                    "INSERT INTO study_reviews (owner, plan, task, reviewed_at, rating)"
                    " VALUES (:owner, :plan, :task, :at, :rating)"
                ),
                {
                    "owner": self._owner,
                    "plan": plan,
                    "task": review.task,
                    "at": review.at.isoformat(),
                    "rating": review.rating,
                },
            )

    def _store(self, connection: Connection, entry: Entry) -> Entry:
        said = {**asdict(entry.said), "day": entry.said.day.isoformat()}
        connection.execute(
            text(
                "INSERT INTO study_log (owner, id, revision, plan, recorded_at, removed, data)"
                " VALUES (:owner, :id, :revision, :plan, :at, :removed, :data)"
            ),
            {
                "owner": self._owner,
                "id": entry.id,
                "revision": entry.revision,
                "plan": entry.plan,
                "at": entry.recorded_at.isoformat(),
                "removed": int(entry.removed),
                "data": json.dumps(said, ensure_ascii=False),
            },
        )
        return entry


def _entry(row: Any) -> Entry:
    said: dict[str, Any] = json.loads(row.data)
    said["day"] = date.fromisoformat(said["day"])
    said["done"] = tuple(said["done"])
    at = datetime.fromisoformat(row.recorded_at)
    return Entry(row.id, row.revision, row.plan, at, bool(row.removed), CheckIn(**said))
