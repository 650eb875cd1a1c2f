"""The tools of time and arithmetic, and what says that they apply to a question."""

from __future__ import annotations

from contextlib import suppress
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assistant.tools import RunContext, ToolFailed, ToolRegistry
from assistant.tools.calculate import TOOLS as CALCULATE
from assistant.tools.calculate import evaluate
from assistant.tools.clock import TOOLS as CLOCK
from assistant.tools.when import asks_for_arithmetic, asks_for_days, asks_for_time

TOOLS = ToolRegistry([*CLOCK, *CALCULATE])
SHANGHAI = ZoneInfo("Asia/Shanghai")
ENGLISH = RunContext(clock=lambda: datetime(2026, 3, 2, 1, 0, tzinfo=UTC), zone=SHANGHAI)
CHINESE = RunContext(language="zh", clock=ENGLISH.clock, zone=SHANGHAI)


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ("123 * 456 + 1", 56089),
        ("(1 + 2) * 3", 9),
        ("2^10", 1024),
        ("2 ** -1", 0.5),
        ("7 // 2", 3),
        ("7 % 4", 3),
        ("1,234,567 + 1", 1234568),
        ("3 × 4 ÷ 2", 6),
        ("（1＋2）×3", 9),
        ("12 x 3", 36),
        ("15% of 80", 12),
        ("80的15%", None),
        ("10 + 5%", 10.05),
        ("sqrt(2) ** 2", pytest.approx(2)),
        ("round(2.567, 1)", 2.6),
        ("max(1, 2, 3)", 3),
        ("-5 + 3 =", -2),
        ("pi", pytest.approx(3.14159265)),
        ("1e3", 1000),
        ("0.1 + 0.2", pytest.approx(0.3)),
    ],
)
def test_arithmetic_is_worked_out(expression: str, value: object) -> None:
    """As people write it, too."""
    if value is None:
        with pytest.raises(ToolFailed):
            evaluate(expression)
    else:
        assert evaluate(expression) == value


@pytest.mark.parametrize(
    "expression",
    [
        "9**9**9",
        '"a"*10**9',
        "10**10000",
        "(9**99)**99",
        "2**2**2**2**2**2",
        "1/0",
        "0**-1",
        "(-8)**0.5",
        "__import__('os').system('x')",
        "(1).__class__",
        "[1] * 10**9",
        "lambda: 1",
        "x + 1",
        "abs(1, k=2)",
        "1 if 2 else 3",
        "f'{1}'",
        "exp(10**6)",
        "sqrt(-1)",
        "(" * 300 + "1" + ")" * 300,
        "1 +",
        "",
        "1" * 501,
        "True + 1",
        "round(1, 'a')",
        "max()",
        "1 << 99999",
    ],
)
def test_what_is_no_arithmetic_or_too_large_is_an_error_at_once(expression: str) -> None:
    """And never runs as code."""
    outcome = TOOLS.run("calculate", {"expression": expression}, ENGLISH)
    assert not outcome.ok
    assert "calculate failed" not in outcome.text, outcome.text


@given(st.text(max_size=80))
def test_any_text_is_worked_out_or_refused(text: str) -> None:
    """Nothing but a ToolFailed comes out."""
    with suppress(ToolFailed):
        assert isinstance(evaluate(text), int | float)


@given(st.integers(-(10**9), 10**9), st.integers(-(10**9), 10**9))
def test_whole_numbers_are_exact(one: int, other: int) -> None:
    """Products and sums of whole numbers are what Python says."""
    assert evaluate(f"({one}) * ({other}) + ({one})") == one * other + one


