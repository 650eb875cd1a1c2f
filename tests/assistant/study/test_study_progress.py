"""Check-ins and progress: what was logged, what it is worth, and what comes next."""

from __future__ import annotations

from datetime import date, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from assistant.errors import UserError
from assistant.study.companion import Study
from assistant.study.making import Wish
from assistant.study.minutes import spoken
from assistant.study.remembered import progress_draft
from assistant.study.status import status_data
from memory_store.testing import FrozenClock

WISH = Wish(
    "learn", weeks=3, hours=7, courses=("kaggle-python", "kaggle-sql", "essence-linear-algebra")
)


def at(clock: FrozenClock, day: int, hour: int = 22) -> None:
    """Move the clock to a day of the plan, from 0."""
    start = datetime(2026, 11, 30, tzinfo=ZoneInfo("Asia/Shanghai"))
    clock.now = start + timedelta(days=day, hours=hour)


def test_before_anything_is_due_the_plan_is_on_schedule(study: Study) -> None:
    """On the first morning nothing is planned yet, nothing overdue, the index is 1."""
    study.make(WISH)
    data = status_data(study.progress(), study.due())
    assert (data["planned_hours"], data["actual_hours"], data["spi"]) == (0, 0, 1.0)
    assert data["overdue"] == []
    assert data["forecast_end"] == "2026-12-20"
    assert [task["id"] for task in data["next"]][:1] == ["kaggle-python-1"]


def test_after_a_week_as_planned_planned_and_earned_agree(study: Study, clock: FrozenClock) -> None:
    """At the week's end its hours are planned; work done in full gives an index of 1."""
    study.make(WISH)
    for day, text in enumerate(["2.5h python, done", "2.5h python, done", "2h SQL"]):
        at(clock, day)
        study.check_in(text)
    at(clock, 7, 8)
    progress = study.progress()
    assert (progress.planned, progress.actual, progress.earned) == (420, 420, 420)
    assert progress.spi == 1
    assert progress.overdue == ()
    assert progress.tasks_done == progress.tasks_planned


def test_a_task_done_early_earns_its_planned_time(study: Study, clock: FrozenClock) -> None:
    """One hour that finishes a task of two and a half earns two and a half, and one is logged."""
    study.make(WISH)
    at(clock, 0)
    study.check_in("1h python, done")
    progress = study.progress()
    assert (progress.actual, progress.earned) == (60, 150)


def test_falling_behind_shows(study: Study, clock: FrozenClock) -> None:
    """With little done the index is low, tasks are overdue, and the forecast is late."""
    study.make(WISH)
    at(clock, 0)
    study.check_in("1h python")
    at(clock, 10)
    progress = study.progress()
    assert progress.spi < 0.2
    assert {s.task.id for s in progress.overdue} >= {"kaggle-python-1", "kaggle-python-2"}
    assert progress.forecast is not None
    assert progress.forecast > study.plan().end


def test_the_streak_counts_days_in_a_row(study: Study, clock: FrozenClock) -> None:
    """A day without study ends it, today not yet counted does not, and a day off is passed over."""
    study.make(Wish("learn python", weeks=3, hours=7, off=frozenset({date(2026, 12, 3)})))
    for day in (0, 2, 4):
        at(clock, day)
        study.check_in("1h python")
    assert study.progress().streak == 2
    at(clock, 5, 8)
    assert study.progress().streak == 2
    at(clock, 6, 8)
    assert study.progress().streak == 0


def test_a_wrong_entry_is_amended_or_undone_and_the_history_stays(
    study: Study, clock: FrozenClock
) -> None:
    """What counts is the last revision; every revision can still be read."""
    study.make(WISH)
    at(clock, 0)
    first = study.check_in("2h python, done")
    at(clock, 1)
    study.check_in("1h python", amends=first.id)
    assert study.progress().actual == 60
    assert study.log.entries("default")[0].said.day == date(2026, 11, 30)
    study.undo_check_in()
    assert study.progress().actual == 0
    assert [entry.revision for entry in study.log.history("default")] == [1, 2, 3]
    with pytest.raises(UserError, match="no entry yet"):
        study.undo_check_in()


def test_a_day_to_come_cannot_be_logged(study: Study) -> None:
    """Only what has been done is logged."""
    study.make(WISH)
    with pytest.raises(UserError, match="still to come"):
        study.check_in("2h python", day=date(2026, 12, 24))
    assert study.log.entries("default") == []


def test_time_outside_the_plan_counts_for_no_task(study: Study) -> None:
    """It is kept and added to the hours, and earns nothing."""
    study.make(WISH)
    entry = study.check_in("1h piano")
    assert entry.said.group == "other"
    assert (study.progress().actual, study.progress().earned) == (60, 0)


def test_a_finished_topic_is_reviewed_at_growing_intervals(
    study: Study, clock: FrozenClock
) -> None:
    """Finishing counts as the first review; good answers put the next ones further off."""
    study.make(WISH)
    at(clock, 0)
    study.check_in("2.5h python, done")
    assert study.due() == []
    days: list[int] = []
    for _ in range(3):
        while not study.due():
            clock.advance(timedelta(days=1))
        days.append((study.today - date(2026, 11, 30)).days)
        study.review("kaggle-python-1", 3)
    gaps = [b - a for a, b in zip([0, *days], days, strict=False)]
    assert gaps == sorted(gaps)
    assert gaps[0] < gaps[-1]
    with pytest.raises(UserError, match="no finished topic"):
        study.review("kaggle-sql-1", 3)


def test_earlier_progress_can_be_asked_for(study: Study, clock: FrozenClock) -> None:
    """With the clock put back, what was logged later is not known yet."""
    study.make(WISH)
    at(clock, 5)
    study.check_in("1h python")
    at(clock, 2)
    assert study.progress().actual == 0


def test_a_day_holds_no_more_than_24_hours(study: Study) -> None:
    """Entries of one day that exceed it are refused, over all plans; an amended one counts once."""
    study.make(WISH)
    entry = study.check_in("20h SQL")
    study.make(Wish("Learn Python", weeks=3, hours=3), "other")
    with pytest.raises(UserError, match="would hold 25 hours"):
        study.check_in("5h Python", name="other")
    with pytest.raises(UserError, match="is no time"):
        study.check_in("0h SQL", name="default")
    assert study.check_in("23h SQL", amends=entry.id, name="default").said.minutes == 23 * 60


def test_what_was_logged_and_what_it_earned_are_told_apart(study: Study) -> None:
    """The remembered progress has the hours logged, and the planned hours that they are worth."""
    study.make(WISH)
    entry = study.check_in("1h SQL, done")
    known = [s for s in study.progress().standings if s.task.course == entry.said.group]
    draft = progress_draft("SQL", entry.said.group, known, entry, logged=60, language="en")
    assert known[0].earned > 60
    assert "1 h logged, worth " + spoken(known[0].earned) + " of " in draft.text
    told = progress_draft("SQL", entry.said.group, known, entry, logged=60, language="zh").text
    assert "已记录 1 小时，相当于计划中" in told
