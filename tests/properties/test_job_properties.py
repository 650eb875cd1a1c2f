"""Whatever the clock does, and whenever a run fails, each due time takes effect exactly once."""

from __future__ import annotations

import tempfile
from datetime import UTC, datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

from hypothesis import given, settings
from hypothesis import strategies as st
from sqlalchemy import Connection

from assistant.errors import RunFailed
from assistant.jobs.job import Effect, Job, JobRun
from assistant.jobs.recurrence import Recurrence
from assistant.jobs.runner import RETRY_AT_MOST, Runner
from assistant.jobs.testing import marking, marks, prepare_marks
from memory_store.ledger import Ledger
from memory_store.testing import FrozenClock

RULES = st.sampled_from(["FREQ=DAILY", "FREQ=HOURLY;INTERVAL=7", "FREQ=WEEKLY;BYDAY=SU,WE"])
STEPS = st.lists(
    st.tuples(
        st.integers(-30, 90).map(lambda hours: timedelta(hours=hours)),
        st.sampled_from(["works", "works", "fails at work", "fails in the effect"]),
    ),
    max_size=12,
)
BERLIN = ZoneInfo("Europe/Berlin")
START = datetime(2026, 10, 23, 12, tzinfo=UTC)  # two days before the clock is put back


@settings(max_examples=40)
@given(RULES, STEPS)
def test_each_due_time_takes_effect_once(rule: str, steps: list[tuple[timedelta, str]]) -> None:
    """After any moves of the clock and any failures, no due time is left out or covered twice."""
    fate = ["works"]

    def work(run: JobRun) -> Effect:
        if fate[0] == "fails at work":
            raise RunFailed("at work")
        mark = marking(run)

        def effect(connection: Connection) -> str:
            said = mark(connection)
            if fate[0] == "fails in the effect":
                raise RunFailed("in the effect")
            return said

        return effect

    recurrence = Recurrence(rule, datetime(2026, 10, 1, 2, 30), BERLIN)  # noqa: DTZ001
    clock = FrozenClock(START)
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder)
        ledger = Ledger(home / "ledger.db")
        prepare_marks(ledger)
        latest = START
        for move, fate[0] in [*steps, (timedelta(0), "works")]:
            # A new runner each time, as after a restart.
            runner = Runner(
                ledger, [Job("job", "", recurrence, work)], clock=clock, lock=home / "lock"
            )
            clock.advance(move)
            runner.run_due()
            latest = max(latest, clock.now)
        clock.now = latest + RETRY_AT_MOST
        fate[0] = "works"
        runner.run_due()
        done = [run for run in runner.history(limit=100) if run.ok]
        ledger_marks = marks(ledger)
        ledger.close()
    spans = [(run.first_due, run.due) for run in done]
    for time in recurrence.between(START, clock.now):
        assert sum(first <= time <= last for first, last in spans) == 1
    assert len(ledger_marks) == len(done)
    assert len({key for key, _ in ledger_marks}) == len(ledger_marks)
