"""Ranges, times to come and spans with one end, in English and Chinese, as one table."""

from __future__ import annotations

from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest

from assistant.cli.reading import read_span
from assistant.errors import UserError
from memory_store.timeframe import asks_for_past, find_timeframes

BERLIN = ZoneInfo("Europe/Berlin")
NOW = "2026-05-20"  # a Wednesday
PAST, FUTURE = "1970-01-01", "2200-01-01"

RANGES = [
    ("What do I have from Monday to Friday?", "2026-05-25", "2026-05-30", False),
    ("What did I eat from Monday to Friday?", "2026-05-18", "2026-05-23", True),
    ("What did we talk about between Monday and Wednesday?", "2026-05-18", "2026-05-21", True),
    ("Who visited me from Friday to Sunday?", "2026-05-15", "2026-05-18", True),
    ("What did I do between last Monday and Thursday?", "2026-05-18", "2026-05-22", True),
    ("What's planned from tomorrow to Sunday?", "2026-05-21", "2026-05-25", False),
    ("from 28 December 2024 to 3 January", "2024-12-28", "2025-01-04", True),
    ("What are my meetings next Monday to Wednesday?", "2026-05-25", "2026-05-28", False),
    ("下周一到周五我有什么安排？", "2026-05-25", "2026-05-30", False),
    ("周一到周五我都吃了什么？", "2026-05-18", "2026-05-23", True),
    ("上周一到周二我在哪里？", "2026-05-11", "2026-05-13", True),
    ("周五到周日谁来过我家？", "2026-05-15", "2026-05-18", True),
    ("周一和周三之间我们聊了什么？", "2026-05-18", "2026-05-21", True),
    ("从明天到周日有什么计划？", "2026-05-21", "2026-05-25", False),
    ("下周三到下周五我要去哪？", "2026-05-27", "2026-05-30", False),
    ("从去年十月到三月", "2025-10-01", "2026-04-01", True),
]

COMING = [
    ("What do I have in 3 days?", "2026-05-23", "2026-05-24", False),
    ("In two weeks, what do I have?", "2026-05-31", "2026-06-07", False),
    ("Who am I meeting in a fortnight?", "2026-05-31", "2026-06-07", False),
    ("Do I have an exam in a month?", "2026-06-01", "2026-07-01", False),
    ("Is anything planned in a few days?", "2026-05-22", "2026-05-26", False),
    ("What do I have two days from now?", "2026-05-22", "2026-05-23", False),
    ("What trips do I have next month?", "2026-06-01", "2026-07-01", False),
    ("What should I bring tomorrow?", "2026-05-21", "2026-05-22", False),
    ("What do I have on Friday?", "2026-05-22", "2026-05-23", False),
    ("三天后我有什么安排？", "2026-05-23", "2026-05-24", False),
    ("两天后天气怎么样？", "2026-05-22", "2026-05-23", False),
    ("我两周后要去哪里？", "2026-05-31", "2026-06-07", False),
    ("两个月后有什么考试？", "2026-07-01", "2026-08-01", False),
    ("3天之后我要见谁？", "2026-05-23", "2026-05-24", False),
    ("几天后要考试？", "2026-05-22", "2026-05-26", False),
    ("再过五天是谁的生日？", "2026-05-25", "2026-05-26", False),
    ("下个月有什么计划？", "2026-06-01", "2026-07-01", False),
    ("后天要带什么？", "2026-05-22", "2026-05-23", False),
]

HALF_OPEN = [
    ("Where did I live before March?", PAST, "2026-03-01", True),
    ("What has changed since March?", "2026-03-01", "2026-05-21", True),
    ("How does the rise since March affect what I will pay?", "2026-03-01", "2026-05-21", True),
    ("until Friday", "2026-05-20", "2026-05-23", False),
    ("What do I have between now and Friday?", "2026-05-20", "2026-05-23", False),
    ("What have I spent until today?", PAST, "2026-05-21", True),
    ("What do I have to finish before Friday?", "2026-05-20", "2026-05-22", False),
    ("What did I say before Friday?", PAST, "2026-05-15", True),
    ("What do I need to submit by Friday?", "2026-05-20", "2026-05-23", False),
    ("What had I read by Friday?", "2026-05-15", "2026-05-16", True),
    ("Where did I work until March?", PAST, "2026-03-01", True),
    ("What is due before the end of the month?", "2026-05-20", "2026-06-01", False),
    ("What do I have after next week?", "2026-06-01", FUTURE, False),
    ("三月之前我住在哪里？", PAST, "2026-03-01", True),
    ("三月以前我在哪上班？", PAST, "2026-03-01", True),
    ("三月以来我花了多少钱？", "2026-03-01", "2026-05-21", True),
    ("从三月到现在我跑了多少公里？", "2026-03-01", "2026-05-21", True),
    ("周五之前", "2026-05-20", "2026-05-22", False),
    ("周五之前有什么安排？", "2026-05-20", "2026-05-22", False),
    ("周五之前我说过什么？", PAST, "2026-05-15", True),
    ("周五前要完成哪些任务？", "2026-05-20", "2026-05-22", False),
    ("到周五为止要交什么？", "2026-05-20", "2026-05-23", False),
    ("月底之前有哪些账单要付？", "2026-05-20", "2026-06-01", False),
    ("周一以来我吃了几次药？", "2026-05-18", "2026-05-21", True),
    ("从下周一开始有什么课？", "2026-05-25", FUTURE, False),
]

