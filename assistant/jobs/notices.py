"""What the user is to be told: in the next chat, and through the outbox by each notifier."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy import Connection, text

from assistant.jobs.rows import MIGRATIONS, moment_of, stamp
from assistant.phrases import Phrase, phrase
from memory_store.ledger import Ledger

KEPT = timedelta(days=30)
"""How long a note is kept after it was shown or sent."""


@dataclass(frozen=True, slots=True)
class Note:
    """One thing to tell. `key` is the same at every attempt, so that a receiver can tell."""

    key: str
    text: str
    at: datetime


class Notices:
    """The notes of one owner. A key is told once, however often it is given."""

    def __init__(
        self, ledger: Ledger, channels: Collection[str] = (), *, owner: str = "me"
    ) -> None:
        """Take where to write, and the names of the notifiers that each note goes out by."""
        self._ledger = ledger
        self._channels = tuple(channels)
        self._owner = owner
        ledger.migrate(MIGRATIONS)

    def tell(self, connection: Connection, note: Note) -> bool:
        """Have the user told, as part of the caller's transaction; False: the key is known."""
        values = {
            "owner": self._owner,
            "key": note.key,
            "text": note.text,
            "at": stamp(note.at),
        }
        new = connection.execute(
            text(
                "INSERT OR IGNORE INTO notices (owner, key, text, at)"
                " VALUES (:owner, :key, :text, :at)"
            ),
            values,
        )
        if new.rowcount == 0:
            return False
        for channel in self._channels:
            connection.execute(
                text(
                    "INSERT INTO outbox (owner, key, channel, text, at, next_at)"
                    " VALUES (:owner, :key, :channel, :text, :at, :at)"
                ),
                {**values, "channel": channel},
            )
        return True

    def forget(self, connection: Connection, prefix: str) -> None:
        """Remove the notes whose keys begin so, shown or not, sent or not."""
        for table in ("notices", "outbox"):
            connection.execute(
                text(
                    f"DELETE FROM {table} WHERE owner = :owner"
                    " AND substr(key, 1, length(:prefix)) = :prefix"
                ),
                {"owner": self._owner, "prefix": prefix},
            )

    def tidy(self, now: datetime) -> Phrase:
        """Delete what was shown, and what was sent or given up, long ago; says how much."""
        deleted = 0
        with self._ledger.write() as connection:
            for table, done in (("notices", "shown_at"), ("outbox", "coalesce(sent_at, next_at)")):
                deleted += connection.execute(
                    text(f"DELETE FROM {table} WHERE owner = :owner AND {done} < :before"),
                    {"owner": self._owner, "before": stamp(now - KEPT)},
                ).rowcount
        return phrase("jobs.tidied", count=deleted)

    def pending(self) -> tuple[Note, ...]:
        """What the user has not been shown in a chat yet, oldest first."""
        with self._ledger.read() as connection:
            rows = connection.execute(
                text(
                    "SELECT key, text, at FROM notices WHERE owner = :owner AND shown_at IS NULL"
                    " ORDER BY number"
                ),
                {"owner": self._owner},
            )
            return tuple(Note(row.key, row.text, moment_of(row.at)) for row in rows)

    def shown(self, notes: Collection[Note], now: datetime) -> None:
        """Note that these have been shown, so that they are not shown again."""
        if not notes:
            return
        with self._ledger.write() as connection:
            connection.execute(
                text(
                    "UPDATE notices SET shown_at = :now"
                    " WHERE owner = :owner AND key = :key AND shown_at IS NULL"
                ),
                [{"now": stamp(now), "owner": self._owner, "key": note.key} for note in notes],
            )
