"""The registry: schemas from signatures, canonical calls, contracts, validators, failures."""

from __future__ import annotations

import _thread
import logging
import subprocess
import sys
import threading
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from importlib.metadata import EntryPoint
from pathlib import Path
from typing import Annotated, Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import Field

from assistant.errors import ToolDefinitionError
from assistant.tools import RunContext, Tool, ToolFailed, ToolRegistry, ToolResult, tool
from assistant.tools.calls import canonical, parse
from assistant.tools.loading import tools_from_file, tools_from_packages
from memory_store import Chunk, Freshness, Scope

CONTEXT = RunContext(clock=lambda: datetime(2026, 3, 2, 1, 0, tzinfo=UTC))
MOMENT = datetime(2026, 3, 2, tzinfo=UTC)


def registry_of(*tools: Tool) -> ToolRegistry:
    return ToolRegistry(tools)


def test_the_log_holds_no_argument_and_no_text(caplog: pytest.LogCaptureFixture) -> None:
    """A failed call is logged by its tool's name; what it was asked and said is the user's."""

    @tool(description="Opens a locker.", subject=lambda code: 1 / 0)
    def open_locker(code: str) -> str:
        if code == "4711-QX":
            raise ValueError
        return "open"

    registry = registry_of(open_locker)
    with caplog.at_level(logging.INFO):
        assert not registry.run("open_locker", {"code": "4711-QX"}, CONTEXT).ok
        assert registry.run("open_locker", {"code": "4712-QX"}, CONTEXT).ok
    assert len(caplog.records) == 2
    assert all("open_locker" in record.getMessage() for record in caplog.records)
    assert "-QX" not in caplog.text


def test_the_schema_comes_from_the_signature() -> None:
    """Types, defaults, descriptions and choices are in it; the run's context is not."""

    @tool(description="Finds books.")
    def find(
        run: RunContext,
        query: Annotated[str, Field(description="what to look for")],
        kind: Literal["book", "film"] = "book",
        limit: int | None = None,
    ) -> str:
        return query

    assert find.parameters == {
        "type": "object",
        "additionalProperties": False,
        "required": ["query"],
        "properties": {
            "query": {"type": "string", "description": "what to look for"},
            "kind": {"type": "string", "enum": ["book", "film"], "default": "book"},
            "limit": {"anyOf": [{"type": "integer"}, {"type": "null"}], "default": None},
        },
    }


def no_types(sku) -> str:  # type: ignore[no-untyped-def]
    return ""


def variadic(*skus: str) -> str:
    return ""


def good(sku: str) -> str:
    return ""


def wrong_validator(article: str) -> str:
    return ""


@pytest.mark.parametrize(
    ("make", "named"),
    [
        (lambda: tool(description="x")(no_types), ["no_types", "sku"]),
        (lambda: tool(description="x")(variadic), ["variadic", "skus"]),
        (lambda: tool(description=" ")(good), ["good", "description"]),
        (lambda: tool(description="x", max_age="soon")(good), ["soon"]),
        (lambda: tool(description="x", subject="of {article}")(good), ["article", "good(sku"]),
        (
            lambda: tool(description="x", validator=wrong_validator)(good),
            ["wrong_validator", "good(sku"],
        ),
        (
            lambda: tool(
                description="x",
                parameters={"type": "object", "properties": {"article": {"type": "string"}}},
            )(good),
            ["article", "good(sku"],
        ),
        (
            lambda: tool(
                description="x",
                parameters={
                    "type": "object",
                    "properties": {"sku": {"type": "integer"}},
                    "required": ["sku"],
                },
            )(good),
            ["sku is integer", "string"],
        ),
    ],
)
def test_what_does_not_match_its_function_is_refused(
    make: Callable[[], Tool], named: list[str]
) -> None:
    """The error names the tool's function and what does not match it."""
    with pytest.raises(ToolDefinitionError) as caught:
        make()
    assert all(name in str(caught.value) for name in named), caught.value


