"""Jobs take effect once for each due time: after restarts, crashes, sleep, in many processes."""

from __future__ import annotations

import signal
import subprocess
import sys
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from assistant.errors import RunFailed, UserError
from assistant.jobs.job import Effect, Job, JobRun
from assistant.jobs.recurrence import daily
from assistant.jobs.runner import Runner, describe
from assistant.jobs.testing import marking, marks
from memory_store.ledger import Ledger
from memory_store.testing import FrozenClock

BERLIN = ZoneInfo("Europe/Berlin")
MakeRunner = Callable[..., Runner]


def test_a_new_job_is_due_from_now_on(make_runner: MakeRunner, clock: FrozenClock) -> None:
    """A job that is seen for the first time has missed nothing."""
    runner = make_runner()
    assert runner.run_due() == []
    clock.advance(timedelta(hours=18))  # the next morning, 08:30
    assert [run.covers for run in runner.run_due()] == [1]


def test_a_due_time_takes_effect_once(
    make_runner: MakeRunner, clock: FrozenClock, ledger: Ledger
) -> None:
    """However often it is looked for, also by a new runner, a due time is run once."""
    make_runner()
    clock.advance(timedelta(days=1))
    assert len(make_runner().run_due()) == 1
    assert make_runner().run_due() == []
    assert marks(ledger) == [("job@2026-05-21T06:00:00.000000+00:00", 1)]


def test_three_days_asleep_are_one_run_that_says_so(
    make_runner: MakeRunner, clock: FrozenClock, ledger: Ledger
) -> None:
    """What was missed is merged into one run, which says which due times it covers."""
    runner = make_runner()
    clock.advance(timedelta(days=3))
    run = runner.run_due()[0]
    assert (run.covers, run.first_due.day, run.due.day) == (3, 21, 23)
    assert "covers 3 due times, 2026-05-21 08:00 to 2026-05-23 08:00" in describe([run], BERLIN)[0]
    assert len(marks(ledger)) == 1
    assert runner.run_due() == []
    assert runner.history()[0] == run


@pytest.mark.parametrize(
    ("start", "dues"),
    [
        ("2026-03-28T12:00", ["2026-03-29T01:30", "2026-03-30T00:30"]),  # 02:30 is skipped
        ("2026-10-24T12:00", ["2026-10-25T00:30", "2026-10-26T01:30"]),  # 02:30 comes twice
    ],
)
def test_a_night_of_clock_change_has_one_run(
    make_runner: MakeRunner, clock: FrozenClock, start: str, dues: list[str]
) -> None:
    """A job at 02:30 runs once on either night on which the clock changes, and once the next."""
    clock.now = datetime.fromisoformat(start).replace(tzinfo=UTC)
    runner = make_runner(daily(2, 30, BERLIN))
    ran: list[str] = []
    for _ in range(48 * 2):
        clock.advance(timedelta(minutes=30))
        ran += [f"{run.due:%Y-%m-%dT%H:%M}" for run in runner.run_due()]
    assert ran == dues


def test_a_failed_run_leaves_nothing_and_is_tried_again(
    make_runner: MakeRunner, clock: FrozenClock, ledger: Ledger
) -> None:
    """An effect that fails is undone with its claim; it is tried again after a wait."""
    broken = [True]

    def work(run: JobRun) -> Effect:
        def effect(connection: object) -> str:
            said = marking(run)(connection)  # type: ignore[arg-type]
            if broken[0]:
                raise RunFailed("no luck")
            return said

        return effect

    runner = make_runner(work=work)
    clock.advance(timedelta(days=1))
    failed = runner.run_due()[0]
    assert (failed.ok, failed.detail) == (False, "no luck")
    assert marks(ledger) == []
    broken[0] = False
    assert runner.run_due() == []  # not at once
    clock.advance(timedelta(minutes=6))
    assert [run.ok for run in runner.run_due()] == [True]
    assert len(marks(ledger)) == 1


def test_one_failing_job_does_not_hold_up_the_others(
    ledger: Ledger, clock: FrozenClock, tmp_path: Path
) -> None:
    """A job that fails, however, leaves the other jobs their turn."""

    def fail(_run: JobRun) -> Effect:
        raise ZeroDivisionError

    when = daily(8, 0, BERLIN)
    jobs = [Job("bad", "fails", when, fail), Job("good", "marks", when, marking)]
    runner = Runner(ledger, jobs, clock=clock, lock=tmp_path / "jobs.lock")
    clock.advance(timedelta(days=1))
    assert [(run.job, run.ok) for run in runner.run_due()] == [("bad", False), ("good", True)]


def test_a_clock_that_was_ahead_neither_repeats_nor_stops_a_job(
    make_runner: MakeRunner, clock: FrozenClock, ledger: Ledger
) -> None:
    """Days that were run while the clock was ahead are not run again; later ones are."""
    runner = make_runner()
    clock.advance(timedelta(days=3))
    runner.run_due()
    clock.advance(timedelta(days=-2))
    assert runner.run_due() == []
    clock.advance(timedelta(days=3))
    assert [run.covers for run in runner.run_due()] == [1]
    assert [covers for _, covers in marks(ledger)] == [3, 1]


