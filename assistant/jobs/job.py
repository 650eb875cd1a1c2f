"""What a job is: a name, when it is due, and work whose effect is one ledger transaction."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import Connection

from assistant.jobs.recurrence import Recurrence
from assistant.jobs.rows import stamp
from assistant.phrases import Phrase

Effect = Callable[[Connection], Phrase | str]
"""Writes what a run leaves behind, in the transaction that claims it; returns one line on it."""


@dataclass(frozen=True, slots=True)
class JobRun:
    """One run of a job, for the due times that it covers.

    Attributes:
        first_due: the earliest due time that is covered.
        due: the latest one, by which the run is known.
        covers: how many due times are covered; more than one after the machine was off.
        now: when it runs.
    """

    job: str
    first_due: datetime
    due: datetime
    covers: int
    now: datetime

    @property
    def key(self) -> str:
        """Names the run for a receiver, the same at every attempt."""
        return f"{self.job}@{stamp(self.due)}"


@dataclass(frozen=True, slots=True)
class Job:
    """A job.

    Attributes:
        about: what it does, in one line for people.
        work: does the long part, which must be harmless to repeat, and returns the effect, which
            takes place exactly once.
    """

    name: str
    about: Phrase
    recurrence: Recurrence
    work: Callable[[JobRun], Effect]


@dataclass(frozen=True, slots=True)
class PastRun:
    """A run as the ledger keeps it. `detail` says what it did, or what went wrong."""

    job: str
    first_due: datetime
    due: datetime
    covers: int
    ok: bool
    detail: str
    at: datetime