def test_two_tools_of_one_name_are_refused() -> None:
    """The error names both places."""
    one = tool(description="x")(good)
    with pytest.raises(ToolDefinitionError, match="two tools are named good"):
        registry_of(one, tool(description="y", name="good")(lambda_like))


def lambda_like(sku: str) -> str:
    return sku


def test_the_canonical_call_leaves_out_defaults_and_is_read_back() -> None:
    """One call has one text, in the signature's order."""

    @tool(description="x")
    def get_stock(sku: str, shop: str = "main", deep: bool = False) -> str:
        return ""

    registry = registry_of(get_stock)
    assert registry.call_text("get_stock", {"shop": "main", "sku": "42"}) == 'get_stock(sku="42")'
    text = registry.call_text("get_stock", {"deep": True, "sku": 'a "b", c'})
    assert parse(text) == ("get_stock", {"sku": 'a "b", c', "deep": True})


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=6,
)


@given(st.dictionaries(st.from_regex(r"[a-z_][a-z0-9_]{0,8}", fullmatch=True), json_values))
def test_a_canonical_call_is_the_inverse_of_reading_it(arguments: dict[str, object]) -> None:
    """Whatever the values are."""
    assert parse(canonical("tool", arguments)) == ("tool", arguments)


@pytest.mark.parametrize("text", ["", "x", "f(", "f(a)", "f(a=)", "f(a=1", "f(a=1) g", "1(a=2)"])
def test_what_is_no_call_is_none(text: str) -> None:
    """Reading never raises."""
    assert parse(text) is None


def test_the_tag_is_read_before_the_call_and_asked_again_later() -> None:
    """A result carries the version its source had before; `validator` tells that of now."""
    versions = ["v1", "v2"]
    seen: list[str] = []

    def version(sku: str) -> str:
        seen.append("validator")
        return versions[0]

    @tool(description="x", max_age="1h", validator=version, subject="stock of {sku}")
    def get_stock(sku: str) -> str:
        seen.append("call")
        return "7"

    registry = registry_of(get_stock)
    outcome = registry.run("get_stock", {"sku": "42"}, CONTEXT)
    assert seen == ["validator", "call"]
    assert outcome.subject == "stock of 42"
    assert outcome.freshness == Freshness(
        timedelta(hours=1), "get_stock", "v1", 'get_stock(sku="42")'
    )
    chunk = Chunk(
        "1",
        "tool_result",
        "7",
        Scope("me"),
        MOMENT,
        MOMENT,
        None,
        None,
        outcome.freshness,
        "tool",
        (),
        1,
    )
    versions.pop(0)
    assert registry.validator(chunk) == "v2"
    assert registry_of().validator(chunk) is None, "the tool is gone"


def test_a_validator_that_fails_tells_nothing() -> None:
    """The result is then stale when its time is over."""

    def version(sku: str) -> str:
        raise OSError("no network")

    @tool(description="x", max_age="0s", validator=version)
    def get_stock(sku: str) -> str:
        return "7"

    outcome = registry_of(get_stock).run("get_stock", {"sku": "42"}, CONTEXT)
    assert outcome.ok
    assert outcome.freshness.tag is None


def test_a_live_tool_without_a_lifetime_is_asked_each_time() -> None:
    """`live` means that its value cannot be kept."""

    @tool(description="x", live=True)
    def now() -> str:
        return ""

    assert now.max_age == timedelta(0)


def test_a_hanging_tool_is_given_up_and_does_not_hold_up_the_program() -> None:
    """The observation says so; the process ends at once though the thread still sleeps."""
    source = """
import time
from assistant.tools import RunContext, ToolRegistry, tool

@tool(description="x", timeout=0.2)
def sleep() -> str:
    time.sleep(120)
    return ""

outcome = ToolRegistry([sleep]).run("sleep", {}, RunContext())
assert not outcome.ok and "given up" in outcome.text, outcome
"""
    subprocess.run([sys.executable, "-c", source], check=True, timeout=60)


