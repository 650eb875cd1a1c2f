"""Reminders by conversation: the tools say what was understood, and what was not."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from zoneinfo import ZoneInfo

import pytest

from assistant.jobs.notices import Notices
from assistant.jobs.reminders import Reminders
from assistant.jobs.tools import reminder_tools
from assistant.tools.definition import RunContext
from assistant.tools.registry import Outcome, ToolRegistry
from memory_store.ledger import Ledger
from memory_store.testing import FrozenClock

BERLIN = ZoneInfo("Europe/Berlin")
Call = Callable[..., Outcome]


@pytest.fixture
def reminders(ledger: Ledger, clock: FrozenClock) -> Reminders:
    """It is Wednesday 20 May 2026, 14:30 in Berlin."""
    return Reminders(ledger, Notices(ledger), clock=clock, zone=BERLIN)


@pytest.fixture
def call(reminders: Reminders, clock: FrozenClock) -> Call:
    """Calls a tool as the loop does."""
    registry = ToolRegistry(reminder_tools(reminders))

    def call(name: str, language: str = "en", **arguments: str) -> Outcome:
        context = RunContext(turn="t1", language=language, clock=clock, zone=BERLIN)  # type: ignore[arg-type]
        return registry.run(name, arguments, context)

    return call


def test_a_day_of_reminders_by_conversation(call: Call, clock: FrozenClock) -> None:
    """Added, listed, put off, done and cancelled, each answer says what the reminder now is."""
    said = call("remind", what="call the dentist", when="tomorrow at 9")
    assert said.text == "Noted: 1: call the dentist, Thursday 21 May 2026, 09:00"
    said = call("remind", "zh", what="交作业", when="周五")
    assert said.text == "已记下：2: 交作业，2026年5月22日星期五 09:00"
    call("remind", what="water the plants", when="every Monday at 8")
    call("remind", what="buy milk")
    listed = call("list_reminders").text.splitlines()
    assert listed[2] == ("3: water the plants, Monday 25 May 2026, 08:00, every week on Monday")
    assert listed[3] == "4: buy milk, to-do"
    said = call("snooze_reminder", which="dentist", until="in 2 days")
    assert said.text == "Put off: 1: call the dentist, Friday 22 May 2026, 14:30"
    assert call("complete_reminder", which="milk").text == "Done: 4: buy milk, done"
    said = call("cancel_reminder", "zh", which="3")
    assert said.text == "已取消：3: water the plants，已取消"
    assert len(call("list_reminders").text.splitlines()) == 2
    clock.advance(timedelta(days=1))


def test_nothing_open_is_said(call: Call) -> None:
    """An empty list is told as one."""
    assert call("list_reminders").text == "Nothing is open."
    assert call("list_reminders", "zh").text == "没有待办的提醒。"


@pytest.mark.parametrize(
    ("name", "arguments", "problem"),
    [
        ("remind", {"what": "call mom", "when": "soonish"}, "not a time"),
        ("remind", {"what": "call mom", "when": "yesterday"}, "has passed"),
        ("snooze_reminder", {"which": "9", "until": "tomorrow"}, "no open reminder"),
        ("complete_reminder", {"which": "mom"}, "no open reminder"),
        ("cancel_reminder", {"which": " "}, "no open reminder"),
    ],
)
def test_what_cannot_be_done_is_an_observation(
    call: Call, reminders: Reminders, name: str, arguments: dict[str, str], problem: str
) -> None:
    """A wrong time or an unknown reminder is told to the model, and nothing changes."""
    outcome = call(name, **arguments)
    assert not outcome.ok
    assert problem in outcome.text
    assert reminders.list(None) == []


@pytest.mark.parametrize(
    ("question", "name"),
    [
        ("remind me tomorrow at 9 to call the dentist", "remind"),
        ("提醒我周五交作业", "remind"),
        ("what's on my to-do list?", "list_reminders"),
        ("我有哪些提醒", "list_reminders"),
        ("put off the dentist until Friday", "snooze_reminder"),
        ("牛奶那条推迟到明天", "snooze_reminder"),
        ("I'm done with the milk", "complete_reminder"),
        ("作业已经交了", "complete_reminder"),
        ("cancel the dentist reminder", "cancel_reminder"),
        ("取消浇花的提醒", "cancel_reminder"),
    ],
)
def test_is_offered_for_such_questions(reminders: Reminders, question: str, name: str) -> None:
    """Each tool says itself for which questions it may apply, in both languages."""
    tools = {tool.name: tool for tool in reminder_tools(reminders)}
    when = tools[name].when
    assert when is not None
    assert when(question)
    for tool in tools.values():
        assert tool.when is not None
        assert not tool.when("what is the capital of France?")
        assert not tool.when("我的城市是哪里")


@pytest.mark.parametrize(
    ("question", "arguments", "said"),
    [
        (
            "remind me tomorrow at 9 to call the dentist",
            {"what": "the dentist", "when": "tomorrow at 9"},
            "Noted: 1: call the dentist, Thursday 21 May 2026, 09:00",
        ),
        (
            "remind me tomorrow at 9 to call the dentist",
            {"what": "the dentist", "when": "2026-05-22 09:00"},
            "Noted: 1: call the dentist, Thursday 21 May 2026, 09:00",
        ),
        (
            "提醒我周五交作业",
            {"what": "交作业"},
            "Noted: 1: 交作业, Friday 22 May 2026, 09:00",
        ),
        (
            "yes, please",
            {"what": "call mom", "when": "tomorrow at 10"},
            "Noted: 1: call mom, Thursday 21 May 2026, 10:00",
        ),
        (
            "remind me at 16:00 to eat and at 20:00 to sleep",
            {"what": "sleep", "when": "at 20:00"},
            "Noted: 1: sleep, Wednesday 20 May 2026, 20:00",
        ),
        (
            "I meet Ann tomorrow at 15:00, remind me an hour before",
            {"what": "meet Ann", "when": "tomorrow at 14:00"},
            "Noted: 1: meet Ann, Thursday 21 May 2026, 14:00",
        ),
    ],
)
def test_what_the_user_said_counts(
    reminders: Reminders, clock: FrozenClock, question: str, arguments: dict[str, str], said: str
) -> None:
    """A time that the model dropped or computed wrongly is taken from the user's own words."""
    registry = ToolRegistry(reminder_tools(reminders))
    context = RunContext(turn="t1", question=question, clock=clock, zone=BERLIN)
    assert registry.run("remind", arguments, context).text == said
