"""Random edits of valid tool calls, in the text protocol and in native arguments."""

from __future__ import annotations

import json
import random
from typing import Literal

from hypothesis import given, settings
from hypothesis import strategies as st

from assistant.agent.protocols.text import read_reply
from assistant.agent.reading import fitted, read_object
from assistant.tools import ToolRegistry, tool


@tool(description="The weather in a city.")
def get_weather(city: str, days: int = 1, unit: Literal["C", "F"] = "C") -> str:
    return ""


@tool(description="Works out arithmetic.")
def calculate(expression: str) -> str:
    return ""


TOOLS = ToolRegistry([get_weather, calculate])
VALID = (
    ("get_weather", {"city": "Lisbon"}),
    ("get_weather", {"city": "城市A", "days": 3}),
    ("get_weather", {"city": "New York", "days": 2, "unit": "F"}),
    ("calculate", {"expression": "(1 + 2) * 3"}),
)
FORMS = (
    "ACTION: {name}({args})",
    "THOUGHT: I need it.\nACTION: {name}({args})",
    "思考：需要。\n行动：{name}({args})",
    "```\nACTION: {name}({args})\n```",
    '{{"name": "{name}", "arguments": {args}}}',
)
ODD = "{}[]()\"'“”‘’：，:,（）\\ \n\t`*<>=_-.0三aA\u200b。"


def edited(text: str, rng: random.Random, edits: int) -> str:
    for _ in range(edits):
        at = rng.randrange(len(text) + 1)
        match rng.randrange(4):
            case 0:
                text = text[:at] + text[at + 1 :]
            case 1:
                text = text[:at] + rng.choice(ODD) + text[at:]
            case 2:
                text = text[:at] + rng.choice(ODD) + text[at + 1 :]
            case _:
                text = text[:at] + text[at : at + 2][::-1] + text[at + 2 :]
    return text


@given(st.integers(0, 2**32), st.integers(0, 6), st.sampled_from(FORMS), st.sampled_from(VALID))
@settings(max_examples=400, deadline=None)
def test_an_edited_call_is_read_or_answered_by_an_observation(
    seed: int, edits: int, form: str, valid: tuple[str, dict[str, object]]
) -> None:
    """Never a crash; a call that is read names a tool and fits its schema; else there is help."""
    name, arguments = valid
    text = form.format(name=name, args=json.dumps(arguments, ensure_ascii=False))
    reply = read_reply(edited(text, random.Random(seed), edits), TOOLS)
    assert [reply.call is not None, reply.answer is not None, bool(reply.problem)].count(True) == 1
    if reply.call is not None:
        assert not isinstance(TOOLS.read(reply.call.name, reply.call.arguments), str)
    if reply.problem:
        assert "ACTION" in reply.problem
    if edits == 0:
        assert reply.call is not None
        assert (reply.call.name, reply.call.arguments) == (name, arguments)


@given(st.integers(0, 2**32), st.integers(0, 6), st.sampled_from(VALID))
@settings(max_examples=400, deadline=None)
def test_edited_native_arguments_are_an_object_or_refused(
    seed: int, edits: int, valid: tuple[str, dict[str, object]]
) -> None:
    """What is read of broken arguments is an object for the schema to check, or nothing."""
    name, arguments = valid
    tool_ = TOOLS.get(name)
    assert tool_ is not None
    text = json.dumps(arguments, ensure_ascii=False)
    read = read_object(edited(text, random.Random(seed), edits))
    if read is not None:
        fitted(tool_, read)
    if edits == 0:
        assert read == arguments


@given(st.text(max_size=300))
@settings(max_examples=300, deadline=None)
def test_any_text_is_read(text: str) -> None:
    """Whatever a model writes, reading it never raises."""
    read_reply(text, TOOLS)
    read_object(text)