def test_the_time_is_told_in_words_and_in_the_zone() -> None:
    """English and Chinese; another zone by its IANA name; an unknown one is refused."""
    assert TOOLS.run("get_current_time", {}, ENGLISH).text == (
        "It is Monday 2 March 2026, 09:00 (Asia/Shanghai)."
    )
    assert "2026年3月2日星期一" in TOOLS.run("get_current_time", {}, CHINESE).text
    lisbon = TOOLS.run("get_current_time", {"zone": "Europe/Lisbon"}, ENGLISH)
    assert "01:00 (Europe/Lisbon)" in lisbon.text
    for zone in ("Nowhere/City", "../etc/passwd", "/etc/localtime"):
        assert not TOOLS.run("get_current_time", {"zone": zone}, ENGLISH).ok
    assert lisbon.freshness.max_age == timedelta(0)


@pytest.mark.parametrize(
    ("start", "end", "days"),
    [
        ("2026-01-18", "2026-12-31", 347),
        ("2024-02-28", "2024-03-01", 2),
        ("2025年12月31日", "2026年1月1日", 1),
        ("2026/3/2", "2026.3.9", 7),
        ("2026-03-02", "2026-03-02", 0),
        ("today", "2026-03-12", 10),
        ("今天", "明天", 1),
    ],
)
def test_days_are_counted(start: str, end: str, days: int) -> None:
    """Leap days included; today is that of the user's zone."""
    english = TOOLS.run("days_between", {"start": start, "end": end}, ENGLISH)
    chinese = TOOLS.run("days_between", {"start": start, "end": end}, CHINESE)
    assert f"there are {days} day" in english.text
    assert f"相差{days}天" in chinese.text


def test_a_count_from_today_holds_until_midnight() -> None:
    """At 09:00 in Shanghai there are 15 hours left; a count between dates does not age."""
    relative = TOOLS.run("days_between", {"start": "today", "end": "2026-12-31"}, ENGLISH)
    assert relative.freshness.max_age == timedelta(hours=15)
    fixed = TOOLS.run("days_between", {"start": "2026-01-01", "end": "2026-12-31"}, ENGLISH)
    assert fixed.freshness.max_age is None


@pytest.mark.parametrize("date", ["2026-02-30", "soon", "2026-13-01", "", "1/2/3"])
def test_what_is_no_date_is_refused(date: str) -> None:
    """With the form that is wanted."""
    outcome = TOOLS.run("days_between", {"start": date, "end": "2026-01-01"}, ENGLISH)
    assert not outcome.ok
    assert "YYYY-MM-DD" in outcome.text


@pytest.mark.parametrize(
    ("question", "applies"),
    [
        ("What is 123 * 456 + 1?", "a"),
        ("How much is 15% of 80?", "a"),
        ("12乘以7是多少", "a"),
        ("what is 17 plus 25", "a"),
        ("2^10", "a"),
        ("What is the square root of 2?", "a"),
        ("100除以8等于几", "a"),
        ("How many days are there from 2026-01-18 to 2026-12-31?", "d"),
        ("从2026年1月18日到2026年12月31日有多少天？", "d"),
        ("How many days until 5 May?", "d"),
        ("距离12月31日还有多少天？", "d"),
        ("What time is it?", "t"),
        ("What's today's date?", "t"),
        ("Which day is it today?", "t"),
        ("现在几点了", "t"),
        ("今天星期几？", "t"),
        ("How many hours a week do I have?", ""),
        ("What time does the meeting start?", ""),
        ("我每天几点睡觉？", ""),
        ("我妹妹几点下班？", ""),
        ("会议几点开始？", ""),
        ("东京现在几点？", "t"),
        ("几点了？", "t"),
        ("I work 24/7.", ""),
        ("The score was 3-5.", ""),
        ("My birthday is 1990-05-14.", ""),
        ("我每周有几个小时学线性代数？", ""),
        ("What is my dog's name?", ""),
    ],
)
def test_a_question_says_by_its_form_which_tool_may_apply(question: str, applies: str) -> None:
    """a: arithmetic, d: days, t: the time."""
    found = [
        letter
        for letter, when in (
            ("a", asks_for_arithmetic),
            ("d", asks_for_days),
            ("t", asks_for_time),
        )
        if when(question)
    ]
    assert "".join(found) == applies
