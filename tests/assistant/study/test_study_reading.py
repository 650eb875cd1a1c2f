"""What people write is read in both languages: goals, dates, changes, check-ins."""

from __future__ import annotations

from datetime import date, timedelta

import pytest

from assistant.errors import UserError
from assistant.study.catalogue import shipped
from assistant.study.change import CATCH_UP, Change, read_change
from assistant.study.check_in import CheckIn, read_check_in
from assistant.study.companion import Study
from assistant.study.days import find_days, read_date, read_days
from assistant.study.goal import read_goal
from assistant.study.making import Wish

TODAY = date(2026, 11, 30)


@pytest.mark.parametrize(
    ("goal", "end", "minutes", "level"),
    [
        (
            "我零基础，想用3个月系统学习机器学习，每周8小时",
            date(2027, 2, 27),
            480,
            "beginner",
        ),
        ("Learn data engineering by 1 March, 6 hours a week", date(2027, 3, 1), 360, None),
        ("用半年学完算法，每周6个小时", date(2027, 5, 29), 360, None),
        ("learn the web in twelve weeks, 7.5h/week", date(2027, 2, 21), 450, None),
        ("3月1日之前学完数据工程，每星期五小时", date(2027, 3, 1), 300, None),
        ("SQL from scratch over 2 months", date(2027, 1, 29), None, "beginner"),
        ("learn python", None, None, None),
    ],
)
def test_a_goal_says_its_own_frame(
    goal: str, end: date | None, minutes: int | None, level: str | None
) -> None:
    """Length or end, hours a week and level are read from the goal's words."""
    frame = read_goal(goal, start=None, today=TODAY)
    assert (frame.end, frame.minutes, frame.level) == (end, minutes, level)


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("2027-03-01", date(2027, 3, 1)),
        ("1 March", date(2027, 3, 1)),
        ("March 1st, 2028", date(2028, 3, 1)),
        ("3月1日", date(2027, 3, 1)),
        ("2027年3月1号", date(2027, 3, 1)),
        ("29 February", date(2028, 2, 29)),
        ("tomorrow", date(2026, 12, 1)),
        ("昨天", date(2026, 11, 29)),
    ],
)
def test_a_date_is_read_as_people_write_it(text: str, day: date) -> None:
    """A day without a year is the next one there is, also 29 February."""
    assert read_date(text, today=TODAY) == day


@pytest.mark.parametrize("text", ["30 February", "2026-02-30", "2月30日", "2026-13-01", "soon", ""])
def test_a_day_that_does_not_exist_is_refused(text: str) -> None:
    """There is an error that names it, and no other day is taken in its place."""
    with pytest.raises(UserError):
        read_date(text, today=TODAY)


def test_days_off_are_single_days_and_ranges() -> None:
    """A list of dates may hold ranges; what is neither is refused."""
    days = read_days("2027-05-01, 2027-05-10..2027-05-12", today=TODAY)
    assert sorted(day.day for day in days) == [1, 10, 11, 12]
    assert len(read_days("2027-05-01 2027-05-03 to 2027-05-04", today=TODAY)) == 3
    with pytest.raises(UserError, match="weekends"):
        read_days("2027-05-01, weekends", today=TODAY)
    with pytest.raises(UserError, match="comes before"):
        read_days("2027-05-12..2027-05-10", today=TODAY)


@pytest.mark.parametrize(
    ("text", "start", "end"),
    [
        ("I'm away 12–19 May", date(2027, 5, 12), date(2027, 5, 19)),
        ("away May 12-19", date(2027, 5, 12), date(2027, 5, 19)),
        ("5月12日到19日出差", date(2027, 5, 12), date(2027, 5, 19)),
        ("from 30 December to 2 January", date(2026, 12, 30), date(2027, 1, 2)),
    ],
)
def test_a_range_of_dates_is_one_span(text: str, start: date, end: date) -> None:
    """A range is read whole, over a year's end too."""
    (days,) = find_days(text, today=TODAY)
    assert (days.start, days.end) == (start, end)


@pytest.mark.parametrize(
    ("text", "change"),
    [
        ("第三周太紧，减半", Change("halve", week=3)),
        ("week 5 is too full", Change("halve", week=5)),
        ("halve the third week", Change("halve", week=3)),
        (
            "I'm away 12–19 May",
            Change("away", start=date(2027, 5, 12), end=date(2027, 5, 19)),
        ),
        ("5月12日到19日出差", Change("away", start=date(2027, 5, 12), end=date(2027, 5, 19))),
        ("I can only do 4 hours from now on", Change("hours", minutes=240)),
        ("以后每周只能学4小时", Change("hours", minutes=240)),
        ("finish by 1 June", Change("end", end=date(2027, 6, 1))),
        ("推迟到6月1日结束", Change("end", end=date(2027, 6, 1))),
        ("I have fallen behind", Change("catch_up")),
        ("我落后了", Change("catch_up")),
    ],
)
def test_a_change_is_read_from_the_persons_words(text: str, change: Change) -> None:
    """Both languages say what should change."""
    assert read_change(text, today=TODAY) == change


def test_a_change_that_is_not_understood_is_asked() -> None:
    """Nothing is guessed: the message gives examples."""
    with pytest.raises(UserError, match="not understood"):
        read_change("make it nicer", today=TODAY)


