"""When a reminder is for, in English and Chinese, as one table seen from one afternoon."""

from __future__ import annotations

from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest

from assistant.jobs.moments import parse_moment

BERLIN = ZoneInfo("Europe/Berlin")
NOW = datetime(2026, 5, 20, 14, 30, tzinfo=BERLIN)  # a Wednesday

ONCE = [
    ("tomorrow at 9", "2026-05-21 09:00"),
    ("9am tomorrow", "2026-05-21 09:00"),
    ("tomorrow at nine", "2026-05-21 09:00"),
    ("tomorrow morning", "2026-05-21 09:00"),
    ("tomorrow", "2026-05-21 09:00"),
    ("tonight", "2026-05-20 20:00"),
    ("at 9", "2026-05-20 21:00"),
    ("today at 9", "2026-05-20 21:00"),
    ("at 3", "2026-05-20 15:00"),
    ("at 3pm", "2026-05-20 15:00"),
    ("at 12", "2026-05-21 12:00"),
    ("at noon", "2026-05-21 12:00"),
    ("at midnight", "2026-05-21 00:00"),
    ("half past 8 tomorrow", "2026-05-21 08:30"),
    ("quarter to 5", "2026-05-20 16:45"),
    ("10:30 tomorrow", "2026-05-21 10:30"),
    ("tomorrow at 7 in the evening", "2026-05-21 19:00"),
    ("on Friday at 17:30", "2026-05-22 17:30"),
    ("next Friday at 3 p.m.", "2026-05-22 15:00"),
    ("on Wednesday at 20:00", "2026-05-20 20:00"),
    ("on Wednesday at 10:00", "2026-05-27 10:00"),
    ("in 20 minutes", "2026-05-20 14:50"),
    ("in half an hour", "2026-05-20 15:00"),
    ("in an hour and a half", "2026-05-20 16:00"),
    ("in 3 days", "2026-05-23 14:30"),
    ("in 3 days at 10", "2026-05-23 10:00"),
    ("in 2 weeks", "2026-06-03 14:30"),
    ("on 5 June", "2026-06-05 09:00"),
    ("December 1 at 10:00", "2026-12-01 10:00"),
    ("on the 28th", "2026-05-28 09:00"),
    ("next week", "2026-05-25 09:00"),
    ("2026-12-01", "2026-12-01 09:00"),
    ("2026-12-01 09:15", "2026-12-01 09:15"),
    ("2026-12-01T09:00:00+08:00", "2026-12-01 02:00"),
    ("yesterday at 9", "2026-05-19 09:00"),
    ("明天早上9点", "2026-05-21 09:00"),
    ("明早8点", "2026-05-21 08:00"),
    ("明天", "2026-05-21 09:00"),
    ("周五", "2026-05-22 09:00"),
    ("后天中午", "2026-05-22 12:00"),
    ("今晚", "2026-05-20 20:00"),
    ("9点", "2026-05-20 21:00"),
    ("下周三下午三点半", "2026-05-27 15:30"),
    ("明天下午三点一刻", "2026-05-21 15:15"),
    ("晚上12点", "2026-05-21 00:00"),
    ("凌晨3点", "2026-05-21 03:00"),
    ("20分钟后", "2026-05-20 14:50"),
    ("半小时后", "2026-05-20 15:00"),
    ("一个半小时后", "2026-05-20 16:00"),
    ("过二十分钟", "2026-05-20 14:50"),
    ("三天后", "2026-05-23 14:30"),
    ("５月２５日上午１０点", "2026-05-25 10:00"),
    ("下个月1号", "2026-06-01 09:00"),
    ("周五下午5点前", "2026-05-22 17:00"),
    ("Fri 5pm", "2026-05-22 17:00"),
    ("on fri at 5pm", "2026-05-22 17:00"),
    ("a week from now", "2026-05-27 14:30"),
    ("in 90 seconds", "2026-05-20 14:31"),
    ("at 18h30", "2026-05-20 18:30"),
    ("at 6.30pm", "2026-05-20 18:30"),
    ("end of the month", "2026-05-31 09:00"),
    ("two days before 5 June", "2026-06-03 09:00"),
    ("月底", "2026-05-31 09:00"),
    ("明晚七点半", "2026-05-21 19:30"),
    ("周末", "2026-05-23 09:00"),
]

