"""What leaves the machine: each note goes out at least once, with its key, and is retried."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import Row, text

from assistant.jobs.notices import Note
from assistant.jobs.notifiers import Notifier, NotifierFailed
from assistant.jobs.rows import MIGRATIONS, moment_of, stamp
from memory_store.ledger import Ledger
from memory_store.protocols import Clock

LEASE = timedelta(minutes=2)
"""For so long a note is left to the process that sends it; then another one may."""
RETRY_AFTER = timedelta(minutes=1)
RETRY_AT_MOST = timedelta(hours=6)
ATTEMPTS = 12
"""After so many failures, about a day later, a note is given up; the chat still shows it."""

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Sending:
    """A note on its way: `problem` is why the last attempt failed, `sent_at` when it arrived."""

    note: Note
    channel: str
    attempts: int
    sent_at: datetime | None
    problem: str | None


class Outbox:
    """The outgoing notes of one owner."""

    def __init__(
        self,
        ledger: Ledger,
        notifiers: Mapping[str, Notifier],
        *,
        clock: Clock,
        owner: str = "me",
        told_in: Callable[[], str] = lambda: "en",
    ) -> None:
        """Take the notifiers; `told_in` is the language in which it is kept why one failed."""
        self._ledger = ledger
        self._notifiers = dict(notifiers)
        self._clock = clock
        self._owner = owner
        self._told_in = told_in
        ledger.migrate(MIGRATIONS)

    def deliver(self) -> int:
        """Send what is due, each note once unless it fails or the process dies; how many arrived.

        A note is marked as sent after it has arrived: a crash between the two sends it again,
        with the same key.
        """
        arrived = 0
        while (row := self._take()) is not None:
            note = Note(row.key, row.text, moment_of(row.at))
            try:
                self._notifiers[row.channel].send(note)
            except NotifierFailed as error:
                _log.warning("%s did not take %s", row.channel, row.key)
                self._failed(row, error.said.text(self._told_in()))
            else:
                self._sent(row)
                arrived += 1
        return arrived

    def waiting(self) -> bool:
        """Whether a note is due to be sent."""
        with self._ledger.read() as connection:
            values = self._values(self._clock())
            return connection.scalar(text(f"SELECT 1 {_WAITING}"), values) is not None

    def sendings(self, limit: int = 20) -> list[Sending]:
        """The latest notes that went out or wait, newest first."""
        with self._ledger.read() as connection:
            rows = connection.execute(
                text("SELECT * FROM outbox WHERE owner = :owner ORDER BY number DESC LIMIT :limit"),
                {"owner": self._owner, "limit": limit},
            )
            return [
                Sending(
                    Note(row.key, row.text, moment_of(row.at)),
                    row.channel,
                    row.attempts,
                    moment_of(row.sent_at) if row.sent_at else None,
                    row.problem,
                )
                for row in rows
            ]

    def _take(self) -> Row[Any] | None:
        """Lease the next note that is due, so that no other process sends it meanwhile."""
        now = self._clock()
        if not self.waiting():  # most often: then there is no need to write
            return None
        with self._ledger.write() as connection:
            return connection.execute(
                text(
                    "UPDATE outbox SET attempts = attempts + 1, next_at = :leased WHERE number ="
                    f" (SELECT number {_WAITING} ORDER BY number LIMIT 1) RETURNING *"
                ),
                {**self._values(now), "leased": stamp(now + LEASE)},
            ).one_or_none()

    def _values(self, now: datetime) -> dict[str, object]:
        channels = ",".join(self._notifiers)
        return {
            "owner": self._owner,
            "now": stamp(now),
            "most": ATTEMPTS,
            "channels": f",{channels},",
        }

    def _sent(self, row: Row[Any]) -> None:
        # What was said is kept in the notices; here only that it went out.
        self._update(row, "sent_at = :now, text = '', problem = NULL", now=stamp(self._clock()))

    def _failed(self, row: Row[Any], problem: str) -> None:
        wait = min(RETRY_AFTER * 2 ** min(row.attempts - 1, 20), RETRY_AT_MOST)
        again = stamp(self._clock() + wait)
        self._update(row, "next_at = :again, problem = :problem", again=again, problem=problem)

    def _update(self, row: Row[Any], change: str, **values: str) -> None:
        with self._ledger.write() as connection:
            connection.execute(
                text(f"UPDATE outbox SET {change} WHERE number = :number"),
                {"number": row.number, **values},
            )


_WAITING = (
    "FROM outbox WHERE owner = :owner AND sent_at IS NULL AND next_at <= :now"
    " AND attempts < :most AND instr(:channels, ',' || channel || ',') > 0"
)
