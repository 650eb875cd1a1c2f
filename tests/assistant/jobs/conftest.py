"""A ledger, a clock that stands until it is moved, and runners of one job."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from assistant.jobs.job import Effect, Job, JobRun
from assistant.jobs.recurrence import Recurrence, daily
from assistant.jobs.runner import Runner
from assistant.jobs.testing import marking, prepare_marks
from memory_store.ledger import Ledger
from memory_store.testing import FrozenClock

BERLIN = ZoneInfo("Europe/Berlin")


@pytest.fixture
def clock() -> FrozenClock:
    """Wednesday 20 May 2026, 14:30 in Berlin."""
    return FrozenClock(datetime(2026, 5, 20, 12, 30, tzinfo=UTC))


@pytest.fixture
def ledger(tmp_path: Path) -> Iterator[Ledger]:
    """A ledger on disk with a table in which effects leave their marks."""
    ledger = Ledger(tmp_path / "ledger.db")
    prepare_marks(ledger)
    yield ledger
    ledger.close()


MakeRunner = Callable[..., Runner]


@pytest.fixture
def make_runner(ledger: Ledger, clock: FrozenClock, tmp_path: Path) -> MakeRunner:
    """Makes a runner of one job, by default daily at 08:00 in Berlin."""

    def make(
        recurrence: Recurrence | None = None,
        work: Callable[[JobRun], Effect] = marking,
        owner: str = "me",
    ) -> Runner:
        job = Job("job", "marks", recurrence or daily(8, 0, BERLIN), work)
        return Runner(ledger, [job], clock=clock, lock=tmp_path / "jobs.lock", owner=owner)

    return make
