"""Names, sayings and counts that hold a time word, beside questions that do hold a time."""

from __future__ import annotations

from datetime import datetime
from zoneinfo import ZoneInfo

import pytest

from memory_store.timeframe import asks_for_past, find_timeframes

BERLIN = ZoneInfo("Europe/Berlin")
NOW = datetime(2026, 5, 20, 14, 30, tzinfo=BERLIN)  # a Wednesday

TIMED = [
    ("What did I say about Friday Night Lights on Monday?", "2026-05-18", 1),
    ("Did April Ludgate's actress come up yesterday?", "2026-05-19", 1),
    ("How much did I pay for The Sunday Times last month?", "2026-04-01", 30),
    ("What did I think of Wednesday Addams two weeks ago?", "2026-05-03", 7),
    ("What did May say on May 6th?", "2026-05-06", 1),
    ("Did June come by in June?", "2025-06-01", 30),
    ("On Tuesday Anna told me her new number, what is it?", "2026-05-19", 1),
    ("In March Tom lent me a book, which one?", "2026-03-01", 31),
    ("Yesterday Anna called, what about?", "2026-05-19", 1),
    ("Did I see Anna Tuesday?", "2026-05-19", 1),
    ("Did I call Mum Monday?", "2026-05-18", 1),
    ("What did we decide in the Monday Zoom call?", "2026-05-18", 1),
    ("Where was I on my Friday Berlin trip?", "2026-05-15", 1),
    ("Which film did we watch on Saturday Night?", "2026-05-16", 1),
    ("WHAT DID I DO ON FRIDAY NIGHT?", "2026-05-15", 1),
    ("What Did I Do Last Week?", "2026-05-11", 7),
    ("Who came for lunch on Christmas Day?", "2025-12-25", 1),
    ("Who did I enjoy a trip together with last summer?", "2025-06-01", 92),
    ("What did I read the other day?", "2026-05-13", 7),
    ("March 5 notes about the car", "2026-03-05", 1),
    ("Q3 2025 spending", "2025-07-01", 92),
    ("三月三日我做了什么？", "2026-03-03", 1),
    ("三月初三天都在下雨吗？", "2026-03-01", 10),
    ("五月花了多少钱？", "2026-05-01", 31),
    ("五月天天跑步吗？", "2026-05-01", 31),
    ("一月多少号考试？", "2026-01-01", 31),
    ("我在一月两次出差都去了哪？", "2026-01-01", 31),
    ("最近一月我花了多少？", "2026-04-20", 31),
    ("上一季度花了多少？", "2026-01-01", 90),
    ("本周日程安排是什么？", "2026-05-18", 7),
    ("本周天气怎么样？", "2026-05-18", 7),
    ("周五天气怎么样来着？", "2026-05-15", 1),
    ("上周一共跑了多少公里？", "2026-05-11", 7),
    ("上周一直在用的药是什么？", "2026-05-11", 7),
    ("上周三次会议都谈了什么？", "2026-05-11", 7),
    ("上周二十公里跑完了吗？", "2026-05-11", 7),
    ("周三十点开了什么会？", "2026-05-13", 1),
    ("周五回家坐的几点的车？", "2026-05-15", 1),
    ("上周五一起吃饭的人是谁？", "2026-05-15", 1),
    ("他说明天几点到？", "2026-05-21", 1),
    ("他完成本周目标了吗？", "2026-05-18", 7),
    ("谢雨桐前两天说了什么？", "2026-05-18", 2),
    ("双十一我买了什么？", "2025-11-11", 1),
    ("我儿子今年初三，班主任是谁？", "2026-01-01", 365),
    ("我昨天听了五月天的哪首歌？", "2026-05-19", 1),
    ("我昨天看的《四月物语》讲什么？", "2026-05-19", 1),
    ("上周末我们在星期五餐厅点了什么？", "2026-05-16", 2),
    ("五月之前我住在哪里？", "1970-01-01", 20574),
]

TIMELESS = """
Can May 5 people join?
May 12 students sit at one table?
Who is Wednesday Addams?
Do I subscribe to the Sunday Times?
Is Friday Night Lights on my watch list?
Which actress plays April Ludgate?
What do I think of June Carter?
When does March Madness start?
Which play by August Wilson did I want to see?
Is October Sky on my list?
Who stars in January Jones's new show?
Did I like The Thursday Murder Club?
Who is Man Friday in Robinson Crusoe?
Is Ruby Tuesday open late?
How long is Freaky Friday?
When is Cyber Monday this time?
Which Saturday Night Live sketch do I like?
Who did Theresa May lose to?
Do I still read USA Today?
Did I ever finish Tomorrow Never Dies?
What's the plot of The Day After Tomorrow?
Is Last Week Tonight on HBO?
Who wrote A Christmas Carol?
Is "Last Christmas" by Wham?
Is my Audi Q3 insured?
When was my last fall?
Does the band march past our house?
What was my second attempt at the exam?
How do I spring a surprise on her?
Why do I fall asleep so late?
Can you be ready in a minute?
What did the Day One app cost?
One day I want to see Japan, what should I pack?
大年初一我们家有什么习惯？
正月初五要迎财神吗？
三月三是什么节日？
一月之内要还的钱有哪些？
房租一月多少钱？
一月两次的例会谁主持？
我女儿上一年级的班主任是谁？
五月花号是什么船？
五月天有哪些歌？
七月流火是什么意思？
《星期五》是谁唱的？
星期天餐厅在哪条街？
疯狂星期四有什么优惠？
黑色星期五一般打几折？
六一居士是谁？
我订的南方周末怎么续费？
我的基本月薪是多少？
我目前年薪多少？
税后年薪怎么算？
出发前三天要准备什么？
体检前3天能喝酒吗？
项目的前三个月目标是什么？
附近三天内送货的店有哪些？
将近两个月的假怎么申请？
圣诞老人叫什么名字？
黄国庆的电话是多少？
雨后天晴的照片在哪？
每周三天健身够吗？
说一下我的地址
三国里你喜欢谁？
""".strip().splitlines()


@pytest.mark.parametrize(("text", "first", "days"), TIMED)
def test_finds_the_time_beside_a_name(text: str, first: str, days: int) -> None:
    """The one time of a question is found, whatever else looks like a time."""
    frames = find_timeframes(text, now=NOW, zone=BERLIN)
    assert len(frames) == 1, frames
    start, end = (
        edge.astimezone(BERLIN).date()
        for edge in (frames[0].interval.start, frames[0].interval.end)
    )
    assert start.isoformat() == first
    assert (end - start).days == days


@pytest.mark.parametrize("text", TIMELESS)
def test_a_name_is_no_time(text: str) -> None:
    """Names and sayings name no time, and so do not ask for the past."""
    assert find_timeframes(text, now=NOW, zone=BERLIN) == ()
    assert not asks_for_past(text, now=NOW, zone=BERLIN)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("Friday Anna's birthday", "Friday"),
        ("Remind me Tuesday Anna is coming", "Tuesday"),
        ("Remind me on Friday Call Mum", "Friday"),
        ("Remind me Tomorrow Call Mum", "Tomorrow"),
        ("buy the Sunday Times tomorrow", "tomorrow"),
    ],
)
def test_a_reminder_may_begin_with_its_day(text: str, words: str) -> None:
    """Looking ahead, a weekday at the start is a day, whatever name follows."""
    frames = find_timeframes(text, now=NOW, zone=BERLIN, ahead=True)
    assert [frame.text for frame in frames] == [words]
