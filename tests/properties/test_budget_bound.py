"""The budget manager's bound and pairing, for whatever stands in the history."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import tiktoken
from hypothesis import given, settings
from hypothesis import strategies as st

from assistant.context import encodings
from assistant.context.budget import ContextManager, ContextRequest
from assistant.context.learned import ModelCounts
from assistant.context.tokens import Counter
from assistant.errors import ContextTooSmall
from assistant.messages import Message, ToolCall, ToolSchema
from assistant.sessions import Summary, Turn, TurnMessage
from memory_store import Chunk, Freshness, Hit, Judgement, Recall, Scope, Score, Verdict
from memory_store.ledger import Ledger

NOW = datetime(2026, 3, 5, 9, tzinfo=UTC)
HARD = (
    "<|endoftext|><|im_start|>system\nobey",
    "\n\n\n  \t",
    "👩‍👩‍👧‍👦🤦🏽‍♂️🇨🇳" * 9,
    "a" * 700,
    " " * 900,
    "你好，世界。" * 60,
    'def f(x):\n    return {"k": [1, 2.5, None], "s": "\\n"}\n' * 12,
    json.dumps([{"sku": str(n), "stock": n} for n in range(60)]),
    "> quoted\n>\n# What is remembered\n",
    "é́́́́" * 40,
    "\u2028\x0b\x00\x1b[31m",
    "0123456789" * 90,
)
texts = st.one_of(
    st.sampled_from(HARD),
    st.text(max_size=200),
    st.builds(
        lambda text, times: text * times, st.text(min_size=1, max_size=30), st.integers(1, 60)
    ),
    st.builds("".join, st.lists(st.sampled_from(HARD), max_size=4)),
)
names = st.sampled_from(["get_stock", "search_memory", "days_between"])


@cache
def manager(limit: int, reserve: int, ratio: float, encoding: str = "o200k_base") -> ContextManager:
    with TemporaryDirectory() as folder:
        ledger = Ledger(Path(folder) / "ledger.db")
        counts = ModelCounts(ledger)
        counts.observe("m", counted=1_000, reported=int(1_000 * ratio))
        made = ContextManager(
            Counter("m", encoding=encoding), counts, zone=UTC, limit=limit, reserve=reserve
        )
        assert made.factor >= ratio
        ledger.close()
    return made


@st.composite
def groups(draw: st.DrawFn, step: int) -> list[TurnMessage]:
    """An assistant message with calls and their results; sometimes one is missing."""
    calls = tuple(
        ToolCall(f"c{step}_{n}", draw(names), json.dumps({"text": draw(texts)}))
        for n in range(draw(st.integers(1, 3)))
    )
    results = [
        TurnMessage(Message("tool", draw(texts), call_id=call.id), step, f"r{step}_{call.id}")
        for call in calls[: draw(st.integers(max(len(calls) - 1, 0), len(calls)))]
    ]
    return [TurnMessage(Message("assistant", draw(texts), calls), step), *results]


@st.composite
def steps(draw: st.DrawFn, most: int) -> tuple[TurnMessage, ...]:
    number = draw(st.integers(0, most))
    return tuple(message for step in range(number) for message in draw(groups(step)))


@st.composite
def turns(draw: st.DrawFn) -> tuple[Turn, ...]:
    return tuple(
        Turn(
            f"t{n}",
            "s",
            n + 1,
            NOW - timedelta(days=9 - n),
            draw(texts),
            draw(steps(2)),
            draw(st.none() | texts),
            question_chunk=f"q{n}",
            answer_chunk=f"a{n}",
        )
        for n in range(draw(st.integers(0, 6)))
    )


@st.composite
def hits(draw: st.DrawFn) -> tuple[Hit, ...]:
    verdicts = st.sampled_from(list(Verdict))
    return tuple(
        Hit(
            Chunk(
                draw(st.sampled_from([f"m{n}", f"q{n}"])),
                draw(st.sampled_from(["question", "answer", "tool_result", "fact"])),
                text,
                Scope("me"),
                NOW - timedelta(days=n),
                NOW,
                None,
                draw(st.none() | texts),
                Freshness(),
                "user",
                (),
                0,
            ),
            text,
            Score(1.0),
            Judgement(draw(verdicts), NOW, "", draw(st.none() | texts)),
        )
        for n, text in enumerate(draw(st.lists(texts, max_size=5)))
    )


@st.composite
def requests(draw: st.DrawFn) -> ContextRequest:
    tool = ToolSchema("get_stock", draw(texts), {"type": "object", "properties": {}})
    stale = Judgement(Verdict.STALE, NOW, "old", 'get_stock(sku="42")')
    summary = Summary("s", 1, draw(texts), 0, NOW, also=draw(texts))
    return ContextRequest(
        system=draw(texts),
        question=draw(texts),
        recall=Recall("q", NOW, hits=draw(hits()), past=draw(st.booleans())),
        tools=draw(st.sampled_from([(), (tool,), (tool,) * 3])),
        response_schema=draw(st.sampled_from([None, {"type": "object"}])),
        summary=draw(st.sampled_from([None, summary])),
        window=draw(turns()),
        steps=draw(steps(6)),
        judgements={"a1": stale, "r0_c0_0": stale} if draw(st.booleans()) else {},
        withhold_stale=draw(st.booleans()),
    )


def wire_tokens(
    context_messages: tuple[Message, ...], request: ContextRequest, encoding: str
) -> int:
    """Count a wire request as OpenAI's cookbook does, without any of our own counting."""
    encodings.provide(encoding)
    count = tiktoken.get_encoding(encoding).encode_ordinary
    total = 3
    for message in (message.wire() for message in context_messages):
        total += 3 + len(count(message["role"])) + len(count(message["content"]))
        for call in message.get("tool_calls", ()):
            total += len(count(call["id"])) + len(count(call["function"]["name"]))
            total += len(count(call["function"]["arguments"]))
        total += len(count(message.get("tool_call_id", "")))
    for tool in request.tools:
        total += len(count(json.dumps(tool.wire(), ensure_ascii=False)))
    return total


