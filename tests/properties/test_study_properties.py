"""What holds of every study plan, whatever the courses, the calendar, the log and the wishes."""

from __future__ import annotations

from collections import Counter
from datetime import UTC, date, datetime, time, timedelta
from itertools import pairwise
from zoneinfo import ZoneInfo

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from assistant.errors import UserError
from assistant.study.adjust import propose
from assistant.study.availability import capacity, free_minutes, sittings
from assistant.study.calendar import merged
from assistant.study.change import CATCH_UP, Change
from assistant.study.check_in import CheckIn, group_of
from assistant.study.course import LEVELS, Course, check_prerequisites
from assistant.study.diff import apply, diff
from assistant.study.plan import Busy, Plan, Terms, restore, stored
from assistant.study.plan_check import check_plan
from assistant.study.planner import build, by_level
from assistant.study.progress import measure
from assistant.study.repack import LEAST
from assistant.study.reviews import topic_of
from assistant.study.scheduler import capacities
from assistant.study.study_log import Entry

ZONES = ("UTC", "Asia/Shanghai", "Europe/Lisbon", "America/New_York", "Australia/Lord_Howe")
quick = settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow])


@st.composite
def catalogues(draw: st.DrawFn) -> dict[str, Course]:
    """Courses whose prerequisites come from the ones before them, so that there is no cycle."""
    count = draw(st.integers(1, 7))
    courses: dict[str, Course] = {}
    for number in range(count):
        earlier = list(courses)
        needed = (
            draw(st.lists(st.sampled_from(earlier), unique=True, max_size=2)) if earlier else []
        )
        low = draw(st.sampled_from([0.5, 1, 2.25, 3, 4.1, 7]))
        high = low + draw(st.sampled_from([0, 1, 2.5]))
        name = f"c{number}"
        courses[name] = Course(
            name,
            f"Course {number}",
            (),
            draw(st.sampled_from(LEVELS)),
            draw(st.integers(1, 6)),
            (low, high),
            tuple(needed),
        )
    return courses


