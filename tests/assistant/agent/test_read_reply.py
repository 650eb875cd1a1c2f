"""The reader of the text protocol, on a table of what models write in place of it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import pytest

from assistant.agent.protocols.text import TextReply, read_reply
from assistant.tools import ToolRegistry, tool

TABLE = Path(__file__).with_name("malformed_replies.txt")


@tool(description="The weather in a city.")
def get_weather(city: str, days: int = 1) -> str:
    return ""


@tool(description="Works out arithmetic.")
def calculate(expression: str) -> str:
    return ""


@tool(description="The time.")
def get_time() -> str:
    return ""


@tool(description="Orders copies of a book.")
def order(title: str, copies: int, gift: bool = False, tags: list[str] | None = None) -> str:
    return ""


@tool(description="Finds books or films.")
def find(query: str, limit: int | None = None, kind: Literal["book", "film"] = "book") -> str:
    return ""


TOOLS = ToolRegistry([get_weather, calculate, get_time, order, find])


@dataclass(frozen=True)
class Case:
    line: int
    text: str
    reading: str
    more: str


def cases() -> Iterator[Case]:
    reply, line, reading = "", 0, ""
    lines = TABLE.read_text(encoding="utf-8").splitlines()
    for number, text in enumerate([*lines, ""], start=1):
        if reading and not text.startswith("+ "):
            yield Case(line, reply.replace("⏎", "\n"), reading, "")
            reading = ""
        if text[:2] in ("= ", "! ", "? "):
            reading = text
        elif text.startswith("+ "):
            yield Case(line, reply.replace("⏎", "\n"), reading, text[2:])
            reading = ""
        elif (text and not text.startswith(("# ", "## ", "#  "))) or text.startswith("## Action"):
            reply, line = text, number


CASES = list(cases())


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"line{case.line}")
def test_each_reply_has_its_right_reading(case: Case) -> None:
    """A call with its arguments, an answer, or an observation that says what was wrong."""
    reply = read_reply(case.text, TOOLS)
    kind, expected = case.reading[0], case.reading[2:].replace("⏎", "\n")
    if kind == "=":
        name, _, arguments = expected.partition(" ")
        assert reply.call is not None, reply
        assert (reply.call.name, reply.call.arguments) == (name, json.loads(arguments))
    elif kind == "!":
        assert reply.answer == expected, reply
    else:
        assert reply.call is None, reply
        assert reply.answer is None, reply
        assert expected in reply.problem
        assert "ACTION: get_weather" in reply.problem, "the right form is shown"
    assert case.more in reply.remark or case.more in reply.thought


def test_the_table_is_as_long_as_promised() -> None:
    """At least 300 malformed inputs, none twice."""
    assert len(CASES) >= 300
    assert len({case.text for case in CASES}) == len(CASES)


@pytest.mark.parametrize("text", ["", " \n", "\u200b", "<think>a</think>"])
def test_an_empty_reply_is_told_so(text: str) -> None:
    """Nothing to read is an observation."""
    assert "empty" in read_reply(text, TOOLS).problem


def test_without_tools_every_text_is_an_answer_or_an_observation() -> None:
    """No tools: a call of one is told to be unknown."""
    assert read_reply("FINAL ANSWER: hi", []) == TextReply(answer="hi")
    assert "There is no tool" in read_reply("ACTION: get_time()", []).problem


def test_two_megabytes_are_read_in_time() -> None:
    """A reply of 2 MB, whatever is in it, is read; it costs no more than seconds."""
    for unit in ("ACTION: ", "{", "a b ", '"', "get_weather(", "思考：", "({[", "\n"):
        reply = read_reply(unit * (2_000_000 // len(unit)), TOOLS)
        assert reply.problem or reply.answer or reply.call
