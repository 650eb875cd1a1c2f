"""What the user is told of their study: asked once a day, reviewed once a week, never in vain."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from assistant.jobs.job import JobRun
from assistant.jobs.study_notes import check_in_note, review_note
from assistant.study.companion import Study
from assistant.study.making import Wish
from memory_store.ledger import Ledger
from memory_store.testing import FrozenClock

BERLIN = ZoneInfo("Europe/Berlin")


@pytest.fixture
def study(ledger: Ledger, clock: FrozenClock) -> Study:
    """A companion without a memory; it is Wednesday 20 May 2026."""
    return Study(ledger, clock=clock, zone=BERLIN)


def at(clock: FrozenClock, covers: int = 1) -> JobRun:
    """A run now."""
    return JobRun("job", clock.now, clock.now, covers, clock.now)


def test_says_nothing_without_a_plan(study: Study, clock: FrozenClock) -> None:
    """With no plan, or before it begins, there is nothing to ask."""
    assert check_in_note(study, at(clock)) is None
    assert review_note(study, at(clock)) is None
    study.make(Wish("Learn Python", start=date(2026, 6, 1), weeks=4, hours=5))
    assert check_in_note(study, at(clock)) is None


def test_asks_for_the_day_until_it_is_logged(study: Study, clock: FrozenClock) -> None:
    """The check-in is asked for on days of study that have no entry, and says what comes next."""
    off = frozenset({date(2026, 5, 22)})
    study.make(Wish("Learn Python", start=date(2026, 5, 18), weeks=6, hours=5, off=off))
    note = check_in_note(study, at(clock))
    assert note is not None
    assert note.startswith("Study check-in (")
    assert "Next: " in note
    assert "(this stands for 3 reminders)" in str(check_in_note(study, at(clock, covers=3)))
    study.check_in("1h reading", task=study.progress().next[0].task.id)
    assert check_in_note(study, at(clock)) is None
    clock.advance(timedelta(days=2))  # a day off
    assert check_in_note(study, at(clock)) is None
    clock.advance(timedelta(days=1))
    assert check_in_note(study, at(clock)) is not None


@pytest.mark.parametrize("goal", ["Learn Python", "学习Python"])
def test_the_review_proposes_where_the_plan_is_behind(
    study: Study, clock: FrozenClock, goal: str
) -> None:
    """After two weeks without work the review tells the figures and numbered proposals."""
    clock.now = datetime(2026, 5, 4, 18, tzinfo=UTC)
    study.make(Wish(goal, start=date(2026, 5, 4), weeks=6, hours=5))
    first = review_note(study, at(clock))
    assert first is not None
    assert "--apply" not in first
    clock.advance(timedelta(days=13))
    note = review_note(study, at(clock, covers=2))
    assert note is not None
    assert "  1. " in note
    assert "--apply" in note
    assert ("covers 2 weeks" in note) or ("合并了2周" in note)
    assert note.startswith("每周回顾" if goal.startswith("学") else "Weekly review")
