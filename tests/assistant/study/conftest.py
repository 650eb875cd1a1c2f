"""A study companion on a real ledger, with a clock that stands still and, where asked, a memory."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import datetime
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from assistant.study.companion import Study
from memory_store.ledger import Ledger
from memory_store.testing import FrozenClock

Open = Callable[..., Study]


@pytest.fixture
def clock() -> FrozenClock:
    """Monday 30 November 2026, nine in the morning in Shanghai."""
    return FrozenClock(datetime(2026, 11, 30, 9, tzinfo=ZoneInfo("Asia/Shanghai")))


@pytest.fixture
def open_study(tmp_path: Path, clock: FrozenClock) -> Iterator[Open]:
    """Opens the companion of an owner and zone, all on one ledger."""
    ledger = Ledger(tmp_path / "ledger.db")

    def opened(owner: str = "me", zone: str = "Asia/Shanghai") -> Study:
        folder = tmp_path / "plans"
        return Study(ledger, clock=clock, zone=ZoneInfo(zone), owner=owner, folder=folder)

    yield opened
    ledger.close()


@pytest.fixture
def study(open_study: Open) -> Study:
    """The companion of a person in Shanghai."""
    return open_study()
