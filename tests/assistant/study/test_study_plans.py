"""Plans: made from goals and flags, kept with versions, checked before they are stored."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import date
from itertools import pairwise
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from assistant.errors import UserError
from assistant.study.availability import sittings
from assistant.study.catalogue import shipped
from assistant.study.companion import Study
from assistant.study.making import Wish
from assistant.study.plan import Plan
from memory_store.embedding import load_embedder
from memory_store.ledger import Ledger
from memory_store.testing import FrozenClock

GOALS = (
    "我零基础，想用3个月系统学习机器学习，每周8小时",
    "Learn data engineering by 1 March, 6 hours a week",
)


def made(study: Study, **more: object) -> Plan:
    wish = {"goal": "Learn machine learning", "weeks": 12, "hours": 8, **more}
    return study.make(Wish(**wish)).plan  # type: ignore[arg-type]


@pytest.mark.parametrize("goal", GOALS)
def test_a_goal_in_either_language_gives_a_whole_plan(study: Study, goal: str) -> None:
    """Phases with self-checks, weeks with dates, tasks with outputs, every hour planned."""
    plan = study.make(Wish(goal)).plan
    assert len(plan.phases) >= 3
    assert all(phase.self_check for phase in plan.phases)
    assert all(task.output and task.minutes for _, task in plan.placed())
    assert {task.course for _, task in plan.placed()} - {None} <= set(study.catalogue.all())
    full = plan.terms.minutes_a_week
    assert [week.minutes for week in plan.weeks[:-1]] == [full] * (len(plan.weeks) - 1)
    assert plan.unplaced == ()


def test_prerequisites_come_first_and_a_project_fills_what_is_left(study: Study) -> None:
    """A beginner's plan holds what its courses need, before them, and ends with a project."""
    plan = made(study)
    order = [task.course for _, task in plan.placed()]
    courses = study.catalogue.all()
    for place, course in enumerate(order):
        for needed in courses[course].prerequisites if course else ():
            assert needed not in order[place:]
    assert order[-1] is None


def test_courses_that_do_not_fit_are_reported_with_what_would(study: Study) -> None:
    """An overfull wish names what is missing, to the minute, and three ways to make it fit."""
    plan = made(study, courses=("linear-algebra",), weeks=4, hours=10)
    (item,) = plan.unplaced
    assert item.minutes == 168 * 60 - 40 * 60
    assert item.would_fit[0] == "13 weeks longer"
    assert "128 h too long" in item.would_fit[2]


def test_named_courses_are_taken_as_they_are_unless_a_level_is_given(study: Study) -> None:
    """Without a level what they need is taken as known and said; a beginner gets it planned."""
    wish = Wish("ml", weeks=20, hours=8, courses=("ml-crash-course",))
    alone = study.make(wish)
    assert {course.id for course in alone.assumed} == {"kaggle-python", "essence-linear-algebra"}
    whole = study.make(replace(wish, level="beginner"))
    assert whole.assumed == ()
    assert {"kaggle-python", "ml-crash-course"} <= {t.course for _, t in whole.plan.placed()}


