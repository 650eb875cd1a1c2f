"""Reminders by conversation: the tools with which the model adds, lists and changes them."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Annotated

from pydantic import Field

from assistant.errors import UserError
from assistant.jobs.reminders import LONGEST, Reminder, Reminders
from assistant.phrases import say
from assistant.tools.definition import RunContext, Tool, ToolFailed, ToolResult, tool

_ADD = re.compile(
    r"\bremind(?:er)?\b|\bto-?do\b|提醒|待办|闹钟|叫我|到时候?(?:告诉|通知)我|别让我忘", re.I
)
_LIST = re.compile(
    r"\breminders?\b|\bto-?dos?\b|\bwhat (?:do|must|should) i (?:have|need) to do\b|提醒|待办",
    re.I,
)
_CHANGE = re.compile(
    r"\bsnooze\b|\bpostpone\b|\bput off\b|\blater\b|推迟|延后|稍后|晚点|过会|过一会", re.I
)
_DONE = re.compile(
    r"\b(?:done|did|finished|completed?|checked off|tick(?:ed)?)\b"
    r"|完成|做完|做好|搞定|办完|已经.{0,12}了",
    re.I,
)
_CANCEL = re.compile(
    r"\b(?:cancel|delete|remove|drop)\b|\bno longer\b|取消|删(?:掉|除)|不用.{0,8}了", re.I
)

_COUNTED_BACK = re.compile(r"\bbefore\b|\bearlier\b|提前|之前|前提醒", re.I)
MOST_ADDED = 40
"""So many characters the user's words may be longer than the model's for the same task."""

Which = Annotated[
    str, Field(min_length=1, description="the reminder's number, or words that stand in it")
]
When = Annotated[
    str,
    Field(
        min_length=1,
        description="the time in the user's own words, such as 'tomorrow at 9', 'every Monday at"
        " 8', 明天早上9点, 每天晚上8点; never computed",
    ),
]


def reminder_tools(reminders: Reminders) -> tuple[Tool, ...]:
    """Return the tools that work on `reminders`."""

    @tool(
        description="Adds a reminder, or a to-do where the user gives no time. Pass the time in"
        " the user's own words; it is computed for you.",
        when=lambda question: _ADD.search(question) is not None,
        remembered=False,
    )
    def remind(
        run: RunContext,
        what: Annotated[
            str, Field(min_length=1, max_length=LONGEST, description="what to do, without the time")
        ],
        when: When | None = None,
    ) -> ToolResult:
        task, time = _in_the_users_words(reminders, run, what, when)
        made = _tried(run, lambda: reminders.add(task, time, turn=run.turn))
        return _said("remind.noted", reminders, made, run)

    @tool(
        description="Lists the user's open reminders and to-dos with their numbers.",
        live=True,
        when=lambda question: _LIST.search(question) is not None,
        remembered=False,
    )
    def list_reminders(run: RunContext) -> ToolResult:
        every = reminders.list()
        if not every:
            return ToolResult(say("remind.none_open", run.language))
        return ToolResult("\n".join(reminders.describe(each, run.language) for each in every))

    @tool(
        description="Puts a reminder off to a later time.",
        when=lambda question: _CHANGE.search(question) is not None,
        remembered=False,
    )
    def snooze_reminder(run: RunContext, which: Which, until: When) -> ToolResult:
        changed = _tried(run, lambda: reminders.snooze(which, until))
        return _said("remind.put_off", reminders, changed, run)

    @tool(
        description="Marks a reminder or to-do as done.",
        when=lambda question: _DONE.search(question) is not None,
        remembered=False,
    )
    def complete_reminder(run: RunContext, which: Which) -> ToolResult:
        changed = _tried(run, lambda: reminders.complete(which))
        return _said("remind.done", reminders, changed, run)

    @tool(
        description="Takes a reminder off the list for good.",
        when=lambda question: _CANCEL.search(question) is not None,
        remembered=False,
    )
    def cancel_reminder(run: RunContext, which: Which) -> ToolResult:
        changed = _tried(run, lambda: reminders.cancel(which))
        return _said("remind.cancelled", reminders, changed, run)

    return (remind, list_reminders, snooze_reminder, complete_reminder, cancel_reminder)


def _in_the_users_words(
    reminders: Reminders, run: RunContext, what: str, when: str | None
) -> tuple[str, str | None]:
    """What to do and when, as the question has it where the model left something out.

    A weak model drops the time or half of the task, or computes a date of its own; what the user
    said counts. Of a question with several times, or with one to count back from ("an hour
    before"), the model's choice counts.
    """
    question = run.question
    asked = reminders.read(question)
    if asked is None or _COUNTED_BACK.search(question) or reminders.read(asked.rest) is not None:
        return what, when
    whole = what.casefold() in asked.rest.casefold() and len(asked.rest) <= MOST_ADDED + len(what)
    return (asked.rest if whole else what), question


def _tried(run: RunContext, change: Callable[[], Reminder]) -> Reminder:
    try:
        return change()
    except UserError as error:
        error.speak(run.language)
        raise ToolFailed(" ".join(filter(None, (str(error), error.hint)))) from None


def _said(key: str, reminders: Reminders, reminder: Reminder, run: RunContext) -> ToolResult:
    told = reminders.describe(reminder, run.language)
    return ToolResult(say(key, run.language, reminder=told))
