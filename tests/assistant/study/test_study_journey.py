"""A learner over twelve weeks, English and Chinese, across a year's end, 29 February and DST."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from assistant.study.availability import sittings
from assistant.study.change import CATCH_UP, read_change
from assistant.study.companion import Study
from assistant.study.making import Wish
from assistant.study.status import status_text
from memory_store.testing import FrozenClock


@dataclass(frozen=True)
class Learner:
    """What a learner says, in their language, and where they live."""

    zone: str
    start: date
    goal: str
    logs: tuple[str, str]
    away: str
    tight: str


ENGLISH = Learner(
    "America/New_York",
    date(2027, 12, 20),
    "Learn data engineering in 12 weeks, 6 hours a week",
    ("1h30 {task}, done", "45 min {task}, stuck on joins"),
    "I'm away 10-16 January",
    "week 10 is too tight",
)
CHINESE = Learner(
    "Asia/Shanghai",
    date(2027, 12, 20),
    "我零基础，想用12周系统学习数据分析，每周6小时",
    ("学了一个半小时 {task}，学完了", "45分钟 {task}，卡在连接"),
    "1月10日到16日出差",
    "第十周太紧，减半",
)
CLOCKS = Learner(
    "America/New_York",
    date(2028, 2, 21),
    "Learn SQL and databases by 14 May, 6 hours a week",
    ("90 min {task}, done", "1h {task}"),
    "away 20-26 March",
    "halve week 9",
)


class Walk:
    """The learner's days, one after the other."""

    def __init__(self, study: Study, clock: FrozenClock, learner: Learner) -> None:
        self.study, self.clock, self.learner = study, clock, learner
        self.logged = 0

    def to(self, day: date, hour: int = 21) -> None:
        """Go to an hour of a day."""
        self.clock.now = datetime.combine(day, time(hour), ZoneInfo(self.learner.zone))

    def day(self, minutes: int, words: str) -> None:
        """Study on the next task."""
        task = self.study.progress().next[0].task.id
        entry = self.study.check_in(words.format(task=task))
        assert entry.said.minutes == minutes
        self.logged += minutes

    def week(self, number: int, days: int, minutes: int, words: str) -> None:
        """Study on the first days of a week."""
        week = self.study.plan().weeks[number - 1]
        for day in week.days[:days]:
            self.to(day)
            self.day(minutes, words)


@pytest.mark.parametrize("learner", [ENGLISH, CHINESE, CLOCKS], ids=["en", "zh", "dst"])
def test_twelve_weeks(open_study: Any, clock: FrozenClock, learner: Learner) -> None:
    """On schedule, an absence, behind, an adjustment, and to the end: every figure adds up."""
    study: Study = open_study(zone=learner.zone)
    walk = Walk(study, clock, learner)
    walk.to(learner.start, 8)
    first = study.make(Wish(learner.goal)).plan
    assert len(first.weeks) == 12
    assert first.start == learner.start
    assert (first.weeks[-1].end - first.start).days == 83
    for week in first.weeks:
        assert week.start.weekday() == learner.start.weekday()
    done, begun = learner.logs
    minutes = 90 if "90" in done or "1h30" in done or "一个半" in done else 60

    walk.week(1, 4, minutes, done)
    walk.to(first.weeks[1].start, 8)
    assert study.progress().spi >= 0.9
    assert study.progress().actual == walk.logged

    walk.to(first.weeks[1].start, 9)
    away = study.adjust(read_change(learner.away, today=study.today), 1).plan
    assert away.version == 2
    gone = [week.number for week in away.weeks if week.minutes < 360]
    assert gone
    assert away.minutes == first.minutes

    walk.week(2, 2, 45 if "45" in begun else 60, begun)
    walk.to(away.weeks[5].start, 8)
    progress = study.progress()
    assert progress.spi < 0.7
    assert progress.overdue
    assert progress.forecast is None or progress.forecast > first.end
    assert status_text(away, progress, study.due(), away.language)

    caught = study.adjust(CATCH_UP, 1).plan
    assert study.progress().overdue == ()
    assert study.progress().actual == walk.logged
    assert caught.minutes == first.minutes
    for standing in progress.standings:
        if standing.complete:
            assert standing.task in caught.weeks[standing.week.number - 1].tasks

    tight = study.adjust(read_change(learner.tight, today=study.today), 1).plan
    number = 10 if learner is not CLOCKS else 9
    assert tight.weeks[number - 1].minutes <= 180
    assert study.undo() == caught
    study.adjust(read_change(learner.tight, today=study.today), 1)

    while study.progress().next:
        walk.to(study.today + timedelta(days=1))
        walk.day(minutes, done)
    final = study.progress()
    assert final.earned == final.total == first.minutes
    assert final.actual == walk.logged
    assert final.tasks_done == len(final.standings)
    assert final.forecast is not None
    assert final.forecast <= study.today
    assert [version.number for version in study.plans.versions("default")] == [1, 2, 3, 4, 5]


def test_the_plan_spans_new_year_and_leap_day(open_study: Any, clock: FrozenClock) -> None:
    """Weeks go on over 31 December, and a week may hold 29 February."""
    study: Study = open_study(zone="America/New_York")
    Walk(study, clock, ENGLISH).to(ENGLISH.start, 8)
    plan = study.make(Wish(ENGLISH.goal)).plan
    days = [day for week in plan.weeks for day in week.days]
    assert date(2027, 12, 31) in days
    assert date(2028, 1, 1) in days
    assert date(2028, 2, 29) in days
    assert days == [plan.start + timedelta(days=n) for n in range(84)]


def test_sittings_keep_their_hour_and_length_when_the_clocks_change(
    open_study: Any, clock: FrozenClock
) -> None:
    """In New York on 12 March 2028 and in Lisbon on 26 March the evening stays the evening."""
    for zone, changed in (("America/New_York", "2028-03-12"), ("Europe/Lisbon", "2028-03-26")):
        study: Study = open_study(zone=zone, owner=zone)
        clock.now = datetime(2028, 2, 28, 8, tzinfo=ZoneInfo(zone))
        plan = study.make(Wish("Learn SQL and databases", weeks=6, hours=7)).plan
        laid = list(sittings(plan))
        firsts = {s.start.astimezone(ZoneInfo(zone)).strftime("%H:%M") for s in laid}
        assert "19:00" in firsts
        assert min(firsts) == "19:00"
        offsets = {s.start.astimezone(ZoneInfo(zone)).utcoffset() for s in laid}
        assert len(offsets) == 2
        assert changed in {
            d.isoformat() for d in (plan.start + timedelta(days=n) for n in range(42))
        }
        seconds = sum((s.end - s.start).total_seconds() for s in laid)
        assert seconds == plan.minutes * 60
