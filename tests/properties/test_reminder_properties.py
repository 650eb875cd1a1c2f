"""However the clock moves on, a repeating reminder's times are each told once, alone or merged."""

from __future__ import annotations

import re
import tempfile
from datetime import UTC, datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

from hypothesis import given, settings
from hypothesis import strategies as st

from assistant.jobs.notices import Notices
from assistant.jobs.recurrence import Recurrence
from assistant.jobs.reminders import Reminders
from memory_store.ledger import Ledger
from memory_store.testing import FrozenClock

BERLIN = ZoneInfo("Europe/Berlin")
START = datetime(2026, 3, 26, 12, tzinfo=UTC)  # three days before the clock is put forward
WHEN = st.sampled_from(["every day at 2:30", "every hour", "every Sunday at 8", "每天晚上8点"])
STEPS = st.lists(st.integers(1, 60 * 80).map(lambda n: timedelta(minutes=n)), max_size=15)


@settings(max_examples=40)
@given(WHEN, STEPS)
def test_each_time_is_told_once(when: str, steps: list[timedelta]) -> None:
    """The notes, with what they say was merged into them, add up to the times that came."""
    clock = FrozenClock(START)
    with tempfile.TemporaryDirectory() as folder:
        ledger = Ledger(Path(folder) / "ledger.db")
        notices = Notices(ledger)
        made = Reminders(ledger, notices, clock=clock, zone=BERLIN).add("stretch", when)
        for step in steps:
            clock.advance(step)
            # A new one each time, as after a restart.
            Reminders(ledger, notices, clock=clock, zone=BERLIN).tell_due()
        notes = notices.pending()
        ledger.close()
    assert made.start is not None
    came = list(Recurrence(made.rule, made.start, BERLIN).between(START, clock.now))
    merged = [int(n) for note in notes for n in re.findall(r"and (\d+) more", note.text)]
    assert len(notes) + sum(merged) == len(came)
    assert len({note.key for note in notes}) == len(notes)