def test_days_off_and_other_loads_change_their_weeks_only(study: Study) -> None:
    """A day off takes a seventh, a week off all, and a load replaces the week's hours."""
    off = frozenset({date(2026, 12, 1), *(date(2026, 12, day) for day in range(7, 14))})
    plan = made(study, off=off, loads={3: 2})
    assert [week.minutes for week in plan.weeks[:4]] == [480 * 6 // 7, 0, 120, 480]


def test_a_plan_with_an_end_has_a_shorter_last_week(study: Study) -> None:
    """The last week ends on the day asked for, with its share of the hours."""
    plan = made(study, weeks=None, end=date(2026, 12, 16))
    assert plan.weeks[-1].end == date(2026, 12, 16)
    assert plan.weeks[-1].minutes == 480 * 3 // 7


@pytest.mark.parametrize(
    ("wish", "said"),
    [
        ({"hours": 0}, "0 hours"),
        ({"hours": 200}, "200 hours"),
        ({"hours": None}, "how many hours"),
        ({"weeks": None}, "until when"),
        ({"weeks": 0}, "--weeks 0"),
        ({"end": date(2027, 1, 1)}, "not both"),
        ({"weeks": None, "end": date(2026, 1, 1)}, "before it starts"),
        ({"courses": ("no-such",)}, "no course 'no-such'"),
        ({"level": "wizard"}, "wizard"),
        ({"goal": "  "}, "empty"),
        ({"goal": "play the violin"}, "no course about"),
        ({"loads": {99: 2}}, "no week 99"),
        ({"off": frozenset(date(2026, 11, 30 - n) for n in range(1))}, ""),
    ],
)
def test_a_wish_that_cannot_be_is_refused(study: Study, wish: dict[str, object], said: str) -> None:
    """The message says what is wrong, and no plan is stored."""
    if not said:
        assert made(study, **wish).weeks[0].minutes == 480 * 6 // 7
        return
    with pytest.raises(UserError, match=said):
        made(study, **wish)
    assert study.plans.names() == []


def test_a_plan_made_again_is_the_next_version_and_undo_returns(study: Study) -> None:
    """Nothing is overwritten: both versions can be read, and undo makes the first current."""
    first = made(study)
    second = made(study, hours=4)
    assert (first.version, second.version) == (1, 2)
    assert study.plan() == second
    assert study.plan(version=1) == first
    assert study.undo() == first
    assert study.plan() == first
    with pytest.raises(UserError, match="first version"):
        study.undo()
    third = made(study, hours=5)
    assert third.version == 3
    assert study.undo() == first


def test_every_version_has_a_readable_copy_that_is_never_overwritten(
    study: Study, tmp_path: Path
) -> None:
    """The plans folder holds one Markdown file a version."""
    plan = made(study)
    made(study, hours=4)
    folder = tmp_path / "plans" / "default"
    assert sorted(path.name for path in folder.iterdir()) == ["v1.md", "v2.md"]
    text = (folder / "v1.md").read_text("utf-8")
    assert plan.phases[0].self_check in text
    assert all(f"`{task.id}`" in text for _, task in plan.placed())


@pytest.mark.parametrize("name", ["../x", "a/b", "", ".", "a b", "x" * 64, "~", "C:x"])
def test_a_plan_name_can_be_no_path(study: Study, tmp_path: Path, name: str) -> None:
    """A name that could leave the plans folder is refused before anything is written."""
    plan = replace(made(study), name=name)
    with pytest.raises(UserError, match="plan name"):
        study.save(plan, reason="test")
    with pytest.raises(UserError, match="plan name"):
        study.plans.read_plan(name)
    assert [path.name for path in (tmp_path / "plans").iterdir()] == ["default"]


def test_an_invented_course_is_refused_when_a_plan_is_saved(study: Study) -> None:
    """A task about a course that is not in the catalogue does not get in; real ones are named."""
    plan = made(study)
    week = plan.weeks[0]
    fake = replace(week.tasks[0], course="machine-learning-wizardry")
    weeks = (replace(week, tasks=(fake, *week.tasks[1:])), *plan.weeks[1:])
    with pytest.raises(UserError, match="machine-learning"):
        study.save(replace(plan, weeks=weeks), reason="test")
    assert study.plan() == plan


def test_a_change_made_elsewhere_meanwhile_is_not_overwritten(study: Study) -> None:
    """Saving on top of a version that is no longer current is refused."""
    first = made(study)
    made(study, hours=4)
    with pytest.raises(UserError, match="version 2 now"):
        study.save(first, reason="test")


def test_several_plans_share_the_week(study: Study) -> None:
    """Sittings of two plans never overlap, and hours for all plans together are kept to."""
    one = study.make(Wish("Learn machine learning", weeks=4, hours=6), "ml").plan
    two = study.make(Wish("Learn SQL", weeks=4, total=10), "sql").plan
    assert [week.minutes for week in two.weeks] == [240] * 4
    assert study.plans.names() == ["ml", "sql"]
    with pytest.raises(UserError, match="several plans"):
        study.plan()
    spans = sorted((s.start, s.end) for plan in (one, two) for s in sittings(plan))
    assert all(a[1] <= b[0] for a, b in pairwise(spans))


def test_owners_do_not_see_each_others_plans(open_study: object) -> None:
    """A plan is its owner's alone."""
    made(open_study("me"))  # type: ignore[operator]
    assert open_study("you").plans.names() == []  # type: ignore[operator]


BUSY = """BEGIN:VCALENDAR
VERSION:2.0
PRODID:test
BEGIN:VEVENT
UID:holiday
DTSTART;VALUE=DATE:20261207
DTEND;VALUE=DATE:20261214
SUMMARY:Holiday
END:VEVENT
BEGIN:VEVENT
UID:choir
DTSTART;TZID=Asia/Shanghai:20261130T180000
DTEND;TZID=Asia/Shanghai:20261130T230000
RRULE:FREQ=WEEKLY;COUNT=10
EXDATE;TZID=Asia/Shanghai:20261214T180000
END:VEVENT
BEGIN:VEVENT
UID:free
DTSTART;VALUE=DATE:20261221
TRANSP:TRANSPARENT
END:VEVENT
BEGIN:VEVENT
UID:gone
DTSTART;VALUE=DATE:20261222
STATUS:CANCELLED
END:VEVENT
END:VCALENDAR
"""


def test_the_persons_calendar_is_busy_time(study: Study, tmp_path: Path) -> None:
    """A holiday week has no study; a weekly evening moves the sitting, but not where it is off."""
    path = tmp_path / "mine.ics"
    path.write_text(BUSY.replace("\n", "\r\n"), "utf-8")
    plan = made(study, calendar=path)
    assert [week.minutes for week in plan.weeks[:4]] == [480, 0, 480, 480]
    hours = {s.start.astimezone(study.zone).strftime("%m-%d %H") for s in sittings(plan)}
    assert "11-30 07" in hours
    assert "12-14 19" in hours


@pytest.mark.parametrize(
    "text",
    ["hello", "", "BEGIN:VCALENDAR\r\nBEGIN:VEVENT\r\nDTSTART:soon\r\nEND:VEVENT\r\nEND:VCALENDAR"],
)
def test_a_broken_calendar_is_refused(study: Study, tmp_path: Path, text: str) -> None:
    """What is no calendar, or holds a broken event, is named; nothing is stored."""
    path = tmp_path / "broken.ics"
    path.write_text(text, "utf-8")
    with pytest.raises(UserError, match=r"broken\.ics"):
        made(study, calendar=path)
    with pytest.raises(UserError, match="cannot be read"):
        made(study, calendar=tmp_path / "missing.ics")


@pytest.mark.parametrize("off", [frozenset(), frozenset({date(2026, 12, 9), date(2026, 12, 10)})])
def test_what_would_fit_does_fit(study: Study, off: frozenset[date]) -> None:
    """With the weeks or the hours that a plan names, everything it lacks is placed."""
    wish = Wish("x", weeks=4, hours=10, courses=("hello-algo", "kaggle-python", "ostep"), off=off)
    last = study.make(wish).plan.unplaced[-1]
    weeks = int(last.would_fit[0].split()[0])
    assert study.make(replace(wish, weeks=4 + weeks)).plan.unplaced == ()
    assert study.make(replace(wish, weeks=3 + weeks)).plan.unplaced != ()
    times = re.findall(r"(\d+) (h|min)", last.would_fit[1])
    more = sum(int(number) * (60 if unit == "h" else 1) for number, unit in times)
    enough = study.make(replace(wish, hours=(600 + more) / 60)).plan
    assert enough.unplaced == ()
    assert study.make(replace(wish, hours=(599 + more) / 60)).plan.unplaced != ()


def test_an_event_that_ends_before_it_starts_is_refused(study: Study, tmp_path: Path) -> None:
    """It is named with its times, and nothing is stored."""
    path = tmp_path / "back.ics"
    lines = ["BEGIN:VCALENDAR", "VERSION:2.0", "PRODID:x", "BEGIN:VEVENT", "UID:1", "SUMMARY:Trip"]
    lines += ["DTSTART:20261207T190000Z", "DTEND:20261207T180000Z", "END:VEVENT", "END:VCALENDAR"]
    path.write_text("\r\n".join(lines), "utf-8")
    with pytest.raises(UserError, match=r"back\.ics: the event 'Trip' ends at .*before it starts"):
        made(study, calendar=path)
    assert study.plans.names() == []


@pytest.mark.parametrize(
    ("goal", "topics"),
    [
        ("I want to teach machines to recognise pictures", {"computer vision", "machine learning"}),
        ("robots that learn by trial and error", {"robotics", "reinforcement learning"}),
        ("learn data wrangling", {"data analysis", "data mining"}),
        ("learn to prove theorems", {"logic", "discrete mathematics", "proofs"}),
    ],
)
def test_a_goal_in_other_words_finds_courses_by_meaning(
    clock: FrozenClock, tmp_path: Path, goal: str, topics: set[str]
) -> None:
    """A goal that names no topic of the catalogue gets the courses nearest in meaning."""
    study = by_meaning(tmp_path, clock)
    plan = study.make(Wish(goal, weeks=40, hours=14)).plan
    held = [shipped()[task.course] for _, task in plan.placed() if task.course]
    assert topics & {topic.lower() for course in held for topic in course.topics}
    assert study.make(Wish(goal, weeks=40, hours=14)).by_meaning


@pytest.mark.parametrize("goal", ["learn knitting", "学做川菜", "play the guitar", "考驾照"])
def test_a_goal_that_no_course_is_near_is_refused(
    clock: FrozenClock, tmp_path: Path, goal: str
) -> None:
    """Nothing is planned for it; the message names the nearest courses there are."""
    with pytest.raises(UserError, match=r"no course about .* Nearest: "):
        by_meaning(tmp_path, clock).make(Wish(goal, weeks=8, hours=8))


def by_meaning(tmp_path: Path, clock: FrozenClock) -> Study:
    """A companion with the packaged embedder."""
    ledger, zone = Ledger(tmp_path / "meaning.db"), ZoneInfo("Asia/Shanghai")
    return Study(ledger, clock=clock, zone=zone, embedder=lambda: load_embedder(None))