NUMBERS = [
    ("Where was I 10,000 days ago?", "1999-01-02", "1999-01-03", True),
    ("What did I weigh 1,000 days ago?", "2023-08-24", "2023-08-25", True),
    ("10,000天前是哪天？", "1999-01-02", "1999-01-03", True),
    ("What did I spend in March '25?", "2025-03-01", "2025-04-01", True),
    ("Where did I live in May ’98?", "1998-05-01", "1998-06-01", True),
    ("25年3月我在哪里工作？", "2025-03-01", "2025-04-01", True),
    ("25年3月5日我做了什么？", "2025-03-05", "2025-03-06", True),
    ("24年夏天我去了哪里旅游？", "2024-06-01", "2024-09-01", True),
    ("98年5月我住在哪？", "1998-05-01", "1998-06-01", True),
]

SEASONS = [
    ("2026-01-15", "What am I doing this winter?", "2025-12-01", "2026-03-01"),
    ("2026-01-15", "Where am I going next winter?", "2026-12-01", "2027-03-01"),
    ("2026-01-15", "Where did I go last winter?", "2024-12-01", "2025-03-01"),
    ("2026-01-15", "What will I do in the winter?", "2025-12-01", "2026-03-01"),
    ("2026-10-10", "What did I do this summer?", "2026-06-01", "2026-09-01"),
    ("2026-10-10", "What am I doing this winter?", "2026-12-01", "2027-03-01"),
    ("2026-01-15", "这个冬天我打算做什么？", "2025-12-01", "2026-03-01"),
    ("2026-01-15", "上个冬天我去了哪里？", "2024-12-01", "2025-03-01"),
    ("2026-10-10", "这个夏天我去了哪里？", "2026-06-01", "2026-09-01"),
]

TIMELESS = """
How many miles did I run in 3 days?
Can I learn to drive in two weeks?
How many cups do I drink in a day?
How often do I run in a week?
What is the best plan to lose weight in two months?
Who wrote Around the World in 80 Days?
入职三个月后能休假吗？
手术三天后可以洗澡吗？
吃药两小时后能喝酒吗？
三天后他又来了
开会后天台见
工作了25年3个月
""".strip().splitlines()


def _days(text: str, today: str = NOW) -> list[tuple[str, str]]:
    now = datetime.fromisoformat(f"{today}T14:30").replace(tzinfo=BERLIN)
    return [
        (
            f"{frame.interval.start.astimezone(BERLIN):%F}",
            f"{frame.interval.end.astimezone(BERLIN):%F}",
        )
        for frame in find_timeframes(text, now=now, zone=BERLIN)
    ]


@pytest.mark.parametrize(("text", "first", "after", "past"), RANGES + COMING + HALF_OPEN + NUMBERS)
def test_names_the_span(text: str, first: str, after: str, past: bool) -> None:
    """A question's one span begins and ends on these days, and asks for the past or does not."""
    now = datetime.fromisoformat(f"{NOW}T14:30").replace(tzinfo=BERLIN)
    assert _days(text) == [(first, after)]
    assert asks_for_past(text, now=now, zone=BERLIN) == past


@pytest.mark.parametrize(("today", "text", "first", "after"), SEASONS)
def test_names_the_season(today: str, text: str, first: str, after: str) -> None:
    """This winter is the running one in January, and this summer the one gone in October."""
    assert _days(text, today) == [(first, after)]


@pytest.mark.parametrize("text", TIMELESS)
def test_a_length_is_no_day_to_come(text: str) -> None:
    """What fits into three days, or comes three days after something else, names no day."""
    assert _days(text) == []


@pytest.mark.parametrize(
    ("since", "until", "start"),
    [
        ("0001-01-01", "9999-12-31", "0001-01-01"),
        (None, "9999-12-31", "0001-01-01"),
        ("2026-05-20", "9999-12-31T23:00", "2026-05-20"),
    ],
)
def test_a_span_may_reach_to_the_last_day(since: str | None, until: str, start: str) -> None:
    """`--until 9999-12-31` holds that day although none follows it."""
    span = read_span(since, until, UTC)
    assert span is not None
    assert span.start == datetime.fromisoformat(start).replace(tzinfo=UTC)
    assert span.holds(datetime(9999, 12, 31, 22, tzinfo=UTC))


@pytest.mark.parametrize("option", ["--since", "--until"])
def test_a_day_before_the_calendar_is_refused(option: str) -> None:
    """In Berlin the first of all days begins in the year 0, which is told rather than raised."""
    given = ("0001-01-01", None) if option == "--since" else (None, "0001-01-01")
    with pytest.raises(UserError) as refused:
        read_span(*given, BERLIN)
    assert option in str(refused.value)
