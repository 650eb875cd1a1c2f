"""The whole of `assistant study`, `remind` and `jobs` in Chinese, and in the language chosen."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from typing import Any

import pytest

from assistant.cli.main import main
from assistant.study.companion import Study

DAY = ["--now", "2026-12-02T21:00:00+08:00"]
LATER = ["--now", "2026-12-20T21:00:00+08:00"]
GOAL = "零基础，8周学完SQL，每周3小时"
LATIN = re.compile(r"[A-Za-z]{3,}")
COMMAND = r"assistant(?: [\w-]+){1,3}|--[\w-]+"
NAMES = re.compile(
    COMMAND + r"|(?<![A-Za-z])(?:SQL|ID|kaggle|databases|relational|cs145|default|log|study|backup"
    r"|check|review|upkeep|dbt|Kaggle|Stanford|Ctrl)(?![A-Za-z])[A-Za-z0-9_.-]*"
)


@pytest.fixture(autouse=True)
def alone(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The memory is tested apart; here the commands work without it."""
    mask, take = os.umask(0o022), Study.__init__

    def without(self: Study, *args: Any, **more: Any) -> None:
        take(self, *args, **{**more, "memory": None, "embedder": None})

    monkeypatch.setattr(Study, "__init__", without)
    monkeypatch.setenv("ASSISTANT_TIMEZONE", "Asia/Shanghai")
    yield
    os.umask(mask)


def told(capsys: pytest.CaptureFixture[str], *words: str, now: list[str] = DAY) -> str:
    """What a command prints, on either stream."""
    capsys.readouterr()
    main([*now, *words])
    printed = capsys.readouterr()
    return printed.out + printed.err


def english(text: str) -> list[str]:
    """The English words of a text, without names and commands."""
    return LATIN.findall(NAMES.sub(" ", text.replace("assistant: ", "")))


def test_a_chinese_plan_is_spoken_of_in_chinese(capsys: pytest.CaptureFixture[str]) -> None:
    """Every message of a Chinese plan is Chinese, also where the words typed are not."""
    told(capsys, "study", "plan", GOAL)
    for words in (
        ["study", "log", "2h SQL, 学完"],
        ["study", "log", "--list"],
        ["study", "log", "--undo"],
        ["study", "log", "--undo", "9"],
        ["study", "log", "90"],
        ["study", "log", "2h SQL", "--date", "2027-01-01"],
        ["study", "status"],
        ["study", "review"],
        ["study", "review", "x"],
        ["study", "diff"],
        ["study", "undo"],
        ["study", "adjust", "--hours", "2"],
        ["study", "adjust", "--hours", "500"],
        ["study", "adjust", "--halve-week", "99"],
        ["study", "adjust", "--hours", "2", "--apply", "1"],
        ["study", "adjust", "--hours", "1", "--apply", "77"],
        ["study", "diff"],
        ["study", "undo"],
        ["study", "diff"],
        ["study", "status", "--plan", "no"],
        ["remind", "list"],
        ["remind", "done", "7"],
        ["jobs", "list"],
        ["jobs", "history"],
        ["jobs", "run", "没有"],
    ):
        said = told(capsys, *words)
        assert said.strip(), words
        assert not english(said), (words, said)


def test_chinese_words_are_answered_in_chinese(capsys: pytest.CaptureFixture[str]) -> None:
    """Without a plan, what is typed says the language."""
    for words in (
        ["study", "plan", "三个月学会编织"],
        ["study", "courses", "search", "编织", "--words"],
        ["remind", "明天25点交作业"],
        ["remind", "周五下午3点交作业"],
        ["remind", "昨天下午3点交作业"],
    ):
        said = told(capsys, *words)
        assert not english(said.split("最接近的是")[0]), (words, said)


def test_the_language_chosen_wins(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """With the setting, an English goal makes a Chinese plan, and a Chinese one an English."""
    monkeypatch.setenv("ASSISTANT_LANGUAGE", "zh")
    assert "第 1 周" in told(capsys, "study", "plan", "Learn SQL in 8 weeks, 3 hours a week")
    monkeypatch.setenv("ASSISTANT_LANGUAGE", "en")
    assert "Week 1" in told(capsys, "study", "plan", GOAL, "--plan", "other")
    assert "schedule performance" in told(capsys, "study", "status", "--plan", "other")
