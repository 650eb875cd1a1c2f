"""What is said in English can be said in Chinese: the two tables match, and the code uses them."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from pathlib import Path
from string import Formatter
from typing import Any, get_args

import pytest

import assistant
from assistant.cli.memory_words import why
from assistant.context.request import PARTS
from assistant.errors import UserError
from assistant.evals.case import Category
from assistant.phrases import in_words, phrase, recognised, say, table
from assistant.settings import Settings
from assistant.study.course import LEVELS
from assistant.teams.message import Status
from memory_store import Chunk, Freshness, Scope, Verdict
from memory_store.chunk import Kind, Origin
from memory_store.freshness import judge

CODE = Path(assistant.__file__).parent
HAN = re.compile(r"[\u3400-\u9fff]")
LATIN = re.compile(r"[A-Za-z]")
VALUE = re.compile(r"\{[^}]*\}")
FIXED = ("system", "tools", "question")
"""The parts of a request that cannot be left out."""
LIBRARIES = ("reason", "usage", "value")
"""Sections whose messages are recognised in what libraries say."""
BUILT = {
    "remind": ("is_done", "is_cancelled"),
    "study": (
        *(f"chart_{part}" for part in ("planned", "logged", "earned", "forecast", "range")),
        *(f"chart_{part}" for part in ("end", "today", "hours", "title")),
        *LEVELS,
    ),
    "budget": (*PARTS, "free", "reserve"),
    "word": (*get_args(Kind), *map(str, Verdict), *get_args(Origin)),
    "counted": (*get_args(Kind), *map(str, Verdict)),
    "eval": (*get_args(Category), "en", "zh", "all"),
    "doctor": ("home", "settings", "memory", "embedder", "tools", "model"),
    "team": get_args(Status),
    "setting": tuple(Settings.model_fields),
    "context": tuple(f"longest_{part}" for part in FIXED),
    "model": ("tools", "response_schema"),
}
"""Messages whose keys are built from names."""
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
    sections = {key.partition(".")[0] for key in table("en")}
    key = re.compile(rf"[\"']((?:{'|'.join(sections)})\.[a-z_0-9]+)[\"']")
    named = {name for file in CODE.rglob("*.py") for name in key.findall(file.read_text("utf-8"))}
    built = {f"{section}.{name}" for section, names in BUILT.items() for name in names}
    recognised = {key for key in table("en") if key.startswith(LIBRARIES)}
    assert (named | built | recognised) - NO_MESSAGES == set(table("en"))


def test_chinese_messages_are_chinese() -> None:
    """Every Chinese message but marks has Chinese in it; no English one has."""
    words_of = {key: VALUE.sub("", words) for key, words in table("zh").items()}
    spoken = [key for key, words in words_of.items() if LATIN.search(words)]
    assert [key for key in spoken if not HAN.search(words_of[key])] == []
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


def test_an_error_is_spoken_once_and_takes_advice() -> None:
    """What was said in one language stays so: secrets that were taken out of it stay out."""
    error = UserError(phrase("input.no_session_yet"), hint=phrase("input.no_session_hint"))
    error.advise(phrase("chat.question_kept", again="x"))
    assert error.hint == "'assistant chat --session NAME' makes one. The question is kept: x"
    error.speak("zh")
    assert (str(error), error.said) == ("还没有会话。", "还没有会话。")
    assert error.hint == "'assistant chat --session 名称' 可以新建。问题已保留，可再次提问：x"
    error.speak("en")
    assert str(error) == "还没有会话。"


def test_what_a_library_says_is_said_in_the_readers_language() -> None:
    """Its English is recognised, within it too; what is not known stays as it is."""
    said = "Invalid value for '--limit': Input should be greater than or equal to 1."
    found = recognised(said, "usage", "value")
    assert in_words(found, "zh") == "'--limit' 的值不对：不能小于 1。"
    assert in_words(found, "en").lower() == said.lower()
    assert recognised(said, "reason") == said
    assert in_words(
        recognised("made from tool_result 1: does not age", "reason", "word"), "zh"
    ) == ("依据工具结果 1 得出：不会过时")


def test_every_reason_of_the_memory_is_recognised() -> None:
    """Its reasons are English; each is said in Chinese where the user's language is that."""
    now = datetime(2026, 3, 2, tzinfo=UTC)

    def chunk(id_: str, age: timedelta | None = None, **more: Any) -> Chunk:
        values: dict[str, Any] = {"freshness": Freshness(age, "v", "t"), "origin": "user", **more}
        made = {"created_at": now - timedelta(days=3), "checked_at": now - timedelta(days=3)}
        return Chunk(
            id=id_, kind="fact", text="1", scope=Scope("me"), subject="s", about=None,
            derived_from=(), tokens=1, **{**made, **values},
        )  # fmt: skip

    lasting, day = chunk("1"), timedelta(days=1)
    reasons = [
        judge(lasting, now=now).reason,
        judge(chunk("1", 7 * day), now=now).reason,
        judge(chunk("1", day), now=now).reason,
        judge(chunk("1", 2 * day), now=now).reason,
        judge(chunk("1", day), now=now, tag="t").reason,
        judge(chunk("1", day), now=now, tag="u").reason,
        judge(chunk("1", day, created_at=now + day, checked_at=now + day), now=now).reason,
        judge(lasting, now=now, newest=chunk("2")).reason,
        judge(chunk("1", origin="tool"), now=now, newest=chunk("2")).reason,
    ]
    stale = judge(chunk("1", day), now=now)
    reasons.append(judge(lasting, now=now, sources=[(chunk("3", day), stale)]).reason)
    for reason in reasons:
        assert why(reason, "en") == reason
        assert not re.search(r"[a-z]", why(reason, "zh")), reason


def _values(words: str) -> set[str]:
    return {name for _, name, _, _ in Formatter().parse(words) if name}
