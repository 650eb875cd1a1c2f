"""Runs jobs that are due: each due time takes effect once, whatever restarts, sleeps or crashes."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Sequence
from datetime import UTC, datetime, timedelta, tzinfo
from pathlib import Path
from typing import Any

from filelock import FileLock, Timeout
from sqlalchemy import Connection, Row, text

from assistant.errors import UserError, said_by
from assistant.jobs.job import Effect, Job, JobRun, PastRun
from assistant.jobs.rows import MIGRATIONS, moment_of, stamp
from assistant.phrases import in_words, phrase, say
from memory_store.ledger import Ledger
from memory_store.protocols import Clock

RETRY_AFTER = timedelta(minutes=5)
"""The wait after a failed run; it doubles with each further failure, up to `RETRY_AT_MOST`."""
RETRY_AT_MOST = timedelta(hours=6)
_COUNTED = 10_000

_log = logging.getLogger(__name__)


class Runner:
    """The jobs of one owner, and the ledger of their runs."""

    def __init__(
        self,
        ledger: Ledger,
        jobs: Iterable[Job],
        *,
        clock: Clock,
        lock: Path,
        owner: str = "me",
        told_in: Callable[[], str] = lambda: "en",
    ) -> None:
        """Take the jobs. A job that is seen for the first time is due from now on.

        Args:
            lock: a file; only one process at a time does long work. The run ledger alone makes
                effects unique, also where the lock does not work (a network folder).
            told_in: the language in which it is kept what a run did.
        """
        self.jobs = {job.name: job for job in jobs}
        self._ledger = ledger
        self._clock = clock
        self._owner = owner
        self._lock = FileLock(lock, thread_local=False)
        self._told_in = told_in
        ledger.migrate(MIGRATIONS)
        self._note_new()

    def job(self, name: str) -> Job:
        """Return the job of that name.

        Raises:
            UserError: there is none.
        """
        if name not in self.jobs:
            hint = phrase("jobs.no_job_hint", names=tuple(self.jobs))
            raise UserError(phrase("jobs.no_job", name=name), hint=hint)
        return self.jobs[name]

    def run_due(self) -> list[PastRun]:
        """Run every job that is due, each at most once, and return what was run.

        What was missed is merged into one run. Nothing is run while another process runs jobs.
        """
        try:
            with self._lock.acquire(blocking=False):
                runs = [run for job in self.jobs.values() if (run := self.due(job)) is not None]
                done = [self._attempt(run) for run in runs]
                return [run for run in done if run is not None]
        except Timeout:
            return []

    def run(self, name: str) -> PastRun:
        """Run a job now, due or not; it covers what is due.

        Raises:
            UserError: there is no such job, or another process is running jobs.
        """
        job, now = self.job(name), self._clock()
        try:
            with self._lock.acquire(blocking=False):
                done = self._attempt(self.due(job, retry=True) or JobRun(name, now, now, 1, now))
        except Timeout:
            raise UserError(phrase("jobs.busy"), hint=phrase("jobs.busy_hint")) from None
        if done is None:
            raise UserError(phrase("jobs.has_run", name=name, at=f"{now:%Y-%m-%d %H:%M}"))
        return done

    def due(self, job: Job, *, retry: bool = False) -> JobRun | None:
        """The run that covers every due time that no run has covered; None where none is due.

        Args:
            retry: whether to ignore the wait after a failure.
        """
        now = self._clock()
        with self._ledger.read() as connection:
            times = self._uncovered(connection, job, now)
            if not times or (not retry and self._waits(connection, job.name, now)):
                return None
        return JobRun(job.name, times[0], times[-1], len(times), now)

    def next_time(self, job: Job) -> datetime | None:
        """When the job is due next, UTC."""
        return job.recurrence.after(self._clock())

    def history(self, name: str | None = None, limit: int = 20) -> list[PastRun]:
        """The latest runs, newest first.

        Raises:
            UserError: there is no such job.
        """
        where = "owner = :owner" + (" AND job = :job" if name is not None else "")
        if name is not None:
            self.job(name)
        with self._ledger.read() as connection:
            rows = connection.execute(
                text(f"SELECT * FROM job_runs WHERE {where} ORDER BY number DESC LIMIT :limit"),
                {"owner": self._owner, "job": name, "limit": limit},
            )
            return [_past(row) for row in rows]

    def _note_new(self) -> None:
        now = stamp(self._clock())
        with self._ledger.read() as connection:
            known = connection.scalars(
                text("SELECT job FROM job_seen WHERE owner = :owner AND since <= :now"),
                {"owner": self._owner, "now": now},
            )
            new = set(self.jobs) - set(known)
        if not new:
            return
        with self._ledger.write() as connection:
            connection.execute(
                text(
                    "INSERT INTO job_seen VALUES (:owner, :job, :now) ON CONFLICT DO UPDATE"
                    " SET since = min(since, excluded.since)"
                ),
                [{"owner": self._owner, "job": name, "now": now} for name in sorted(new)],
            )

    def _uncovered(self, connection: Connection, job: Job, now: datetime) -> list[datetime]:
        since = connection.scalar(
            text("SELECT since FROM job_seen WHERE owner = :owner AND job = :job"),
            {"owner": self._owner, "job": job.name},
        )
        spans = [
            (moment_of(row.first_due), moment_of(row.due))
            for row in connection.execute(
                text(
                    "SELECT first_due, due FROM job_runs WHERE owner = :owner AND job = :job"
                    " AND ok = 1 ORDER BY due DESC LIMIT 50"
                ),
                {"owner": self._owner, "job": job.name},
            )
        ]
        # A clock that was ahead for a while leaves runs of the future: they are no floor.
        floor = max([due for _, due in spans if due <= now], default=moment_of(str(since)))
        times: list[datetime] = []
        for time in job.recurrence.between(floor, now):
            if not any(first <= time <= last for first, last in spans):
                times.append(time)
        return times[-_COUNTED:]

    def _waits(self, connection: Connection, name: str, now: datetime) -> bool:
        """Whether the job failed so lately that it is not tried again yet."""
        row = connection.execute(
            text(
                "SELECT count(*) AS failures, coalesce(max(at), '') AS latest FROM job_runs"
                " WHERE owner = :owner AND job = :job AND ok = 0 AND number > (SELECT"
                " coalesce(max(number), 0) FROM job_runs WHERE owner = :owner AND job = :job"
                " AND ok = 1)"
            ),
            {"owner": self._owner, "job": name},
        ).one()
        if row.failures == 0:
            return False
        wait = RETRY_AFTER * 2 ** min(int(row.failures) - 1, 10)
        return timedelta(0) <= now - moment_of(row.latest) < min(wait, RETRY_AT_MOST)

    def _attempt(self, run: JobRun) -> PastRun | None:
        try:
            effect = self.jobs[run.job].work(run)
            return self._take_effect(run, effect)
        except Exception as error:  # whatever fails, the other jobs go on
            _log.warning("job %s failed", run.job, exc_info=True)
            return self._record(run, in_words(said_by(error), self._told_in()))

    def _take_effect(self, run: JobRun, effect: Effect) -> PastRun | None:
        """Claim the run and apply its effect, both or neither; None where another one did."""
        language = self._told_in()
        with self._ledger.write() as connection:
            taken = connection.scalar(
                text(
                    "SELECT 1 FROM job_runs WHERE owner = :owner AND job = :job AND ok = 1"
                    " AND first_due <= :due AND due >= :due"
                ),
                {"owner": self._owner, "job": run.job, "due": stamp(run.due)},
            )
            if taken:
                return None
            number = self._insert(connection, run, ok=True, detail="")
            detail = in_words(effect(connection), language)
            connection.execute(
                text("UPDATE job_runs SET detail = :detail WHERE number = :number"),
                {"detail": detail, "number": number},
            )
        return PastRun(run.job, run.first_due, run.due, run.covers, True, detail, run.now)

    def _record(self, run: JobRun, problem: str) -> PastRun:
        with self._ledger.write() as connection:
            self._insert(connection, run, ok=False, detail=problem)
        return PastRun(run.job, run.first_due, run.due, run.covers, False, problem, run.now)

    def _insert(self, connection: Connection, run: JobRun, *, ok: bool, detail: str) -> int:
        return connection.execute(
            text(
                "INSERT INTO job_runs (owner, job, first_due, due, covers, ok, detail, at) VALUES"
                " (:owner, :job, :first_due, :due, :covers, :ok, :detail, :at) RETURNING number"
            ),
            {
                "owner": self._owner,
                "job": run.job,
                "first_due": stamp(run.first_due),
                "due": stamp(run.due),
                "covers": run.covers,
                "ok": int(ok),
                "detail": detail,
                "at": stamp(run.now),
            },
        ).scalar_one()


def describe(runs: Sequence[PastRun], zone: tzinfo = UTC, language: str = "en") -> list[str]:
    """One line a run, saying which due times it covers."""
    return [_line(run, zone, language) for run in runs]


def _line(run: PastRun, zone: tzinfo, language: str) -> str:
    first, last = (f"{time.astimezone(zone):%Y-%m-%d %H:%M}" for time in (run.first_due, run.due))
    merged = say("jobs.covers", language, covers=run.covers, first=first, last=last)
    told = run.detail if run.ok else say("jobs.failed", language, problem=run.detail)
    name = f"{run.job}{merged if run.covers > 1 else ''}"
    return say("jobs.part", language, name=name, did=told)


def _past(row: Row[Any]) -> PastRun:
    return PastRun(
        job=row.job,
        first_due=moment_of(row.first_due),
        due=moment_of(row.due),
        covers=row.covers,
        ok=bool(row.ok),
        detail=row.detail,
        at=moment_of(row.at),
    )
