"""Assembling a streamed reply, whatever fragments a server makes of it."""

import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from assistant.messages import ToolCall
from assistant.model.assembly import Assembly, read_names


def assemble(*deltas: dict[str, Any]) -> Assembly:
    assembly = Assembly(reply_tokens=10_000)
    for delta in deltas:
        assembly.add({"choices": [{"index": 0, "delta": delta}]})
    return assembly


def call_delta(**fields: Any) -> dict[str, Any]:
    return {"tool_calls": [fields]}


def made_calls(*deltas: dict[str, Any]) -> list[tuple[str, str]]:
    return [(call.name, call.arguments) for call in assemble(*deltas).reply("r", 0).calls]


@given(st.lists(st.tuples(st.text(min_size=1), st.integers(1, 9)), min_size=1, max_size=5))
def test_fragments_give_the_whole_call_wherever_they_are_cut(
    wanted: list[tuple[str, int]],
) -> None:
    """Any arguments, cut anywhere and interleaved by index, come out as they went in."""
    calls = [
        (ToolCall(f"c{number}", "look_up", json.dumps({"q": text}, ensure_ascii=False)), size)
        for number, (text, size) in enumerate(wanted)
    ]
    deltas = [
        call_delta(index=index, id=call.id, function={"name": call.name, "arguments": ""})
        for index, (call, _size) in enumerate(calls)
    ]
    longest = max(len(call.arguments) for call, _size in calls)
    for start in range(longest):
        for index, (call, size) in enumerate(calls):
            piece = call.arguments[start * size : (start + 1) * size]
            if piece:
                deltas.append(call_delta(index=index, function={"arguments": piece}))
    assert assemble(*deltas).reply("r", 0).calls == tuple(call for call, _size in calls)


def test_calls_that_share_an_index_are_told_apart_by_id() -> None:
    """Some servers give every whole call the index 0."""
    first = call_delta(index=0, id="a", function={"name": "one", "arguments": "{}"})
    second = call_delta(index=0, id="b", function={"name": "two", "arguments": "{}"})
    assert made_calls(first, second) == [("one", "{}"), ("two", "{}")]


def test_a_repeated_name_and_id_is_one_call() -> None:
    """Some servers repeat id and name in every fragment."""
    first = call_delta(index=0, id="a", function={"name": "one", "arguments": '{"x":'})
    second = call_delta(index=0, id="a", function={"name": "one", "arguments": "1}"})
    assert made_calls(first, second) == [("one", '{"x":1}')]


def test_arguments_that_are_an_object_are_written_as_json() -> None:
    """Some servers send arguments as an object, and leave out index and id."""
    delta = call_delta(function={"name": "one", "arguments": {"x": 1}})
    reply = assemble(delta).reply("r", 0)
    assert [(call.id, call.arguments) for call in reply.calls] == [("call_1", '{"x": 1}')]


def test_a_content_of_parts_is_joined() -> None:
    """Some servers send content as a list of parts."""
    assembly = assemble(
        {"content": [{"type": "text", "text": "Se"}, {"type": "text", "text": "ven"}]}
    )
    assert assembly.reply("r", 0).text == "Seven"


def test_a_refusal_is_text() -> None:
    """What the model says instead of an answer is shown."""
    assert assemble({"refusal": "I can't."}).reply("r", 0).text == "I can't."


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3)
    | st.dictionaries(
        st.sampled_from(
            ["choices", "delta", "tool_calls", "function", "name", "arguments", "id", "index",
             "content", "usage", "prompt_tokens", "prompt_tokens_details", "finish_reason", "data"]
        ),
        inner,
        max_size=4,
    ),
    max_leaves=15,
)  # fmt: skip


@given(st.lists(json_values, max_size=5))
def test_no_event_is_a_crash(events: list[Any]) -> None:
    """Any JSON at all as events gives a reply, however empty."""
    assembly = Assembly(reply_tokens=10)
    texts = [assembly.add(event) for event in events]
    assert assembly.reply("r", 0).text == "".join(texts)
    for event in events:
        read_names(event)
