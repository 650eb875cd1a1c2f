"""Reminders and to-dos: kept in the ledger, told once when they are due, repeated by their rule."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, tzinfo
from typing import Any, Literal, get_args

from sqlalchemy import Connection, Row, text

from assistant.context.wording import Language, language_for
from assistant.errors import UserError
from assistant.jobs.moments import Moment, impossible_time, parse_moment, to_do
from assistant.jobs.notices import Note, Notices
from assistant.jobs.recurrence import Recurrence
from assistant.jobs.rows import MIGRATIONS, moment_of, stamp
from assistant.jobs.wording import describe, reminder_note
from assistant.phrases import phrase
from assistant.study.days import find_days
from memory_store import Chunk
from memory_store.ledger import Ledger
from memory_store.protocols import Clock
from memory_store.quotes import own_parts, unremembered

Status = Literal["open", "done", "cancelled"]
LONGEST = 1000
HINT = phrase("remind.hint")


@dataclass(frozen=True, slots=True)
class Reminder:
    """Something to do.

    Attributes:
        number: what the user calls it by.
        due: when it is told next, or was told last where it does not repeat; None: a plain to-do.
        rule: how it repeats (RFC 5545), counted from `start` on the user's wall clock; or empty.
        told_at: when the user was told last.
        done_at: when it was last done.
    """

    number: int
    text: str
    due: datetime | None
    rule: str
    start: datetime | None
    status: Status
    made_at: datetime
    told_at: datetime | None = None
    done_at: datetime | None = None

    def overdue(self, now: datetime) -> bool:
        """Whether it should have been done by now, and is not."""
        return self.status == "open" and self.due is not None and self.due < now

    @property
    def told(self) -> bool:
        """Whether the user has been told of its due time."""
        return self.told_at is not None and self.due is not None and self.told_at >= self.due


class Reminders:
    """The reminders of one owner. Every change is durable when the method returns."""

    def __init__(
        self,
        ledger: Ledger,
        notices: Notices,
        *,
        clock: Clock,
        zone: tzinfo,
        owner: str = "me",
        language: Language | Literal["auto"] = "auto",
    ) -> None:
        """Take the parts; `language` is that of what is told, `auto`: of each reminder's words."""
        self._ledger = ledger
        self._notices = notices
        self._clock = clock
        self.zone = zone
        self._owner = owner
        self._language: Language | Literal["auto"] = language
        ledger.migrate(MIGRATIONS)

    def add(self, what: str, when: str | None = None, *, turn: str = "") -> Reminder:
        """Add a reminder, or a plain to-do where no time is given.

        Args:
            what: what to do; where `when` is None, a time in it counts.
            when: the time in words, English or Chinese, or an ISO 8601 time.
            turn: the turn of the conversation in which it was asked for.

        Raises:
            UserError: `what` is empty or too long; `when` is no time, or one that has passed;
                the day that `what` names does not exist, such as 30 February.
        """
        moment = self._moment(what if when is None else when, required=when is not None)
        if when is None:
            if moment is None:
                # Refuses a day that does not exist: a to-do would never be told.
                find_days(what, today=self._clock().astimezone(self.zone).date())
            what = moment.rest if moment is not None else to_do(what)
        task = " ".join(what.split())
        if not task:
            raise UserError(phrase("remind.nothing_to_do"), hint=phrase("remind.nothing_hint"))
        if len(task) > LONGEST:
            raise UserError(phrase("remind.too_long", length=len(task), most=LONGEST))
        with self._ledger.write() as connection:
            row = connection.execute(
                text(
                    "INSERT INTO reminders (owner, text, due, rule, start, status, made_at, turn)"
                    " VALUES (:owner, :text, :due, :rule, :start, 'open', :now, :turn) RETURNING *"
                ),
                {
                    "owner": self._owner,
                    "text": task,
                    "due": stamp(moment.at) if moment else None,
                    "rule": moment.rule if moment else "",
                    "start": moment.start.isoformat() if moment else None,
                    "now": stamp(self._clock()),
                    "turn": turn,
                },
            ).one()
            return _reminder(row)

    def read(self, words: str) -> Moment | None:
        """The time to come that `words` name, with what else they say; None where there is none."""
        moment = parse_moment(words, self._clock(), self.zone)
        return moment if moment is not None and moment.at > self._clock() else None

    def list(self, status: Status | None = "open") -> list[Reminder]:
        """The reminders of that status (None: all), the next due first, plain to-dos last."""
        with self._ledger.read() as connection:
            rows = connection.execute(
                text(
                    "SELECT * FROM reminders WHERE owner = :owner AND (:status IS NULL"
                    " OR status = :status) ORDER BY due IS NULL, due, number"
                ),
                {"owner": self._owner, "status": status},
            )
            return [_reminder(row) for row in rows]

    def describe(self, reminder: Reminder, language: Language | None = None) -> str:
        """A reminder in one line, by default in its own language."""
        chosen = language or language_for(self._language, reminder.text)
        return describe(reminder, self._clock(), self.zone, chosen)

    def find(self, which: str) -> Reminder:
        """Return the open reminder of that number, or the one whose text holds these words.

        Raises:
            UserError: there is none, or more than one.
        """
        asked = which.strip().lstrip("#").casefold()
        every = self.list()
        if asked.isdecimal():
            found = [each for each in every if each.number == int(asked)]
        else:
            found = [each for each in every if asked and asked in each.text.casefold()]
        if not found:
            said = phrase("remind.not_found", which=which.strip())
            raise UserError(said, hint=phrase("remind.not_found_hint"))
        if len(found) > 1:
            choice = "; ".join(f"{each.number}: {each.text}" for each in found)
            said = phrase("remind.may_mean", which=which.strip(), choice=choice)
            raise UserError(said, hint=phrase("remind.may_mean_hint"))
        return found[0]

    def snooze(self, which: str, until: str) -> Reminder:
        """Tell it again at that time; one that repeats goes on by its rule after that.

        Raises:
            UserError: there is no such reminder, or `until` is no time to come.
        """
        reminder, moment = self.find(which), self._moment(until, required=True)
        assert moment is not None  # or it would have been refused
        if moment.rule:
            raise UserError(phrase("remind.repeats", until=until), hint=HINT)
        return self._change(reminder, "due = :due, told_at = NULL", due=stamp(moment.at))

    def complete(self, which: str) -> Reminder:
        """Note that it is done; one that repeats is done for this time and due again by its rule.

        Raises:
            UserError: there is no such reminder.
        """
        reminder, now = self.find(which), stamp(self._clock())
        if not reminder.rule or reminder.due is None:
            return self._change(reminder, "status = 'done', done_at = :now", now=now)
        told, done = reminder.told_at, reminder.done_at
        if told is not None and (done is None or done < told):
            return self._change(reminder, "done_at = :now", now=now)
        # Done ahead of its time: it is not told for this time any more.
        following = self._following(reminder, reminder.due)
        return self._change(reminder, "due = :due, done_at = :now", due=stamp(following), now=now)

    def cancel(self, which: str) -> Reminder:
        """Take it off the list.

        Raises:
            UserError: there is no such reminder.
        """
        return self._change(self.find(which), "status = 'cancelled'")

    def tell_due(self) -> int:
        """Have the user told of what is due, each time once; how many notes were made.

        Times of one reminder that were missed are merged into one note, which says so.
        """
        now = self._clock()
        with self._ledger.read() as connection:  # most often nothing is due: no need to write
            if not self._due(connection, now):
                return 0
        with self._ledger.write() as connection:
            due = self._due(connection, now)
            for reminder in due:
                self._tell(connection, reminder, now)
            return len(due)

    def next_due(self) -> datetime | None:
        """When the next reminder is to be told, UTC."""
        waiting = [each.due for each in self.list() if each.due is not None and not each.told]
        return min(waiting, default=None)

    def forget(self, connection: Connection, chunks: Sequence[Chunk]) -> None:
        """Remove what was asked for in these questions' turns, or quotes a chunk, with its notes.

        For `MemoryStore.on_forget`: it is part of the transaction in which the store forgets.
        """
        turns = {chunk.scope.turn for chunk in chunks if chunk.kind == "question"} - {""}
        parts = {part for chunk in chunks if not chunk.copies for part in own_parts(chunk.text)}
        rows = connection.execute(
            text("SELECT number, text, turn FROM reminders WHERE owner = :owner"),
            {"owner": self._owner},
        ).all()
        for row in rows:
            quoted = [part for part in parts if part in row.text]
            if row.turn in turns or unremembered(connection, self._owner, quoted):
                values = {"number": row.number}
                connection.execute(text("DELETE FROM reminders WHERE number = :number"), values)
                self._notices.forget(connection, f"{_key(row.number)}@")

    def _moment(self, words: str, *, required: bool) -> Moment | None:
        now = self._clock()
        if (wrong := impossible_time(words, now, self.zone)) is not None:
            raise UserError(phrase("remind.no_such_time", time=wrong), hint=HINT)
        moment = parse_moment(words, now, self.zone)
        if moment is None:
            if required:
                raise UserError(phrase("remind.not_a_time", words=words), hint=HINT)
            return None
        if moment.at <= now:
            said = f"{moment.at.astimezone(self.zone):%Y-%m-%d %H:%M}"
            raise UserError(phrase("remind.passed", words=words, time=said), hint=HINT)
        return moment

    def _due(self, connection: Connection, now: datetime) -> list[Reminder]:
        rows = connection.execute(
            text(
                "SELECT * FROM reminders WHERE owner = :owner AND status = 'open' AND due <= :now"
                " AND (told_at IS NULL OR told_at < due) ORDER BY due, number"
            ),
            {"owner": self._owner, "now": stamp(now)},
        )
        return [_reminder(row) for row in rows]

    def _tell(self, connection: Connection, reminder: Reminder, now: datetime) -> None:
        due = reminder.due or now
        missed = 0
        following = due
        if reminder.rule:
            missed = sum(1 for _ in self._recurrence(reminder).between(due, now))
            following = self._following(reminder, now)
        key = f"{_key(reminder.number)}@{stamp(due)}"
        language = language_for(self._language, reminder.text)
        words = reminder_note(reminder.text, due, self.zone, missed=missed, language=language)
        self._notices.tell(connection, Note(key, words, due))
        connection.execute(
            text("UPDATE reminders SET due = :due, told_at = :now WHERE number = :number"),
            {"due": stamp(following), "now": stamp(now), "number": reminder.number},
        )

    def _recurrence(self, reminder: Reminder) -> Recurrence:
        start = reminder.start or reminder.made_at.astimezone(self.zone).replace(tzinfo=None)
        return Recurrence(reminder.rule, start, self.zone)

    def _following(self, reminder: Reminder, after: datetime) -> datetime:
        return self._recurrence(reminder).after(after) or after

    def _change(self, reminder: Reminder, change: str, **values: str) -> Reminder:
        with self._ledger.write() as connection:
            row = connection.execute(
                text(f"UPDATE reminders SET {change} WHERE number = :number RETURNING *"),
                {"number": reminder.number, **values},
            ).one()
            return _reminder(row)


def _key(number: int) -> str:
    return f"reminder:{number}"


def _reminder(row: Row[Any]) -> Reminder:
    assert row.status in get_args(Status)
    return Reminder(
        number=row.number,
        text=row.text,
        due=moment_of(row.due) if row.due else None,
        rule=row.rule,
        start=datetime.fromisoformat(row.start) if row.start else None,
        status=row.status,
        made_at=moment_of(row.made_at),
        told_at=moment_of(row.told_at) if row.told_at else None,
        done_at=moment_of(row.done_at) if row.done_at else None,
    )
