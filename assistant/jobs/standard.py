"""The assistant's own jobs: check-in, weekly review, memory upkeep, nightly backup."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import datetime, time, tzinfo

from sqlalchemy import Connection

from assistant.jobs.backup import Backups
from assistant.jobs.job import Effect, Job, JobRun
from assistant.jobs.notices import Note, Notices
from assistant.jobs.recurrence import Recurrence, daily, weekly
from assistant.jobs.upkeep import Task, upkeep
from assistant.phrases import Phrase, phrase

BACKUP_AT = time(3, 30)

Say = Callable[[JobRun], str | None]
"""What the user is told at a run; None: nothing."""


def standard_jobs(
    *,
    zone: tzinfo,
    at: time,
    notices: Notices,
    backups: Backups,
    tasks: Mapping[str, Task],
    check_in: Say,
    review: Say,
) -> tuple[Job, ...]:
    """Return the jobs.

    Args:
        zone: the user's zone, whose wall clock they follow.
        at: when the user is told of their study: the check-in daily, the review on Sundays.
        tasks: the parts of the memory's upkeep, by the keys of their names.
    """
    hour, minute = at.hour, at.minute
    hourly = Recurrence("FREQ=HOURLY", datetime(2020, 1, 1), zone)  # noqa: DTZ001 - a wall clock
    nightly = daily(BACKUP_AT.hour, BACKUP_AT.minute, zone)
    return (
        Job(
            "check-in",
            phrase("jobs.check_in", at=f"{at:%H:%M}"),
            daily(hour, minute, zone),
            _telling(notices, check_in),
        ),
        Job(
            "review",
            phrase("jobs.review", at=f"{at:%H:%M}"),
            weekly("SU", hour, minute, zone),
            _telling(notices, review),
        ),
        Job(
            "upkeep",
            phrase("jobs.upkeep"),
            hourly,
            upkeep(tasks),
        ),
        Job(
            "backup",
            phrase("jobs.backup", at=f"{BACKUP_AT:%H:%M}"),
            nightly,
            _backing_up(backups),
        ),
    )


def _telling(notices: Notices, say: Say) -> Callable[[JobRun], Effect]:
    def work(run: JobRun) -> Effect:
        said = say(run)

        def effect(connection: Connection) -> Phrase | str:
            if said is None:
                return phrase("jobs.nothing_to_tell")
            notices.tell(connection, Note(run.key, said, run.due))
            return said.splitlines()[0]

        return effect

    return work


def _backing_up(backups: Backups) -> Callable[[JobRun], Effect]:
    def work(run: JobRun) -> Effect:
        rewritten = backups.erase_forgotten()
        made = backups.make(run.due)
        values = {"file": made.name, "kept": len(backups.list()), "erased": rewritten}
        key = "jobs.backed_up_erased" if rewritten else "jobs.backed_up"
        return lambda _connection: phrase(key, **values)

    return work