def test_a_job_first_seen_by_a_clock_that_was_ahead_still_runs(
    make_runner: MakeRunner, clock: FrozenClock
) -> None:
    """A home that was first opened with a time in the future runs its jobs from today on."""
    clock.advance(timedelta(days=400))
    make_runner()
    clock.advance(timedelta(days=-400))
    runner = make_runner()
    clock.advance(timedelta(days=1))
    assert len(runner.run_due()) == 1


def test_a_job_can_be_run_by_hand(
    make_runner: MakeRunner, clock: FrozenClock, ledger: Ledger
) -> None:
    """Run by hand, a job runs whether due or not, and covers what is due."""
    runner = make_runner()
    assert runner.run("job").covers == 1
    with pytest.raises(UserError, match="already"):
        runner.run("job")
    clock.advance(timedelta(days=2))
    assert runner.run("job").covers == 2
    assert runner.run_due() == []
    with pytest.raises(UserError, match="no job 'nope'"):
        runner.run("nope")
    assert len(marks(ledger)) == 2


def test_owners_have_their_own_runs(
    make_runner: MakeRunner, clock: FrozenClock, ledger: Ledger
) -> None:
    """A run of one owner covers nothing of another's."""
    one, other = make_runner(), make_runner(owner="you")
    clock.advance(timedelta(days=1))
    assert len(one.run_due()) == len(other.run_due()) == 1
    assert len(one.history()) == 1


WORKER = """
import os, signal, sys
from datetime import UTC, datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo
from sqlalchemy import text
from assistant.jobs.job import Job
from assistant.jobs.recurrence import daily
from assistant.jobs.runner import Runner
from memory_store.ledger import Ledger

home, lock, now, fate = Path(sys.argv[1]), sys.argv[2], sys.argv[3], sys.argv[4]

def work(run):
    if fate == "die at work":
        os.kill(os.getpid(), signal.SIGKILL)
    def effect(connection):
        connection.execute(text("INSERT INTO marks VALUES (:run, :covers)"),
                           {"run": run.key, "covers": run.covers})
        if fate == "die in the effect":
            os.kill(os.getpid(), signal.SIGKILL)
        return "marked"
    return effect

ledger = Ledger(home / "ledger.db")
jobs = [Job("job", "marks", daily(8, 0, ZoneInfo("Europe/Berlin")), work)]
runner = Runner(ledger, jobs, clock=lambda: datetime.fromisoformat(now), lock=home / lock)
if fate == "wait":
    print("ready", flush=True)
    sys.stdin.readline()
print(len(runner.run_due()), flush=True)
if fate == "die after":
    os.kill(os.getpid(), signal.SIGKILL)
"""


def _worker(home: Path, lock: str, now: datetime, fate: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", WORKER, str(home), lock, now.isoformat(), fate],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )


@pytest.mark.parametrize("fate", ["die at work", "die in the effect", "die after"])
def test_a_crash_in_the_middle_takes_effect_once(
    make_runner: MakeRunner, clock: FrozenClock, ledger: Ledger, tmp_path: Path, fate: str
) -> None:
    """Killed at work, in the effect or right after it, a run leaves its effect once."""
    make_runner()
    clock.advance(timedelta(days=2))
    killed = _worker(tmp_path, "jobs.lock", clock.now, fate)
    killed.communicate(timeout=60)
    assert killed.returncode == -signal.SIGKILL
    assert len(marks(ledger)) == (1 if fate == "die after" else 0)
    make_runner().run_due()
    assert [covers for _, covers in marks(ledger)] == [2]


@pytest.mark.parametrize("locks", ["shared", "none"])
def test_many_processes_claim_one_job_once(
    make_runner: MakeRunner, clock: FrozenClock, ledger: Ledger, tmp_path: Path, locks: str
) -> None:
    """Of four processes that find a job due at once, one runs it; without a common lock too."""
    make_runner()
    clock.advance(timedelta(days=3))
    workers = [
        _worker(tmp_path, "jobs.lock" if locks == "shared" else f"lock-{number}", clock.now, "wait")
        for number in range(4)
    ]
    for worker in workers:
        assert worker.stdout is not None
        assert worker.stdout.readline() == "ready\n"
    ran = [int(worker.communicate("go\n", timeout=60)[0]) for worker in workers]
    assert [covers for _, covers in marks(ledger)] == [3]
    assert sum(ran) == 1
    assert make_runner().run_due() == []


def test_the_wait_after_failures_grows_up_to_a_bound(
    make_runner: MakeRunner, clock: FrozenClock
) -> None:
    """A job that keeps failing is tried less and less often, and never given up."""

    def fail(_run: JobRun) -> Effect:
        raise RunFailed("down")

    runner = make_runner(work=fail)
    clock.advance(timedelta(days=1))
    tries: list[datetime] = []
    for _ in range(24 * 12):
        tries += [run.at for run in runner.run_due()]
        clock.advance(timedelta(minutes=5))
    waits = [(b - a) / timedelta(minutes=5) for a, b in pairwise(tries)]
    assert waits[:5] == [1, 2, 4, 8, 16]
    assert max(waits) <= 72
