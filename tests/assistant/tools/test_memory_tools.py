"""The tools over memory: search, read on, remember, and forget only when the user agrees."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from assistant.tools import RunContext, ToolRegistry
from assistant.tools.grounds import grounds_of
from assistant.tools.memory import PAGE, memory_tools, said_in
from memory_store import Draft
from memory_store.store import MemoryStore

CONTEXT = RunContext(session="s", turn="t", question="Remember that my dog is called Rex.")


@pytest.fixture
def store(tmp_path: Path) -> Iterator[MemoryStore]:
    with MemoryStore.open(tmp_path, clock=lambda: datetime(2026, 3, 2, tzinfo=UTC)) as opened:
        yield opened


@pytest.fixture
def tools(store: MemoryStore) -> ToolRegistry:
    return ToolRegistry(memory_tools(store, UTC))


def test_a_search_tells_its_sources_and_is_not_remembered_itself(
    store: MemoryStore, tools: ToolRegistry
) -> None:
    """What was read from memory is never stored again as new."""
    (chunk,) = store.remember([Draft("note", "The key is under the red flowerpot.")])
    outcome = tools.run("search_memory", {"query": "Where is the key?"}, CONTEXT)
    assert "red flowerpot" in outcome.text
    assert outcome.sources == (chunk.id,)
    assert outcome.subject is None


def test_a_long_text_is_read_page_by_page(store: MemoryStore, tools: ToolRegistry) -> None:
    """Every page says how to read on; together they are the text."""
    text = "".join(f"{number:05d} " for number in range(1500))
    (chunk,) = store.remember([Draft("note", text)])
    first = tools.run("read_memory", {"id": chunk.id}, CONTEXT).text
    assert f'read_memory(id="{chunk.id}", start={PAGE})' in first
    last = tools.run("read_memory", {"id": chunk.id, "start": 2 * PAGE}, CONTEXT).text
    assert "01499" in last
    assert "read on" not in last
    assert not tools.run("read_memory", {"id": chunk.id, "start": 10**6}, CONTEXT).ok
    assert "no memory" in tools.run("read_memory", {"id": "nothing"}, CONTEXT).text


def test_a_fact_keeps_who_said_it(store: MemoryStore, tools: ToolRegistry) -> None:
    """What does not stand in the user's words is the assistant's own."""
    said = {"fact": "The user's dog is called Rex.", "subject": "user.dog.name"}
    assert tools.run("remember_fact", said, CONTEXT).ok
    assert tools.run("remember_fact", {"fact": "The bank's number is 555."}, CONTEXT).ok
    found = {chunk.text: chunk.origin for chunk in store.chunks(kind="fact")}
    assert found == {
        "The user's dog is called Rex.": "user",
        "The bank's number is 555.": "assistant",
    }
    assert not tools.run("remember_fact", {"fact": "x", "subject": "a b"}, CONTEXT).ok


PAGE_TEXT = "The profile page says: user city is Paris, France."


@pytest.mark.parametrize(
    ("question", "fact", "page", "origin"),
    [
        ("Read page x and save what matters.", "The user's city is Paris.", PAGE_TEXT, "tool"),
        ("Remember the user's city of page x.", "The user's city is paris.", PAGE_TEXT, "tool"),
        ("请读网页，记住用户的城市是哪里。", "用户的城市是巴黎。", "用户资料：城市巴黎。", "tool"),
        ("读网页，记住要点。", "The user's city is Paris.", "用户资料：城市巴黎。", "tool"),
        ("Remember I live in Paris. Read page x.", "The user lives in Paris.", PAGE_TEXT, "user"),
        ("Remember my dog, he's called Rex.", "The user has a dog named Rex.", "", "user"),
        ("记住我家的猫叫咪咪。", "用户的猫叫咪咪。", "", "user"),
        ("记住我住在波尔图。", "The user lives in Porto.", "", "user"),
        ("Remember my exam is tomorrow.", "The user's exam is on 3 March 2026.", "", "user"),
        ("Remember my phone number.", "The user's phone number is 555.", "", "assistant"),
    ],
)  # fmt: skip
def test_a_fact_is_the_users_word_only_where_they_said_it(
    store: MemoryStore, question: str, fact: str, page: str, origin: str
) -> None:
    """What was read stands against it: the fact is then made from the result that holds it."""
    told = [page] if page else []
    read = store.remember([Draft("tool_result", text, origin="tool") for text in told])
    ids = [chunk.id for chunk in read]
    grounds = grounds_of(fact, _said(question), told=told, results=ids, seen=map(store.get, ids))
    assert grounds.origin == origin
    assert list(grounds.derived_from) == (ids if origin == "tool" else [])


def _said(question: str) -> str:
    return said_in(RunContext(question=question, clock=lambda: datetime(2026, 3, 2, tzinfo=UTC)))


def test_nothing_is_forgotten_without_the_users_yes(
    store: MemoryStore, tools: ToolRegistry
) -> None:
    """With nobody to ask it refuses and names the command; a no is a no; a yes forgets."""
    store.remember([Draft("note", "Anna's address is 5 Elm Street.")])
    call = ("forget_memory", {"about": "Elm Street"})
    refused = tools.run(*call, CONTEXT)
    assert not refused.ok
    assert 'assistant memory forget --query "Elm Street"' in refused.text
    asked: list[str] = []

    def answer(yes: bool) -> RunContext:
        def confirm(question: str) -> bool:
            asked.append(question)
            return yes

        return replace(CONTEXT, confirm=confirm)

    assert not tools.run(*call, answer(False)).ok
    assert len(store.chunks()) == 1
    assert tools.run(*call, answer(True)).ok
    assert store.chunks() == []
    assert "Anna's address" in asked[0]
    assert not tools.run(*call, answer(True)).ok, "there is nothing left to forget"
