"""All that happens on schedule for one owner, in one place: jobs, reminders, notes, backups."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import time, tzinfo
from pathlib import Path
from threading import Event
from typing import TYPE_CHECKING, Literal

from assistant.context.wording import Language
from assistant.jobs.job import PastRun
from assistant.jobs.notices import Notices
from assistant.jobs.notifiers import Notifier
from assistant.jobs.outbox import Outbox
from assistant.jobs.reminders import Reminders
from assistant.jobs.runner import Runner
from assistant.jobs.upkeep import Task
from memory_store.ledger import Ledger
from memory_store.once import once
from memory_store.protocols import Clock

if TYPE_CHECKING:
    from assistant.jobs.backup import Backups
    from assistant.study.companion import Study

LOCK = "jobs.lock"


@dataclass(frozen=True, slots=True)
class CaughtUp:
    """What was due and has been done: job runs, reminders told, notes that arrived."""

    runs: tuple[PastRun, ...]
    reminders: int
    sent: int


class Schedule:
    """The jobs and reminders of one owner.

    Attributes:
        reminders: reminders and to-dos.
        notices: what the user is to be told in the next chat.
        outbox: what goes out by the notifiers.
        backups: the backups of the ledger.
    """

    def __init__(
        self,
        ledger: Ledger,
        home: Path,
        *,
        clock: Clock,
        zone: tzinfo,
        notifiers: Mapping[str, Notifier],
        backups: Backups,
        study: Callable[[], Study],
        study_at: time,
        upkeep: Mapping[str, Task],
        owner: str = "me",
        language: Language | Literal["auto"] = "auto",
        told_in: Callable[[], Language] = lambda: "en",
    ) -> None:
        """Take the parts.

        Args:
            study: opens the study companion, which says what the user is told of their plans.
            study_at: when they are told, on their clock.
            upkeep: the parts of the memory's upkeep, by the keys of their names.
            told_in: the language in which it is kept what jobs did.
        """
        self.backups = backups
        self.notices = Notices(ledger, notifiers, owner=owner)
        self.reminders = Reminders(
            ledger, self.notices, clock=clock, zone=zone, owner=owner, language=language
        )
        self.outbox = Outbox(ledger, notifiers, clock=clock, owner=owner, told_in=told_in)
        self._ledger = ledger
        self._lock = home / LOCK
        self._clock = clock
        self._owner = owner
        self._zone = zone
        self._study = study
        self._study_at = study_at
        self._upkeep = upkeep
        self._told_in = told_in

    @once
    def runner(self) -> Runner:
        """Runs jobs and keeps their history. Jobs are due from its first use in a home on."""
        from assistant.jobs.standard import standard_jobs
        from assistant.jobs.study_notes import check_in_note, review_note

        jobs = standard_jobs(
            zone=self._zone,
            at=self._study_at,
            notices=self.notices,
            backups=self.backups,
            tasks={**self._upkeep, "jobs.notes": lambda: self.notices.tidy(self._clock())},
            check_in=lambda run: check_in_note(self._study(), run),
            review=lambda run: review_note(self._study(), run),
        )
        return Runner(
            self._ledger,
            jobs,
            clock=self._clock,
            owner=self._owner,
            lock=self._lock,
            told_in=self._told_in,
        )

    def catch_up(self) -> CaughtUp:
        """Do all that is due now: tell of reminders, run jobs, send notes.

        What was missed while nothing ran is merged: one run a job, one note a reminder.
        """
        told = self.reminders.tell_due()
        sent = self.outbox.deliver()  # before the jobs, which may take long
        runs = self.runner.run_due()
        return CaughtUp(tuple(runs), told, sent + self.outbox.deliver())

    def any_due(self) -> bool:
        """Whether a job waits to be run, or a note to be sent; reads the ledger only."""
        return self.outbox.waiting() or any(
            self.runner.due(job) is not None for job in self.runner.jobs.values()
        )

    def serve(self, report: Callable[[PastRun], None], stop: Event) -> None:
        """Keep running what is due until `stop` is set; `report` is told of each run."""
        from assistant.jobs.scheduler import serve

        jobs = list(self.runner.jobs.values())
        serve(jobs, lambda: self.catch_up().runs, report=report, stop=stop)
