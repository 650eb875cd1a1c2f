"""The budget manager: limits, order, learning, and what is told when nothing fits."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from assistant.context.budget import ContextManager, ContextRequest, Shares, limit_of
from assistant.context.learned import ModelCounts
from assistant.context.report import report
from assistant.context.tokens import Counter
from assistant.errors import ContextTooSmall, SettingsError
from assistant.messages import Message, ToolCall, ToolSchema
from assistant.sessions import Summary, Turn, TurnMessage
from memory_store import Chunk, Freshness, Hit, Judgement, Recall, Scope, Score, Verdict
from memory_store.ledger import Ledger

NOW = datetime(2026, 3, 2, 9, tzinfo=UTC)
TOOL = ToolSchema("look_up", "Looks something up.", {"type": "object", "properties": {}})


@pytest.fixture
def counts(tmp_path: Path) -> Iterator[ModelCounts]:
    ledger = Ledger(tmp_path / "ledger.db")
    yield ModelCounts(ledger)
    ledger.close()


def managed(counts: ModelCounts, limit: int | None = 2_000, reserve: int = 200) -> ContextManager:
    return ContextManager(Counter("gpt-4o"), counts, zone=UTC, limit=limit, reserve=reserve)


def turn(number: int, words: int = 40) -> Turn:
    text = f"turn {number} " + "word " * words
    chunks = {"question_chunk": f"q{number}", "answer_chunk": f"a{number}"}
    return Turn(f"t{number}", "s", number, NOW, text, (), text, NOW, "answered", **chunks)


def step(number: int, result: str) -> tuple[TurnMessage, ...]:
    call = ToolCall(f"c{number}", "look_up", f'{{"n": {number}}}')
    return (
        TurnMessage(Message("assistant", "", (call,)), number),
        TurnMessage(Message("tool", result, call_id=call.id), number, f"r{number}"),
    )


def hit(number: int) -> Hit:
    text = f"memory {number} " + "thing " * 20
    scope = Scope("me")
    chunk = Chunk(
        f"m{number}", "question", text, scope, NOW, NOW, None, None, Freshness(), "user", (), 0
    )
    return Hit(chunk, text, Score(1.0), Judgement(Verdict.FRESH, NOW, ""))


def asking(**parts: object) -> ContextRequest:
    request = ContextRequest("You help.", "What now?", Recall("q", NOW))
    return replace(request, **parts)  # pyright: ignore[reportArgumentType]


@pytest.mark.parametrize(
    ("model", "limit"),
    [("gpt-4o-mini", 128_000), ("gpt-4", 8_192), ("gpt-4.1-mini", 1_047_576), ("other", 8_192)],
)
def test_known_models_have_their_limit(counts: ModelCounts, model: str, limit: int) -> None:
    """The table gives it; an unknown model gets a stated default."""
    assert limit_of(model) == limit
    manager = ContextManager(Counter(model), counts, zone=UTC)
    assert manager.bound == limit - manager.reserve


@pytest.mark.parametrize(("limit", "reserve"), [(500, 500), (100, 500), (500, 0), (500, -1)])
def test_a_limit_that_leaves_nothing_is_refused(
    counts: ModelCounts, limit: int, reserve: int
) -> None:
    """The error at start names both numbers."""
    with pytest.raises(SettingsError, match=rf"{limit}.*{reserve}"):
        managed(counts, limit, reserve)


@pytest.mark.parametrize(
    "shares",
    [
        {"memories": -0.1},
        {"summary": 1.0},
        {"memories": 0.9, "summary": 0.1},
        {"memory_tokens": -1},
    ],
)
def test_shares_that_cannot_be_are_refused(shares: dict[str, float]) -> None:
    """A negative share, or shares that leave nothing, are errors at start."""
    with pytest.raises(SettingsError, match=r"share|memory_tokens"):
        Shares(**shares)  # pyright: ignore[reportArgumentType]


def test_the_order_is_system_summary_window_memories_question_steps(counts: ModelCounts) -> None:
    """What grows comes first, what changes comes last; the user's messages in a row are joined."""
    context = managed(counts).fit(
        asking(
            summary=Summary("s", 1, "summary text", 1, NOW),
            window=(turn(2),),
            recall=Recall("q", NOW, hits=(hit(1),)),
            steps=step(1, "result"),
        )
    )
    roles = [message.role for message in context.messages]
    assert roles == ["system", "user", "assistant", "user", "assistant", "tool"]
    first, last = context.messages[1].content, context.messages[3].content
    assert first.index("summary text") < first.index("turn 2")
    assert last.index("memory 1") < last.index("What now?")
    assert all(context.parts[part] > 0 for part in context.parts if part != "tools")


def test_what_does_not_fit_at_all_is_an_error_with_each_parts_tokens(counts: ModelCounts) -> None:
    """It says what to shorten; nothing is sent."""
    with pytest.raises(ContextTooSmall) as caught:
        managed(counts).fit(asking(question="word " * 3_000, tools=(TOOL,)))
    assert "question 3,0" in str(caught.value)
    assert "system" in str(caught.value)
    assert "tools" in str(caught.value)
    assert caught.value.hint.startswith("Shorten the question")