@st.composite
def terms(draw: st.DrawFn) -> Terms:
    """A start anywhere in some years (leap years too), any length, load, days off and calendar."""
    start = draw(st.dates(date(2023, 12, 1), date(2028, 3, 15)))
    length = draw(st.integers(1, 75))
    end = start + timedelta(days=length - 1)
    zone = draw(st.sampled_from(ZONES))
    days = st.integers(0, length - 1).map(lambda n: start + timedelta(days=n))
    busy: list[Busy] = []
    for day in draw(st.lists(days, max_size=5)):
        begin = datetime.combine(day, time(draw(st.integers(0, 23)), 20), ZoneInfo(zone))
        hours = draw(st.integers(1, 30))
        busy.append(Busy(begin.astimezone(UTC), begin.astimezone(UTC) + timedelta(hours=hours)))
    weeks = -(-length // 7)
    loads = draw(st.dictionaries(st.integers(1, weeks), st.integers(0, 1200), max_size=3))
    return Terms(
        start,
        end,
        draw(st.integers(15, 3000)),
        None,
        frozenset(draw(st.lists(days, max_size=6))),
        loads,
        zone,
        merged(busy),
    )


@st.composite
def plans(draw: st.DrawFn) -> tuple[Plan, dict[str, Course]]:
    courses = draw(catalogues())
    asked = draw(terms().filter(lambda t: sum(capacities(t)) > 0))
    language = draw(st.sampled_from(["en", "zh"]))
    return build("p", "a goal", language, asked, by_level(list(courses.values()))), courses


@st.composite
def logs(draw: st.DrawFn, plan: Plan) -> list[Entry]:
    groups = sorted({group_of(task) for _, task in plan.placed()})
    entries: list[Entry] = []
    for number in range(draw(st.integers(0, 6))):
        group = draw(st.sampled_from([*groups, "other"]))
        own = [task.id for _, task in plan.placed() if group_of(task) == group]
        done = tuple(draw(st.lists(st.sampled_from(own), unique=True, max_size=2))) if own else ()
        day = plan.start + timedelta(days=draw(st.integers(0, (plan.end - plan.start).days)))
        said = CheckIn(day, draw(st.integers(1, 600)), group, done, "note", "")
        at = datetime.combine(day, time(12), UTC)
        entries.append(Entry(number + 1, 1, plan.name, at, False, said))
    return sorted(entries, key=lambda entry: (entry.said.day, entry.id))


@st.composite
def changes(draw: st.DrawFn, plan: Plan) -> Change:
    days = st.integers(-5, (plan.end - plan.start).days + 40)
    day = plan.start + timedelta(days=draw(days))
    match draw(st.sampled_from(["catch_up", "hours", "away", "halve", "end"])):
        case "hours":
            return Change("hours", minutes=draw(st.integers(15, 4000)))
        case "away":
            return Change("away", start=day, end=day + timedelta(days=draw(st.integers(0, 20))))
        case "halve":
            return Change("halve", week=draw(st.integers(1, len(plan.weeks))))
        case "end":
            return Change("end", end=day)
        case _:
            return CATCH_UP


@quick
@given(plans())
def test_a_plan_obeys_every_constraint(made: tuple[Plan, dict[str, Course]]) -> None:
    """Every minute asked for is planned, no week is over its hours, and order is kept."""
    plan, courses = made
    check_prerequisites(courses)
    check_plan(plan, courses)
    assert [week.minutes for week in plan.weeks] == capacities(plan.terms)
    for week in plan.weeks:
        whole = plan.terms.loads.get(week.number, plan.terms.minutes_a_week)
        assert week.minutes <= whole
        open_days = [day for day in week.days if day not in plan.terms.off]
        assert week.minutes <= sum(free_minutes(plan.terms, day) for day in open_days)
    assert plan.weeks[0].start == plan.start
    assert plan.weeks[-1].end == plan.end


@quick
@given(plans())
def test_each_course_is_placed_or_said_to_be_missing_to_the_minute(
    made: tuple[Plan, dict[str, Course]],
) -> None:
    """What is planned of a course and what is unplaced add up to its length."""
    plan, courses = made
    missing = {item.course: item.minutes for item in plan.unplaced}
    for course in courses.values():
        placed = sum(task.minutes for _, task in plan.placed() if task.course == course.id)
        assert placed + missing.get(course.id, 0) == course.minutes


@quick
@given(plans())
def test_a_plan_has_three_phases_each_with_weeks_and_a_self_check(
    made: tuple[Plan, dict[str, Course]],
) -> None:
    """Fewer than three phases only where there are fewer than three weeks."""
    plan, _ = made
    phases = plan.phase_weeks()
    assert len(phases) >= min(3, len(plan.weeks))
    assert all(weeks and phase.self_check for phase, weeks in phases)
    assert [week for _, weeks in phases for week in weeks] == list(plan.weeks)


@quick
@given(plans())
def test_a_stored_plan_is_the_same_plan(made: tuple[Plan, dict[str, Course]]) -> None:
    """Nothing is lost between the plan and the JSON that the ledger keeps."""
    plan, _ = made
    assert restore(stored(plan)) == plan


@quick
@given(plans())
def test_sittings_lie_in_free_time_and_add_up(made: tuple[Plan, dict[str, Course]]) -> None:
    """A week's sittings are as long as its tasks, in order, never at once, never on a day off."""
    plan, _ = made
    zone = ZoneInfo(plan.terms.zone)
    laid = list(sittings(plan))
    for one, following in pairwise(laid):
        assert one.end <= following.start
    by_task: dict[str, int] = {}
    weeks = {task.id: week for week, task in plan.placed()}
    for sitting in laid:
        week, day = weeks[sitting.task.id], sitting.start.astimezone(zone).date()
        assert week.start <= day <= week.end
        assert day not in plan.terms.off
        assert not any(b.start < sitting.end and sitting.start < b.end for b in plan.terms.busy)
        minutes = int((sitting.end - sitting.start).total_seconds() // 60)
        by_task[sitting.task.id] = by_task.get(sitting.task.id, 0) + minutes
    assert by_task == {task.id: task.minutes for _, task in plan.placed()}


@quick
@given(plans(), st.data())
def test_progress_never_exceeds_what_was_logged(
    made: tuple[Plan, dict[str, Course]], data: st.DataObject
) -> None:
    """Time counts once: what is earned without being called done was logged, minute for minute."""
    plan, _ = made
    entries = data.draw(logs(plan))
    until = plan.start + timedelta(days=data.draw(st.integers(-3, 150)))
    now = datetime.combine(until, time(21), ZoneInfo(plan.terms.zone))
    progress = measure(plan, entries, now)
    known = [entry for entry in entries if entry.said.day <= until]
    assert progress.actual == sum(entry.said.minutes for entry in known)
    said_done = {name for entry in known for name in entry.said.done}
    undone = sum(s.earned for s in progress.standings if s.task.id not in said_done)
    assert undone <= progress.actual
    assert progress.planned <= plan.minutes
    assert progress.earned <= plan.minutes
    assert all(0 <= s.earned <= s.task.minutes for s in progress.standings)
    assert {s.task.id for s in progress.standings if s.complete} >= said_done
    if progress.forecast is not None and progress.earliest is not None:
        assert progress.earliest <= progress.forecast


@quick
@given(plans(), st.data())
def test_every_proposal_adds_up_and_leaves_finished_work_alone(
    made: tuple[Plan, dict[str, Course]], data: st.DataObject
) -> None:
    """A proposal is a sound plan; finished work stays; what is not lost is all still there."""
    plan, courses = made
    entries = data.draw(logs(plan))
    today = plan.start + timedelta(days=data.draw(st.integers(0, (plan.end - plan.start).days)))
    now = datetime.combine(today, time(9), ZoneInfo(plan.terms.zone))
    progress = measure(plan, entries, now)
    change = data.draw(changes(plan))
    try:
        proposals = propose(plan, progress, change, courses)
    except UserError:
        return
    for proposal in proposals:
        new = proposal.plan
        after = measure(new, entries, now)
        check_plan(new, courses, {s.task.id for s in after.standings if s.complete})
        lost = sum(item.minutes for item in proposal.lost)
        if proposal.kind == "deepen":
            assert new.minutes >= plan.minutes
        else:
            assert new.minutes == plan.minutes - lost
        if proposal.kind != "trim":
            assert not lost
        places = {task.id: week.number for week, task in new.placed()}
        for standing in progress.standings:
            if standing.complete:
                assert places[standing.task.id] == standing.week.number
                assert new.tasks()[standing.task.id] == standing.task
        held = {task.id: week.minutes for week, task in plan.placed()}
        for week in new.weeks:
            if week.end < today:
                continue
            old = plan.weeks[week.number - 1].minutes if week.number <= len(plan.weeks) else 0
            room = capacity(new.terms, week.number, week.start, week.end)
            assert week.minutes <= max(room, old)
        assert held.keys() >= {s.task.id for s in progress.standings}
        assert after.actual == progress.actual
        assert after.earned == progress.earned or lost


@quick
@given(plans(), st.data())
def test_diff_and_undo_are_inverse(
    made: tuple[Plan, dict[str, Course]], data: st.DataObject
) -> None:
    """The difference makes the new plan of the old one, and its inverse the old of the new."""
    plan, courses = made
    now = datetime.combine(plan.start, time(9), ZoneInfo(plan.terms.zone))
    try:
        proposals = propose(plan, measure(plan, [], now), data.draw(changes(plan)), courses)
    except UserError:
        return
    for proposal in proposals:
        new = proposal.plan.numbered(2)
        change = diff(plan, new)
        assert apply(change, plan) == new
        assert apply(change.inverse(), new) == plan
        assert change.inverse().inverse() == change


@quick
@given(plans(), st.data())
def test_halving_a_week_moves_no_more_than_it_must(
    made: tuple[Plan, dict[str, Course]], data: st.DataObject
) -> None:
    """Earlier weeks stay; over each later week's end goes what the halved week lacks, no more."""
    plan, courses = made
    number = data.draw(st.integers(1, len(plan.weeks)))
    now = datetime.combine(plan.start, time(0), ZoneInfo(plan.terms.zone))
    proposals = propose(plan, measure(plan, [], now), Change("halve", week=number), courses)
    for proposal in proposals:
        if proposal.kind != "extend":
            continue
        new = proposal.plan
        assert new.weeks[: number - 1] == plan.weeks[: number - 1]
        halved = new.weeks[number - 1]
        if number == len(plan.weeks):
            continue
        room = capacity(new.terms, number, halved.start, halved.end)
        assert room - LEAST < halved.minutes <= room
        lacking = plan.weeks[number - 1].minutes - halved.minutes
        for week in range(number, len(plan.weeks)):
            before, after = _by_part(plan, week), _by_part(new, week)
            assert all(after[part] <= minutes for part, minutes in before.items())
            more = sum(before.values()) - sum(after.values()) - lacking
            assert 0 <= more < LEAST * (week - number + 1)  # no task is cut smaller than that


@quick
@given(plans(), st.data())
def test_no_proposal_cuts_a_task_into_minutes(
    made: tuple[Plan, dict[str, Course]], data: st.DataObject
) -> None:
    """What a change cuts off a task has a quarter of an hour, where weeks have room for one."""
    plan, courses = made
    now = datetime.combine(plan.start, time(0), ZoneInfo(plan.terms.zone))
    try:
        proposals = propose(plan, measure(plan, [], now), data.draw(changes(plan)), courses)
    except UserError:
        return
    whole = plan.tasks()
    for proposal in proposals:
        widest = max(
            capacity(proposal.plan.terms, week.number, week.start, week.end)
            for week in proposal.plan.weeks
        )
        if proposal.kind in {"trim", "deepen"} or widest < max(t.minutes for t in whole.values()):
            continue
        for name, task in proposal.plan.tasks().items():
            if name not in whole or task.minutes != whole[name].minutes:
                assert task.minutes >= LEAST


def _by_part(plan: Plan, until: int) -> Counter[str]:
    """The minutes of each part of a course up to a week, whatever it was cut into."""
    minutes = Counter[str]()
    for week in plan.weeks[:until]:
        for task in week.tasks:
            minutes[topic_of(task.id)] += task.minutes
    return minutes
