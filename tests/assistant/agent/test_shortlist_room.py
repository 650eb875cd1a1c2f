"""Tools within their share of a request: all where there is room, else the likeliest."""

from __future__ import annotations

from collections.abc import Sequence

from hypothesis import given
from hypothesis import strategies as st

from assistant.agent.shortlist import fitting
from assistant.tools import Tool, ToolRegistry, calculate, clock, tool


@tool(description="How many pieces of an article are in stock.")
def get_stock(sku: str) -> str:
    return sku


@tool(description="Plays a song.")
def play(song: str) -> str:
    return song


TOOLS = ToolRegistry((*clock.TOOLS, *calculate.TOOLS, get_stock, play))


def near(question: str, texts: Sequence[str]) -> list[float]:
    """Likens by shared words."""
    asked = set(question.lower().split())
    return [float(len(asked & set(text.lower().split()))) for text in texts]


def names(question: str, room: int) -> list[str]:
    shown = fitting(question, TOOLS, near, size=lambda _tool: 100, room=room)
    return [each.name for each in shown]


def test_all_tools_are_shown_where_there_is_room() -> None:
    """With room for all, the list is the same for every question: the prefix stays."""
    everything = [each.name for each in TOOLS]
    assert names("hello", 100 * len(TOOLS)) == everything


def test_what_says_that_it_applies_comes_first() -> None:
    """Arithmetic keeps the calculator, stock keeps the stock tool."""
    assert names("what is 12 * 13", 100) == ["calculate"]
    assert names("how many pieces of it are in stock", 100) == ["get_stock"]


@given(question=st.text(max_size=60), room=st.integers(0, 800))
def test_the_share_is_never_exceeded_and_the_order_never_changes(question: str, room: int) -> None:
    """Whatever is asked, what is shown fits, in the registry's order."""
    shown = names(question, room)
    everything: list[Tool] = list(TOOLS)
    assert 100 * len(shown) <= room
    assert shown == [each.name for each in everything if each.name in shown]
