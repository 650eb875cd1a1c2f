"""Keeps the time for jobs in the foreground: APScheduler wakes us, the run ledger decides."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Sequence
from datetime import datetime
from threading import Event
from typing import TYPE_CHECKING, Any

from assistant.jobs.job import Job, PastRun
from assistant.jobs.recurrence import Recurrence

if TYPE_CHECKING:
    from apscheduler.triggers.base import BaseTrigger

LOOK_SECONDS = 15
"""How often reminders, the outbox and runs to retry are looked for."""

_log = logging.getLogger(__name__)


def serve(
    jobs: Sequence[Job],
    catch_up: Callable[[], Iterable[PastRun]],
    *,
    report: Callable[[PastRun], None],
    stop: Event,
) -> None:
    """Run jobs when they are due until `stop` is set.

    Args:
        catch_up: does all that is due now (`Schedule.catch_up`) and returns the runs.
        report: is told of each run.
    """
    from apscheduler.executors.pool import ThreadPoolExecutor
    from apscheduler.schedulers.background import BackgroundScheduler
    from apscheduler.triggers.interval import IntervalTrigger

    def wake() -> None:
        try:
            for run in catch_up():
                report(run)
        except Exception:  # a full disk now may have room at the next look
            _log.exception("the jobs that are due could not be run")

    wake()
    scheduler: Any = BackgroundScheduler(  # APScheduler 3 carries no types
        executors={"default": ThreadPoolExecutor(1)},
        # What is late is never dropped, and what was missed is one run: the ledger merges it.
        job_defaults={"coalesce": True, "misfire_grace_time": None, "max_instances": 1},
    )
    scheduler.add_job(wake, IntervalTrigger(seconds=LOOK_SECONDS), id="look")
    for job in jobs:
        scheduler.add_job(wake, _trigger(job.recurrence), id=job.name)
    scheduler.start()
    try:
        stop.wait()
    finally:
        scheduler.shutdown(wait=True)


def _trigger(recurrence: Recurrence) -> BaseTrigger:
    from apscheduler.triggers.base import BaseTrigger

    class RecurrenceTrigger(BaseTrigger):
        """Fires when the recurrence says."""

        def get_next_fire_time(  # pyright: ignore[reportIncompatibleMethodOverride]
            self, previous_fire_time: datetime | None, now: datetime
        ) -> datetime | None:
            """Return the time of the next run."""
            return recurrence.after(previous_fire_time or now)

    return RecurrenceTrigger()