REPEATED = [
    ("every Monday at 8", "2026-05-25 08:00", "FREQ=WEEKLY;BYDAY=MO"),
    ("every day", "2026-05-21 09:00", "FREQ=DAILY"),
    ("daily at 20:00", "2026-05-20 20:00", "FREQ=DAILY"),
    ("every morning", "2026-05-21 09:00", "FREQ=DAILY"),
    ("every other day at 7:30", "2026-05-21 07:30", "FREQ=DAILY;INTERVAL=2"),
    ("every weekday at 9", "2026-05-21 09:00", "FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR"),
    ("on Mondays and Thursdays at 6pm", "2026-05-21 18:00", "FREQ=WEEKLY;BYDAY=MO,TH"),
    ("every 2 weeks on Friday", "2026-05-22 09:00", "FREQ=WEEKLY;INTERVAL=2;BYDAY=FR"),
    ("weekly on Sunday at 20:00", "2026-05-24 20:00", "FREQ=WEEKLY;BYDAY=SU"),
    ("on the 1st of every month", "2026-06-01 09:00", "FREQ=MONTHLY;BYMONTHDAY=1"),
    ("every month on the 31st", "2026-05-31 09:00",
     "FREQ=MONTHLY;BYMONTHDAY=28,29,30,31;BYSETPOS=-1"),
    ("every year on 29 February", "2027-02-28 09:00",
     "FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=28,29;BYSETPOS=-1"),
    ("every month", "2026-06-20 09:00", "FREQ=MONTHLY;BYMONTHDAY=20"),
    ("every 3 months on the 31st", "2026-05-31 09:00",
     "FREQ=MONTHLY;BYMONTHDAY=28,29,30,31;BYSETPOS=-1;INTERVAL=3"),
    ("every 30 minutes", "2026-05-20 15:00", "FREQ=MINUTELY;INTERVAL=30"),
    ("Monday to Friday at 9", "2026-05-21 09:00", "FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR"),
    ("last day of every month", "2026-05-31 09:00", "FREQ=MONTHLY;BYMONTHDAY=-1"),
    ("周一到周五早上8点", "2026-05-21 08:00", "FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR"),
    ("每月最后一天", "2026-05-31 09:00", "FREQ=MONTHLY;BYMONTHDAY=-1"),
    ("每天晚上8点", "2026-05-20 20:00", "FREQ=DAILY"),
    ("每周一早上八点", "2026-05-25 08:00", "FREQ=WEEKLY;BYDAY=MO"),
    ("每周一、三、五晚上7点", "2026-05-20 19:00", "FREQ=WEEKLY;BYDAY=MO,WE,FR"),
    ("工作日早上9点", "2026-05-21 09:00", "FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR"),
    ("每两周的周五", "2026-05-22 09:00", "FREQ=WEEKLY;INTERVAL=2;BYDAY=FR"),
    ("每隔一天", "2026-05-21 09:00", "FREQ=DAILY;INTERVAL=2"),
    ("每隔两小时", "2026-05-20 16:30", "FREQ=HOURLY;INTERVAL=2"),
    ("每个月1号", "2026-06-01 09:00", "FREQ=MONTHLY;BYMONTHDAY=1"),
    ("每年5月3日", "2027-05-03 09:00", "FREQ=YEARLY;BYMONTH=5;BYMONTHDAY=3"),
]  # fmt: skip

RESTS = [
    ("remind me tomorrow at 9 to call the dentist", "call the dentist"),
    ("Remind me to buy milk at 5 tomorrow", "buy milk"),
    ("remind me that I have an exam on 3 June at 14:00", "I have an exam"),
    ("in 2 hours check the oven", "check the oven"),
    ("every Monday at 8 water the plants", "water the plants"),
    ("Pay rent on the 28th", "Pay rent"),
    ("提醒我周五交作业", "交作业"),
    ("请提醒我明天早上9点去医院", "去医院"),
    ("两个小时后提醒我关火", "关火"),
    ("每天晚上8点吃药", "吃药"),
    ("提醒我明天下午3点整理3点建议", "整理3点建议"),
]


@pytest.mark.parametrize(("text", "expected"), ONCE)
def test_reads_a_time_to_come(text: str, expected: str) -> None:
    """A text that names one time is read as that time of the user's wall clock."""
    moment = parse_moment(text, NOW, BERLIN)
    assert moment is not None
    assert f"{moment.at.astimezone(BERLIN):%Y-%m-%d %H:%M}" == expected
    assert moment.rule == ""
    assert moment.at.tzinfo is UTC


@pytest.mark.parametrize(("text", "first", "rule"), REPEATED)
def test_reads_what_repeats(text: str, first: str, rule: str) -> None:
    """A text that repeats is read as an RFC 5545 rule and its first time."""
    moment = parse_moment(text, NOW, BERLIN)
    assert moment is not None
    assert (f"{moment.start:%Y-%m-%d %H:%M}", moment.rule) == (first, rule)


@pytest.mark.parametrize(("text", "rest"), RESTS)
def test_leaves_what_is_to_be_done(text: str, rest: str) -> None:
    """What is left without the words of time and of asking is the thing to do."""
    moment = parse_moment(text, NOW, BERLIN)
    assert moment is not None
    assert moment.rest == rest


@pytest.mark.parametrize(
    "text",
    [
        "call mom",
        "提醒我买牛奶",
        "",
        "at a shop",
        "three ideas",
        "一下",
        "tomorrow at 25:00",
        "on June 31",
    ],
)
def test_reads_no_time_where_there_is_none(text: str) -> None:
    """A text without a time names no moment."""
    assert parse_moment(text, NOW, BERLIN) is None