def test_memories_of_the_window_are_not_said_twice(counts: ModelCounts) -> None:
    """A chunk that stands in the window is left out of the memories."""
    manager = managed(counts)
    request = asking(window=(turn(1), turn(2)))
    assert manager.window_ids(request) == {"q1", "a1", "q2", "a2"}
    recalled = replace(hit(1), chunk=replace(hit(1).chunk, id="q2"))
    context = manager.fit(replace(request, recall=Recall("q", NOW, hits=(recalled, hit(2)))))
    assert [each.chunk.id for each in context.hits] == ["m2"]


def test_what_memories_leave_unused_goes_to_the_window(counts: ModelCounts) -> None:
    """Without memories more turns fit; the oldest are left out and named."""
    window = tuple(turn(number) for number in range(1, 40))
    full = Recall("q", NOW, hits=tuple(hit(number) for number in range(30)))
    manager = managed(counts)
    with_memories = manager.fit(asking(window=window, recall=full))
    without = manager.fit(asking(window=window))
    assert without.parts["window"] > with_memories.parts["window"]
    assert without.tokens > 0.9 * manager.bound
    assert "turns 1 to" in str(with_memories.left_out[0].what)


def test_old_steps_of_a_long_run_are_compacted_in_place(counts: ModelCounts) -> None:
    """The last result stands whole, older ones are shortened, and calls keep their results."""
    steps = tuple(
        message
        for number in range(1, 13)
        for message in step(number, "\n".join(f"row {number}.{n}" for n in range(40)))
    )
    context = managed(counts).fit(asking(steps=steps, tools=(TOOL,)))
    results = [message for message in context.messages if message.role == "tool"]
    assert "row 12.39" in results[-1].content
    assert "row 12.20" in results[-1].content
    assert 'read_memory(id="r' in results[0].content
    assert any("steps" in str(each.what) for each in context.left_out)


def test_consecutive_calls_of_a_run_share_their_prefix(counts: ModelCounts) -> None:
    """A step is added at the end; nothing before it changes, though the window is full."""
    window = tuple(turn(number) for number in range(1, 40))
    full = Recall("q", NOW, hits=tuple(hit(number) for number in range(30)))
    request = asking(window=window, recall=full, tools=(TOOL,))
    manager = managed(counts, 4_000)
    first = manager.fit(request).messages
    second = manager.fit(replace(request, steps=step(1, "result " * 30))).messages
    assert second[: len(first)] == first


def test_the_ratio_of_the_servers_count_is_learned_and_kept(
    tmp_path: Path, counts: ModelCounts
) -> None:
    """A server that counts more lowers the bound at once, in later processes too."""
    manager = managed(counts)
    context = manager.fit(asking(window=tuple(turn(number) for number in range(1, 9))))
    manager.observe(context, int(context.tokens * 1.5))
    assert 1.5 <= manager.factor < 1.6
    assert manager.bound < 1_800 / 1.5
    again = ModelCounts(Ledger(tmp_path / "ledger.db"))
    assert managed(again).bound == manager.bound
    assert ContextManager(Counter("other"), again, zone=UTC).factor == 1.0


def test_a_strange_report_cannot_ruin_the_bound(counts: ModelCounts) -> None:
    """Fewer tokens than ours never raise the bound; absurdly many are capped."""
    manager = managed(counts)
    context = manager.fit(asking(window=tuple(turn(number) for number in range(1, 9))))
    manager.observe(context, 1)
    assert manager.bound == 1_800
    manager.observe(manager.fit(asking()), 10_000)
    assert manager.bound == 1_800
    manager.observe(context, 10**9)
    assert manager.bound == 600
    for _ in range(60):
        manager.observe(context, context.tokens)
    assert manager.bound > 1_700


@pytest.mark.parametrize(("named", "limit"), [(1_000, 1_000), (None, 1_600), (9_000, 1_600)])
def test_a_refusal_as_too_long_lowers_the_limit(
    counts: ModelCounts, named: int | None, limit: int
) -> None:
    """The server's own limit is taken; where it names none that is lower, a fifth is taken off."""
    manager = managed(counts)
    manager.learn_limit(named)
    assert manager.limit == limit
    assert managed(counts).limit == limit
    request = asking(window=tuple(turn(number) for number in range(1, 40)))
    assert manager.fit(request).tokens <= limit - manager.reserve


def test_the_report_explains_each_part(counts: ModelCounts) -> None:
    """What `/context` shows: parts, summary, what is aged, kept and left out."""
    manager = managed(counts)
    stale = Judgement(Verdict.STALE, NOW, "old")
    request = asking(
        window=tuple(turn(number) for number in range(3, 40)),
        summary=Summary("s", 2, "text", 2, NOW, kept=(1,), method="extract"),
        judgements={"a39": stale},
    )
    told = report(manager, request, manager.fit(request))
    assert told.parts["reserve"] == 200
    assert sum(told.parts.values()) == told.tokens + 200
    assert str(told.summary) == "version 2: turns 1 to 2 but 1, extracted, to be redone"
    assert list(map(str, told.aged)) == ["answer of turn 39 is stale"]
    assert told.as_json()["left_out"][0]["why"].startswith("no room")