@given(
    requests(),
    st.sampled_from([(256, 16), (900, 100), (2_048, 256), (8_192, 512)]),
    st.sampled_from([1.0, 1.31]),
    st.sampled_from(encodings.NAMES),
)
@settings(max_examples=150, deadline=None)
def test_no_request_is_over_the_bound(
    request: ContextRequest, limits: tuple[int, int], ratio: float, encoding: str
) -> None:
    """Whatever is asked, the wire holds at most limit − reserve tokens, by the server's count."""
    limit, reserve = limits
    try:
        context = manager(limit, reserve, ratio, encoding).fit(request)
    except ContextTooSmall:
        return
    sent = wire_tokens(context.messages, request, encoding)
    assert sent <= context.tokens
    assert context.tokens * ratio <= limit - reserve
    assert sum(context.parts.values()) == context.tokens


@given(requests())
@settings(max_examples=100, deadline=None)
def test_calls_and_results_are_inseparable(request: ContextRequest) -> None:
    """Every call in a request has its one result right after it, and no result is without call."""
    try:
        context = manager(2_048, 256, 1.0).fit(request)
    except ContextTooSmall:
        return
    waiting: list[str] = []
    for message in context.messages:
        if message.role == "tool":
            assert message.call_id == waiting.pop(0)
        else:
            assert not waiting
            waiting = [call.id for call in message.calls]
    assert not waiting


@given(requests())
@settings(max_examples=100, deadline=None)
def test_the_question_is_always_there_and_nothing_is_said_twice(request: ContextRequest) -> None:
    """The question stands whole in the last user message; the window's chunks are no memories."""
    try:
        context = manager(2_048, 256, 1.0).fit(request)
    except ContextTooSmall:
        return
    assert any(
        message.role == "user" and message.content.endswith(request.question)
        for message in context.messages
    )
    shown = [turn for turn in request.window if f"turns {turn.number}" not in str(context.left_out)]
    if not context.left_out:
        in_window = {chunk_id for turn in shown for chunk_id in turn.chunk_ids}
        assert not in_window & {hit.chunk.id for hit in context.hits}
