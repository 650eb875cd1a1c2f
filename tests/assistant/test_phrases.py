"""What is said in English can be said in Chinese: the two tables match, and the code uses them."""

from __future__ import annotations

import re
from pathlib import Path
from string import Formatter

import pytest

import assistant
from assistant.context.request import PARTS
from assistant.errors import UserError
from assistant.phrases import phrase, say, table

CODE = Path(assistant.__file__).parent
HAN = re.compile(r"[\u3400-\u9fff]")
STATUSES = {"remind.is_done", "remind.is_cancelled"}
"""Built from a reminder's status."""
CHART = ("planned", "logged", "earned", "forecast", "range", "end", "today", "hours", "title")
"""Built from the parts of the chart."""
CONTEXT = {f"budget.{part}" for part in (*PARTS, "free", "reserve")}
"""Built from the parts of a request."""
NO_MESSAGES = {"study.plans", "study.catalogue", "study.log", "jobs.lock", "chat.completion"}
"""Names of the ledger's components, of a file, and of OpenAI's replies."""


def test_both_languages_have_every_message_with_the_same_values() -> None:
    """A key of one table is in the other, and fills in the same values."""
    english, chinese = table("en"), table("zh")
    assert english.keys() == chinese.keys()
    for key, words in english.items():
        assert _values(words) == _values(chinese[key]), key


def test_every_message_is_used_and_every_used_one_is_there() -> None:
    """No message is left over, and none is missing."""
    key = re.compile(r"[\"']((?:study|remind|jobs|chat|budget)\.[a-z_0-9]+)[\"']")
    named = {name for file in CODE.rglob("*.py") for name in key.findall(file.read_text("utf-8"))}
    chart = {f"study.chart_{word}" for word in CHART}
    assert (named | STATUSES | CONTEXT | chart) - NO_MESSAGES == set(table("en"))


def test_chinese_messages_are_chinese() -> None:
    """Every Chinese message has Chinese in it; but for marks, no English one has."""
    marks = {"study.versions", "study.entry"}
    assert {key for key, words in table("zh").items() if not HAN.search(words)} == marks
    examples = {"study.bad_date", "remind.hint"}
    wrong = [key for key, words in table("en").items() if HAN.search(words)]
    assert set(wrong) == examples


def test_values_follow_the_language() -> None:
    """A phrase within a phrase, a list and a plural are put as the language has them."""
    assert say("study.done", "zh", tasks=("甲", "乙")) == "完成：甲、乙"
    assert say("study.done", "en", tasks=("a", "b")) == "Done: a, b"
    assert say("jobs.reminders_due", "en", count=1).startswith("1 reminder is due")
    assert say("jobs.reminders_due", "en", count=3).startswith("3 reminders are due")
    inner = phrase("study.no_nearest")
    assert "看看" in say("study.no_course", "zh", course="x", nearest=inner)


@pytest.mark.parametrize(("language", "said"), [("en", "several plans"), ("zh", "几个计划")])
def test_an_error_speaks_the_readers_language(language: str, said: str) -> None:
    """An error raised deep down is put into words where the reader is known."""
    error = UserError(phrase("study.several_plans", names="a | b"))
    assert "several plans" in str(error)
    error.speak(language)
    assert said in str(error)


def _values(words: str) -> set[str]:
    return {name for _, name, _, _ in Formatter().parse(words) if name}