def test_results_are_sentences() -> None:
    """None, data, and what cannot be written as UTF-8 become text."""

    @tool(description="x")
    def nothing() -> None:
        return None

    @tool(description="x")
    def data() -> dict[str, int]:
        return {"a": 1}

    @tool(description="x")
    def broken() -> str:
        return "half \ud83d pair"

    @tool(description="x")
    async def later() -> str:
        return "later"

    @tool(description="x")
    def fails() -> str:
        raise ToolFailed("The shop is closed.")

    @tool(description="x", remembered=False)
    def sourced() -> ToolResult:
        return ToolResult("read", sources=("a",), max_age=timedelta(minutes=1))

    registry = registry_of(nothing, data, broken, later, fails, sourced)
    texts = [registry.run(each.name, {}, CONTEXT).text for each in registry]
    assert texts == [
        "nothing is done.",
        '{"a": 1}',
        "half ? pair",
        "later",
        "The shop is closed.",
        "read",
    ]
    outcome = registry.run("sourced", {}, CONTEXT)
    assert (outcome.sources, outcome.subject) == (("a",), None)


def test_a_tool_stays_an_ordinary_function() -> None:
    """Calling it calls the function."""
    assert tool(description="x")(lambda_like)("a") == "a"


def test_a_users_file_is_loaded_and_its_faults_are_named(tmp_path: Path) -> None:
    """The file, and what is wrong in it."""
    file = tmp_path / "my_tools.py"
    file.write_text(
        "from assistant.tools import tool\n"
        '@tool(description="Doubles.")\ndef double(n: int) -> int:\n    return 2 * n\n'
    )
    assert [each.name for each in tools_from_file(file)] == ["double"]
    for source, problem in (
        ("1/0", "ZeroDivisionError"),
        ("x = 1", "defines no tool"),
        ("import nothing_like_this", "ModuleNotFoundError"),
        ("def f(:", "SyntaxError"),
        ("raise SystemExit(3)", "SystemExit"),
        ("class Own(BaseException): pass\nraise Own('mine')", "Own: mine"),
        ("import threading\nthreading.Event().wait()", "not loaded after 0.2 seconds"),
    ):
        file.write_text(source)
        with pytest.raises(ToolDefinitionError, match=problem):
            tools_from_file(file, seconds=0.2 if "wait" in source else 30)
    with pytest.raises(ToolDefinitionError, match="does not exist"):
        tools_from_file(tmp_path / "none.py")


def test_tools_of_installed_packages_are_loaded() -> None:
    """An entry point names a tool or a sequence of them; one that fails is named."""
    group = "assistant.tools"
    good_point = EntryPoint("clock", "assistant.tools.clock:TOOLS", group)
    names = [each.name for each in tools_from_packages([good_point])]
    assert names == ["get_current_time", "days_between"]
    for value in ("no_such_module:x", "os:path", "assistant.tools.clock:NOTHING"):
        with pytest.raises(ToolDefinitionError, match="entry point bad"):
            tools_from_packages([EntryPoint("bad", value, group)])


def test_running_never_raises_whatever_the_tool_does() -> None:
    """Also an exit and a recursion without end are observations."""

    @tool(description="x")
    def leaves() -> str:
        raise SystemExit(1)

    @tool(description="x")
    def loops() -> str:
        return loops()  # type: ignore[return-value]

    class Own(BaseException):
        pass

    @tool(description="x")
    def raises() -> str:
        raise Own

    registry = registry_of(leaves, loops, raises)
    assert "Own" in registry.run("raises", {}, CONTEXT).text
    assert not registry.run("leaves", {}, CONTEXT).ok
    assert not registry.run("loops", {}, CONTEXT).ok


def test_ctrl_c_while_a_tool_works_is_the_users_and_no_observation() -> None:
    """The run is told to stop; the tool is left behind."""

    @tool(description="x")
    def hangs() -> str:
        _thread.interrupt_main()
        threading.Event().wait(20)
        return ""

    with pytest.raises(KeyboardInterrupt):
        registry_of(hangs).run("hangs", {}, CONTEXT)
