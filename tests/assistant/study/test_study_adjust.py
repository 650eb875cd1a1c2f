"""Adjustments: proposals that add up, a minimal change, finished work that stays, the way back."""

from __future__ import annotations

from datetime import date, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from assistant.errors import UserError
from assistant.study.change import CATCH_UP, Change, read_change
from assistant.study.companion import Study
from assistant.study.diff import diff, lines
from assistant.study.making import Wish
from assistant.study.plan import Plan
from memory_store.testing import FrozenClock


@pytest.fixture
def plan(study: Study) -> Plan:
    """Twelve weeks of machine learning, eight hours each."""
    return study.make(Wish("Learn machine learning", weeks=12, hours=8)).plan


def on(clock: FrozenClock, day: date) -> None:
    """Move the clock to nine in the morning of a day."""
    clock.now = datetime(day.year, day.month, day.day, 9, tzinfo=ZoneInfo("Asia/Shanghai"))


def test_halving_a_week_offers_three_ways_that_add_up(study: Study, plan: Plan) -> None:
    """Later with all work, in time with more hours, or in time with less work."""
    later, more, less = study.propose(read_change("第三周太紧，减半", today=study.today))
    assert (later.kind, more.kind, less.kind) == ("extend", "intensify", "trim")
    assert [p.plan.weeks[2].minutes for p in (later, more, less)] == [240] * 3
    assert (later.plan.minutes, later.plan.end) == (plan.minutes, plan.end + timedelta(days=7))
    assert (more.plan.minutes, more.plan.end) == (plan.minutes, plan.end)
    assert (less.plan.minutes, less.plan.end) == (plan.minutes - 240, plan.end)
    assert sum(item.minutes for item in less.lost) == 240
    assert all(item.optional for item in less.lost)


def test_more_hours_touch_the_fewest_weeks(study: Study, plan: Plan) -> None:
    """What a halved week lacks goes into the next two; every other week stays as it was."""
    more = study.propose(Change("halve", week=3))[1].plan
    changed = [w.number for w, old in zip(more.weeks, plan.weeks, strict=True) if w != old]
    assert changed == [3, 4, 5]


def test_days_away_empty_their_week(study: Study, plan: Plan) -> None:
    """A whole week away has no study, and the end moves by a week."""
    change = read_change("away 7-13 December", today=study.today)
    later = study.propose(change)[0]
    assert later.plan.weeks[1].tasks == ()
    assert later.plan.end == plan.end + timedelta(days=7)
    assert later.plan.weeks[0] == plan.weeks[0]


def test_fewer_hours_from_now_on_end_later_or_leave_out(study: Study, plan: Plan) -> None:
    """Four hours a week instead of eight: twice the weeks, or half of the work."""
    later, less = study.propose(read_change("only 4 hours from now on", today=study.today))
    assert len(later.plan.weeks) == 24
    assert {week.minutes for week in later.plan.weeks} == {240}
    assert less.plan.end == plan.end
    assert less.plan.minutes == plan.minutes // 2
    missing = sum(item.minutes for item in less.plan.unplaced)
    assert missing == sum(item.minutes for item in less.lost if not item.optional)


def test_more_hours_finish_earlier_or_go_deeper(study: Study, plan: Plan) -> None:
    """Sixteen hours a week: half the weeks, or a larger project."""
    earlier, deeper = study.propose(Change("hours", minutes=960))
    assert (len(earlier.plan.weeks), earlier.plan.minutes) == (6, plan.minutes)
    assert (deeper.plan.end, deeper.plan.minutes) == (plan.end, 2 * plan.minutes)


def test_another_end(study: Study, plan: Plan) -> None:
    """An earlier end raises the hours or leaves out; a later one lightens or deepens."""
    more, less = study.propose(Change("end", end=plan.end - timedelta(weeks=4)))
    assert (more.kind, more.plan.minutes, len(more.plan.weeks)) == ("intensify", plan.minutes, 8)
    assert (less.kind, len(less.plan.weeks), less.plan.minutes) == ("trim", 8, 8 * 480)
    lighter, deeper = study.propose(Change("end", end=plan.end + timedelta(weeks=4)))
    assert (lighter.kind, lighter.plan.minutes) == ("lighten", plan.minutes)
    assert lighter.minutes_a_week <= 375
    assert deeper.plan.minutes == 16 * 480


def test_on_schedule_nothing_is_proposed(study: Study, plan: Plan) -> None:
    """On the first day there is nothing to catch up."""
    assert study.propose(CATCH_UP) == []
    with pytest.raises(UserError, match="nothing has to change"):
        study.adjust(CATCH_UP, 1)
    assert study.plan() == plan


def test_catching_up_leaves_finished_work_in_its_week(
    study: Study, plan: Plan, clock: FrozenClock
) -> None:
    """After two weeks with little done, what is finished or begun stays, the rest moves on."""
    on(clock, date(2026, 12, 1))
    study.check_in("2.5h python, done")
    study.check_in("1h python")
    on(clock, date(2026, 12, 14))
    before = study.progress()
    proposals = study.propose(CATCH_UP)
    assert [p.kind for p in proposals] == ["extend", "intensify", "trim", "reorder"]
    for proposal in proposals:
        assert proposal.plan.weeks[0].minutes == 150 + 60
        assert proposal.plan.weeks[1].tasks == ()
    stored = study.adjust(CATCH_UP, 1).plan
    after = study.progress()
    assert (after.earned, after.actual) == (before.earned, before.actual)
    assert after.overdue == ()
    assert stored.minutes == plan.minutes


def test_a_proposal_is_stored_compared_and_taken_back(study: Study, plan: Plan) -> None:
    """Applying makes the next version, the difference names what moved, undo returns."""
    stored = study.adjust(Change("halve", week=3), 2)
    assert stored.plan.version == 2
    assert study.plan() == stored.plan
    told = lines(study.diff(), "en")
    assert len(told) == stored.moved
    assert any("week 3 → week 4" in line for line in told)
    assert study.undo() == plan
    back = study.diff()
    assert (back.before.version, back.after.version) == (2, 1)
    assert back == diff(stored.plan, plan)


def test_changes_follow_one_another(study: Study, plan: Plan) -> None:
    """A second change starts from the first one's plan, and keeps its days off."""
    study.adjust(read_change("away 7-13 December", today=study.today), 1)
    again = study.adjust(Change("halve", week=4), 1).plan
    assert (again.version, again.weeks[1].minutes, again.weeks[3].minutes) == (3, 0, 240)
    assert again.minutes == plan.minutes


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (Change("halve", week=13), "no week 13"),
        (Change("halve", week=1), "ended on"),
        (Change("hours", minutes=480), "already has"),
        (Change("away", start=date(2026, 12, 1), end=date(2026, 12, 2)), "is over"),
        (Change("away", start=date(2027, 12, 1), end=date(2027, 12, 2)), "outside"),
        (Change("away", start=date(2027, 1, 9), end=date(2027, 1, 2)), "comes before"),
        (Change("end", end=date(2026, 12, 1)), "too early"),
        (Change("end", end=date(2027, 2, 21)), "already ends"),
    ],
)
def test_a_change_that_cannot_be_is_refused(
    study: Study, plan: Plan, clock: FrozenClock, change: Change, said: str
) -> None:
    """The message says why; the plan stays as it is."""
    on(clock, date(2026, 12, 8))
    with pytest.raises(UserError, match=said):
        study.propose(change)
    assert study.plan() == plan
