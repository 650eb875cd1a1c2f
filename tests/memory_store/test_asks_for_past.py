"""Which questions ask for what was, and which for what is, in English and in Chinese."""

from __future__ import annotations

from datetime import datetime
from zoneinfo import ZoneInfo

import pytest

from memory_store.timeframe import asks_for_past

BERLIN = ZoneInfo("Europe/Berlin")
NOW = datetime(2026, 5, 20, 14, 30, tzinfo=BERLIN)  # a Wednesday


@pytest.mark.parametrize(
    "text",
    """
what did I say in March?
what was my city before?
what was my plan in April
where did I use to live?
I used to run a lot, how much was it?
what did I originally plan?
where did I live back then?
what's my old address?
how has my weight changed?
the last two weeks
since April
what did you tell me an hour ago?
before May
What did I say about the Sunday Times last month?
我以前住在哪里？
我原来的地址是什么
之前说的方案是什么
当初为什么这么定
上周的库存是多少
曾经学过什么
最近三天吃了什么
上周一共跑了多少公里
""".strip().splitlines(),
)
def test_asks_for_what_was(text: str) -> None:
    """Questions about the past are told by their time or by their words."""
    assert asks_for_past(text, now=NOW, zone=BERLIN)


@pytest.mark.parametrize(
    "text",
    """
what is my city?
what should I do before the meeting?
am I used to it?
what is a hammer used to do
remind me tomorrow
what is on today?
what do I have this week?
Have I ever used Flask before?
Who plays Wednesday Addams?
Can May 5 people join?
原来如此
他走过去了
开会以前要准备什么
明天有什么安排
我的地址是什么
我女儿上一年级的班主任是谁
我目前年薪多少
本周日程安排是什么
""".strip().splitlines(),
)
def test_asks_for_what_is(text: str) -> None:
    """Questions about now, about the future or without a time do not ask for the past."""
    assert not asks_for_past(text, now=NOW, zone=BERLIN)