@pytest.fixture
def read(study: Study) -> object:
    """Reads a check-in for a plan of Python, SQL and linear algebra."""
    wish = Wish(
        "learn",
        weeks=30,
        hours=8,
        courses=("kaggle-python", "kaggle-sql", "linear-algebra"),
    )
    plan = study.make(wish).plan

    def reading(text: str, **more: object) -> CheckIn:
        return read_check_in(
            text,
            plan,
            shipped(),
            finished=set(more.pop("finished", ())),  # type: ignore[call-overload]
            today=TODAY,
            **more,  # type: ignore[arg-type]
        )

    return reading


@pytest.mark.parametrize(
    ("text", "minutes", "group", "rest"),
    [
        (
            "2h linear algebra, finished part 3, stuck on eigenvalues",
            120,
            "linear-algebra",
            (("linear-algebra-3", "linear-algebra-3b"), "eigenvalues"),
        ),
        ("90 min SQL, done", 90, "kaggle-sql", (("kaggle-sql-1",), "")),
        ("1h30 python", 90, "kaggle-python", ((), "")),
        ("an hour and a half of python, not finished", 90, "kaggle-python", ((), "")),
        ("half an hour of SQL", 30, "kaggle-sql", ((), "")),
        ("学了1.5小时线性代数，卡在特征值", 90, "linear-algebra", ((), "特征值")),
        ("半小时 SQL，学完了", 30, "kaggle-sql", (("kaggle-sql-1",), "")),
        ("两个半小时Python，完成第2部分", 150, "kaggle-python", (("kaggle-python-2",), "")),
        ("一小时三十分钟线性代数", 90, "linear-algebra", ((), "")),
        ("45分钟 SQL，还没学完", 45, "kaggle-sql", ((), "")),
        ("2h kaggle-python-2 done", 120, "kaggle-python", (("kaggle-python-2",), "")),
        ("1 hour piano", 60, "other", ((), "")),
        ("2h linear algebra, finished chapter 3", 120, "linear-algebra", ((), "")),
    ],
)
def test_a_check_in_is_read_in_both_languages(
    read: object, text: str, minutes: int, group: str, rest: tuple[tuple[str, ...], str]
) -> None:
    """Duration, course, what is done and what is hard are read; a book's chapter is no part."""
    said = read(text)  # type: ignore[operator]
    assert (said.minutes, said.group, said.done, said.stuck) == (minutes, group, *rest)


@pytest.mark.parametrize(
    ("text", "asked"),
    [
        ("python, done", "how long"),
        ("2h python and 30 min SQL", "several durations"),
        ("2h", "what was it"),
        ("30h python", "longer than a day"),
        ("2h done", "what was it"),
        ("2h of python and linear algebra", "Python, Linear Algebra"),
    ],
)
def test_what_is_ambiguous_is_asked(read: object, text: str, asked: str) -> None:
    """A check-in that could be read in two ways is not stored but asked."""
    with pytest.raises(UserError, match=asked):
        read(text)  # type: ignore[operator]


def test_the_day_is_taken_from_the_words_or_apart(read: object) -> None:
    """昨天 and yesterday name the day; a day given apart wins."""
    assert read("昨天学了2小时SQL").day == date(2026, 11, 29)  # type: ignore[operator]
    assert read("2h SQL yesterday").day == date(2026, 11, 29)  # type: ignore[operator]
    assert read("2h SQL", day=date(2026, 11, 1)).day == date(2026, 11, 1)  # type: ignore[operator]


def test_a_topic_of_several_courses_means_the_one_at_hand(study: Study) -> None:
    """Of two courses about linear algebra the first that is not finished is meant."""
    wish = Wish("x", weeks=30, hours=8, courses=("essence-linear-algebra", "linear-algebra"))
    plan = study.make(wish).plan
    text = "2h linear algebra, finished chapter 3, stuck on eigenvalues"
    for finished, group in (((), "essence-linear-algebra"), (("essence",), "linear-algebra")):
        over = {task for task in plan.tasks() if task.startswith(tuple(finished) or "-")}
        said = read_check_in(text, plan, shipped(), finished=over, today=TODAY)
        assert (said.group, said.stuck) == (group, "eigenvalues")


@pytest.mark.parametrize(
    ("text", "change"),
    [
        ("this week is too tight", Change("halve", start=TODAY)),
        ("这周太紧了", Change("halve", start=TODAY)),
        ("I can't manage this week, it is too much", Change("halve", start=TODAY)),
        ("本周太忙，忙不过来", Change("halve", start=TODAY)),
        ("next week is too full", Change("halve", start=TODAY + timedelta(days=7))),
        ("下周太满了", Change("halve", start=TODAY + timedelta(days=7))),
        ("第三周太紧了", Change("halve", week=3)),
        ("I am away next week", Change("away", start=date(2026, 12, 7), end=date(2026, 12, 13))),
        ("下周出差", Change("away", start=date(2026, 12, 7), end=date(2026, 12, 13))),
        ("这周没时间学", Change("away", start=TODAY, end=date(2026, 12, 6))),
        ("I am behind this week", CATCH_UP),
    ],
)
def test_this_week_and_the_next_are_understood(text: str, change: Change) -> None:
    """A week may be named as people do in conversation, not by its number."""
    assert read_change(text, today=TODAY) == change


@pytest.mark.parametrize("text", ["1e9h sql", "1-2h sql", "sql -3h", "SQL 1到2小时", "1.2.3h sql"])
def test_a_length_that_is_no_single_number_is_asked(study: Study, text: str) -> None:
    """A range, a negative or an odd number is not read as its last figure."""
    study.make(Wish("Learn SQL", weeks=3, hours=3))
    with pytest.raises(UserError, match="how long was it"):
        study.check_in(text)
    assert study.check_in("学SQL2小时").said.minutes == 120
