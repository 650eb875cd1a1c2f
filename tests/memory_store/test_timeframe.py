"""What a time expression means, in English and Chinese, as one table seen from one day."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from memory_store.timeframe import find_timeframes

BERLIN = ZoneInfo("Europe/Berlin")
NOW = datetime(2026, 5, 20, 14, 30, tzinfo=BERLIN)  # a Wednesday

ENGLISH = [
    ("what did I say yesterday?", "2026-05-19", 1),
    ("what did I eat last night", "2026-05-19", 1),
    ("the day before yesterday", "2026-05-18", 1),
    ("what did I ask you this morning?", "2026-05-20", 1),
    ("what's on today", "2026-05-20", 1),
    ("what do I have tomorrow?", "2026-05-21", 1),
    ("the day after tomorrow", "2026-05-22", 1),
    ("what did we discuss last Tuesday?", "2026-05-19", 1),
    ("what did we discuss last Wednesday?", "2026-05-13", 1),
    ("on Friday I told you something", "2026-05-15", 1),
    ("Tuesday last week", "2026-05-12", 1),
    ("last week's Tuesday", "2026-05-12", 1),
    ("last fri I went out", "2026-05-15", 1),
    ("what is on this Friday", "2026-05-22", 1),
    ("next Monday", "2026-05-25", 1),
    ("last week", "2026-05-11", 7),
    ("this week", "2026-05-18", 7),
    ("next week", "2026-05-25", 7),
    ("the week before last", "2026-05-04", 7),
    ("the weekend", "2026-05-16", 2),
    ("last weekend", "2026-05-16", 2),
    ("this weekend", "2026-05-23", 2),
    ("last month", "2026-04-01", 30),
    ("this month", "2026-05-01", 31),
    ("last quarter", "2026-01-01", 90),
    ("last year", "2025-01-01", 365),
    ("the year before last", "2024-01-01", 366),
    ("what did I say in March?", "2026-03-01", 31),
    ("what did I say in march?", "2026-03-01", 31),
    ("what happened in may?", "2026-05-01", 31),
    ("what did I plan in October", "2025-10-01", 31),
    ("my November expenses", "2025-11-01", 30),
    ("my March budget", "2026-03-01", 31),
    ("March 2025", "2025-03-01", 31),
    ("in March last year", "2025-03-01", 31),
    ("last March", "2026-03-01", 31),
    ("last June", "2025-06-01", 30),
    ("early March", "2026-03-01", 10),
    ("mid-March", "2026-03-11", 10),
    ("at the end of March", "2026-03-21", 11),
    ("at the end of last month", "2026-04-21", 10),
    ("three days ago", "2026-05-17", 1),
    ("a few days ago", "2026-05-15", 4),
    ("three weeks ago", "2026-04-26", 7),
    ("a couple of weeks ago", "2026-05-03", 7),
    ("2 months ago", "2026-03-01", 31),
    ("half a year ago", "2025-11-01", 30),
    ("a year ago", "2025-01-01", 365),
    ("an hour ago", "2026-05-20", 1),
    ("15 hours ago", "2026-05-19", 1),
    ("the last two weeks", "2026-05-06", 15),
    ("in the past 3 months", "2026-02-20", 90),
    ("over the last month", "2026-04-20", 31),
    ("between 3 and 5 May", "2026-05-03", 3),
    ("from 3 to 5 May", "2026-05-03", 3),
    ("May 3-5", "2026-05-03", 3),
    ("on 3–5 May", "2026-05-03", 3),
    ("from 28 April to 3 May", "2026-04-28", 6),
    ("from March to April", "2026-03-01", 61),
    ("between November and January", "2025-11-01", 92),
    ("from Monday to Tuesday", "2026-05-18", 2),
    ("between last Monday and yesterday", "2026-05-18", 2),
    ("2026-01-18 to 2026-01-20", "2026-01-18", 3),
    ("on 2026-01-18", "2026-01-18", 1),
    ("2026/1/18", "2026-01-18", 1),
    ("in 2026-01", "2026-01-01", 31),
    ("on 1/18/2026", "2026-01-18", 1),
    ("18/1/2026", "2026-01-18", 1),
    ("on May 5th", "2026-05-05", 1),
    ("on may 5", "2026-05-05", 1),
    ("on 5 December", "2025-12-05", 1),
    ("the 5th of May 2024", "2024-05-05", 1),
    ("Feb 29", "2024-02-29", 1),
    ("on the 5th", "2026-05-05", 1),
    ("on the 25th?", "2026-04-25", 1),
    ("since April", "2026-04-01", 50),
    ("since last Tuesday", "2026-05-19", 2),
    ("after 5 May", "2026-05-06", 15),
    ("in 2025", "2025-01-01", 365),
    ("early 2025", "2025-01-01", 120),
    ("Q1", "2026-01-01", 90),
    ("Q3", "2025-07-01", 92),
    ("Q1 2025", "2025-01-01", 90),
    ("the first quarter of last year", "2025-01-01", 90),
    ("in the second half of 2025", "2025-07-01", 184),
    ("last summer", "2025-06-01", 92),
    ("in the summer", "2025-06-01", 92),
    ("summer 2024", "2024-06-01", 92),
    ("at Christmas", "2025-12-25", 1),
    ("last Christmas", "2025-12-25", 1),
    ("on New Year's Eve", "2025-12-31", 1),
    ("the day before 3 May", "2026-05-02", 1),
    ("in the week before May 3, 2026", "2026-04-26", 7),
    ("two weeks after 1 March", "2026-03-02", 14),
    ("the weekend before April 10, 2026", "2026-04-04", 2),
    ("the month after Christmas", "2025-12-26", 31),
    ("in the second week of November", "2025-11-08", 7),
    ("the last week of March 2025", "2025-03-25", 7),
    ("the first weekend of May", "2026-05-02", 2),
    ("the last Friday of March", "2026-03-27", 1),
    ("the first Monday of last month", "2026-04-06", 1),
    ("at the beginning of the year", "2026-01-01", 120),
    ("at the end of the month", "2026-05-21", 11),
    ("early in March", "2026-03-01", 10),
]

CHINESE = [
    ("我昨天说了什么", "2026-05-19", 1),
    ("昨晚吃了什么", "2026-05-19", 1),
    ("前天的会议", "2026-05-18", 1),
    ("大前天", "2026-05-17", 1),
    ("今早我问了什么", "2026-05-20", 1),
    ("明天有什么安排", "2026-05-21", 1),
    ("后天", "2026-05-22", 1),
    ("大后天", "2026-05-23", 1),
    ("上周的库存是多少", "2026-05-11", 7),
    ("上个星期", "2026-05-11", 7),
    ("上上周", "2026-05-04", 7),
    ("本周", "2026-05-18", 7),
    ("上周三", "2026-05-13", 1),
    ("上上周五", "2026-05-08", 1),
    ("周二我说过什么", "2026-05-19", 1),
    ("星期五的聚餐", "2026-05-15", 1),
    ("下周一", "2026-05-25", 1),
    ("早上周二我说的", "2026-05-19", 1),
    ("马上周末了", "2026-05-16", 2),
    ("上一周", "2026-05-11", 7),
    ("上个周五", "2026-05-15", 1),
    ("上周末", "2026-05-16", 2),
    ("周末去了哪里", "2026-05-16", 2),
    ("上个月", "2026-04-01", 30),
    ("上上个月", "2026-03-01", 31),
    ("上月", "2026-04-01", 30),
    ("本月", "2026-05-01", 31),
    ("上个月底", "2026-04-21", 10),
    ("上个月的3号", "2026-04-03", 1),
    ("我三月份在做什么", "2026-03-01", 31),
    ("我在10月启动的活动", "2025-10-01", 31),
    ("十一月", "2025-11-01", 30),
    ("1月中旬去了哪", "2026-01-11", 10),
    ("三月初", "2026-03-01", 10),
    ("三月到五月", "2026-03-01", 92),
    ("去年三月", "2025-03-01", 31),
    ("去年的三月份", "2025-03-01", 31),
    ("2025年1月", "2025-01-01", 31),
    ("二〇二五年一月", "2025-01-01", 31),
    ("2025年3月4日", "2025-03-04", 1),
    ("在1月12日早上", "2026-01-12", 1),
    ("十月一号", "2025-10-01", 1),
    ("５月３日", "2026-05-03", 1),
    ("5月3日到5日", "2026-05-03", 3),
    ("5月3-5日", "2026-05-03", 3),
    ("4月28日至5月3日", "2026-04-28", 6),
    ("12月28日到1月3日", "2025-12-28", 7),
    ("4月9日、12日和14日", "2026-04-09", 6),
    ("从周一到周二", "2026-05-18", 2),
    ("2026-01-18", "2026-01-18", 1),
    ("去年", "2025-01-01", 365),
    ("前年", "2024-01-01", 366),
    ("今年", "2026-01-01", 365),
    ("2025年", "2025-01-01", 365),
    ("去年年底", "2025-09-01", 122),
    ("去年夏天", "2025-06-01", 92),
    ("去年下半年", "2025-07-01", 184),
    ("第一季度", "2026-01-01", 90),
    ("去年第三季度", "2025-07-01", 92),
    ("上个季度", "2026-01-01", 90),
    ("三天前", "2026-05-17", 1),
    ("十五天之前", "2026-05-05", 1),
    ("几天前", "2026-05-15", 4),
    ("两周前", "2026-05-03", 7),
    ("三个月前", "2026-02-01", 28),
    ("半年前", "2025-11-01", 30),
    ("两年前", "2024-01-01", 366),
    ("十五个小时前", "2026-05-19", 1),
    ("前两周", "2026-05-06", 14),
    ("前三天", "2026-05-17", 3),
    ("最近三天", "2026-05-17", 4),
    ("过去三个月", "2026-02-20", 90),
    ("最近一个月", "2026-04-20", 31),
    ("四月以来", "2026-04-01", 50),
    ("自从去年以来", "2025-01-01", 505),
    ("国庆", "2025-10-01", 7),
    ("去年国庆节", "2025-10-01", 7),
    ("元旦", "2026-01-01", 1),
    ("五一去哪了", "2026-05-01", 5),
    ("圣诞节", "2025-12-25", 1),
    ("5月3日前一天", "2026-05-02", 1),
    ("4月10日的前两周", "2026-03-27", 14),
    ("4月10日后三天", "2026-04-11", 3),
    ("三月的第二周", "2026-03-08", 7),
    ("3月最后一个周末", "2026-03-28", 2),
    ("上个月第一周", "2026-04-01", 7),
    ("从三月起", "2026-03-01", 81),
    ("在2月下旬开始训练", "2026-02-21", 8),
    ("从年初到四月份", "2026-01-01", 120),
    ("上一年", "2025-01-01", 365),
    ("这几个月", "2025-12-20", 152),
    ("我上半年", "2026-01-01", 181),
]

TIMELESS = """
may I ask you something?
may 5 people come along?
the last may be the best
this may be wrong, and the next may follow
my second attempt
wait a second
a second opinion
march on
they march 5 miles a day
the march on Washington
what is a sun hat, and who sat there?
version 3.14 of the driver
192.168.0.1
sku-42
what is 123*456+1?
a 12-week plan with 6 hours a week
what is due in week 3?
it takes three weeks
I walked 2048 steps
what happened in 2000 words
he is 30 years old
use Spring Boot in spring boot projects
an August person
April told me that June is ill
Black Friday deals
what do I do on Tuesdays?
every Monday at 8
last but not least
the last chapter
at the last minute
once upon a time
the other one
24/7 support
30 February
2026-02-30
one day I will
5号楼在哪
42号公交车
说一下这个
等一下
三国演义讲什么
三国
一天到晚都忙
有一天
十分好
一周三次
每周三的课
一年四季
两三个月
聪明天真的人
先天后天的差别
以前天真
从前年轻的时候
如今天气不好
五月天的歌
原来如此
3个月学完
第三周的任务
周围有什么
星期几
说三道四
二十四节气
李国庆是谁
明日方舟
二月三十日
前一天晚上
my last SAT score
notes on SAT exams
一本周刊
end of week 3
the second week of the plan
周末愉快
""".strip().splitlines()


@pytest.mark.parametrize(("text", "first", "days"), ENGLISH + CHINESE)
def test_names_these_local_days(text: str, first: str, days: int) -> None:
    """A time expression names exactly these local days, from the day given on."""
    frames = find_timeframes(text, now=NOW, zone=BERLIN)
    assert len(frames) == 1, frames
    start = frames[0].interval.start.astimezone(BERLIN)
    end = frames[0].interval.end.astimezone(BERLIN)
    assert start.date().isoformat() == first
    assert (end.date() - start.date()).days == days
    assert start.time() == end.time() == datetime.min.time()


@pytest.mark.parametrize("text", TIMELESS)
def test_finds_no_time_where_there_is_none(text: str) -> None:
    """Words that only look like a time name none."""
    assert find_timeframes(text, now=NOW, zone=BERLIN) == ()


def test_gives_the_words_and_where_they_stand() -> None:
    """A timeframe carries the very words of the text, and their place in it."""
    text = "Compare last week with 去年三月, please"
    frames = find_timeframes(text, now=NOW, zone=BERLIN)
    assert [frame.text for frame in frames] == ["last week", "去年三月"]
    assert all(text[f.start : f.start + len(f.text)] == f.text for f in frames)


def test_names_several_days_apart() -> None:
    """Days that are listed, not joined, stay apart."""
    for text, count in (
        ("在3月6日、4月20日和5月2日", 3),
        ("在三月初和五月", 2),
        ("在3月6日和5月2日之间", 1),
        ("on 6 March and on 2 May", 2),
        ("compare March 2025 and April 2025", 2),
        ("between March 2025 and April 2025", 1),
    ):
        assert len(find_timeframes(text, now=NOW, zone=BERLIN)) == count, text


def test_looks_ahead_where_the_text_does() -> None:
    """A month without a year is the next one in a question about the future."""
    frame = find_timeframes("what will I do in March?", now=NOW, zone=BERLIN)[0]
    assert frame.interval.start.astimezone(BERLIN).date() == date(2027, 3, 1)
    assert not frame.past


def test_the_day_follows_the_users_zone() -> None:
    """Yesterday begins and ends at the user's midnight, not at that of UTC."""
    late = datetime(2026, 5, 20, 22, 30, tzinfo=UTC)  # the 21st in Shanghai
    shanghai = ZoneInfo("Asia/Shanghai")
    interval = find_timeframes("yesterday", now=late, zone=shanghai)[0].interval
    assert interval.start == datetime(2026, 5, 19, 16, tzinfo=UTC)
    assert interval.end == datetime(2026, 5, 20, 16, tzinfo=UTC)


@pytest.mark.parametrize(
    ("zone", "day", "hours"),
    [
        ("Europe/Berlin", "2026-03-29", 23),
        ("Europe/Berlin", "2026-10-25", 25),
        ("America/New_York", "2026-03-08", 23),
        ("America/New_York", "2026-11-01", 25),
        ("Australia/Lord_Howe", "2026-04-05", 24.5),
        ("America/Santiago", "2026-09-06", 23),  # the clock changes at midnight itself
        ("Asia/Shanghai", "2026-03-29", 24),
    ],
)
def test_a_day_of_clock_change_has_its_own_length(zone: str, day: str, hours: float) -> None:
    """A local day is 23 or 25 hours long where the clock changes on it."""
    interval = find_timeframes(f"on {day}", now=NOW, zone=ZoneInfo(zone))[0].interval
    assert interval.end - interval.start == timedelta(hours=hours)
