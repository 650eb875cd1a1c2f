"""The budget manager's own figures: the bound, the overhead, the share of a prefix cache."""

from __future__ import annotations

import json
import random
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Any

from assistant.agent.protocols.native import NativeProtocol
from assistant.agent.protocols.protocol import Frame
from assistant.app import App
from assistant.context.budget import ContextManager, ContextRequest
from assistant.context.learned import ModelCounts
from assistant.context.prepare import prepare
from assistant.context.request import Context
from assistant.context.rolling import Roller
from assistant.context.tokens import Counter
from assistant.errors import ContextTooSmall
from assistant.experiments.context_replay import SYSTEM, recorded_turns
from assistant.messages import Message, ToolCall, ToolSchema
from assistant.sessions import Session, Sessions, Summary, Turn, TurnMessage
from assistant.settings import Settings
from memory_store import Chunk, Draft, Freshness, Hit, Judgement, Recall, Scope, Score, Verdict
from memory_store.experiments.corpora import read_rows
from memory_store.ledger import Ledger
from memory_store.store import MemoryStore

NOW = datetime(2026, 3, 2, 9, tzinfo=UTC)
TOOLS = tuple(
    ToolSchema(
        name,
        f"{text} Use it whenever the question needs it.",
        {"type": "object", "properties": {"text": {"type": "string", "description": text}}},
    )
    for name, text in (
        ("get_stock", "How many pieces of an article are in stock, by sku."),
        ("days_between", "How many days lie between two dates."),
        ("calculate", "The value of an arithmetic expression."),
        ("search_memory", "What is remembered about something."),
        ("read_memory", "One memory, page by page."),
        ("remember_fact", "Keeps a fact that the user states."),
    )
)
_WORDS = (
    "stock order linear algebra meeting Tuesday budget 42 report.pdf 你好 世界 学习 每周 😀 的 了"
    ' function return {"k":1} <|endoftext|> 12,345.67 naïve > \\n'
)


class _NoMemory:
    """A memory without chunks: what remains is the manager's own work."""

    def judge(self, ids: Any) -> dict[str, Judgement]:
        return {}

    def get(self, chunk_id: str) -> Chunk:
        raise AssertionError(chunk_id)

    def recall(self, query: str, **_options: Any) -> Recall:
        return Recall(query, NOW)


@contextmanager
def _manager(limit: int, reserve: int = 512) -> Iterator[tuple[ContextManager, Sessions]]:
    with TemporaryDirectory() as folder:
        ledger = Ledger(Path(folder) / "ledger.db")
        counter = Counter("gpt-4o")
        manager = ContextManager(
            counter, ModelCounts(ledger), zone=UTC, limit=limit, reserve=reserve
        )
        yield manager, Sessions(ledger, clock=lambda: NOW)
        ledger.close()


def over_bound(histories: int) -> int:
    """Fit random histories, and count the requests that are over the bound."""
    rng = random.Random(4)
    over = 0
    with _manager(8_192) as (manager, _):
        for _ in range(histories):
            limit = rng.choice((600, 1_500, 4_096, 8_192, 16_384))
            fitted = ContextManager(
                manager.counter,
                manager.counts,
                zone=UTC,
                limit=limit,
                reserve=rng.randrange(32, limit // 3),
            )
            try:
                context = fitted.fit(_random_request(rng))
            except ContextTooSmall:
                continue
            over += _counted(context, fitted.counter) > limit - fitted.reserve
    return over


def _counted(context: Context, counter: Counter) -> int:
    """Count a request as OpenAI's cookbook does: 3 tokens a message beside what it says."""
    said = [
        counter.count(message.role)
        + counter.count(message.content)
        + sum(counter.count(call.name) + counter.count(call.arguments) for call in message.calls)
        for message in context.messages
    ]
    return sum(said) + 3 * len(said) + 3 + context.parts["tools"]


def _random_request(rng: random.Random) -> ContextRequest:
    def text(most: int) -> str:
        return " ".join(rng.choices(_WORDS.split(), k=rng.randrange(most)))

    def steps(most: int) -> tuple[TurnMessage, ...]:
        made: list[TurnMessage] = []
        for step in range(rng.randrange(most)):
            calls = tuple(
                ToolCall(f"c{step}{n}", "get_stock", json.dumps({"text": text(9)}))
                for n in range(rng.randrange(1, 3))
            )
            made.append(TurnMessage(Message("assistant", text(20), calls), step))
            made.extend(
                TurnMessage(Message("tool", text(600), call_id=call.id), step, f"r{step}")
                for call in calls
            )
        return tuple(made)

    window = tuple(
        Turn(f"t{n}", "s", n + 1, NOW, text(80), steps(3), text(150), NOW, "answered")
        for n in range(rng.randrange(40))
    )
    hits = tuple(
        Hit(
            Chunk(
                f"m{n}",
                "question",
                said,
                Scope("me"),
                NOW,
                NOW,
                None,
                None,
                Freshness(),
                "user",
                (),
                0,
            ),
            said,
            Score(1.0),
            Judgement(rng.choice(list(Verdict)), NOW, "", 'get_stock(text="42")'),
        )
        for n, said in enumerate(text(120) for _ in range(rng.randrange(40)))
    )
    return ContextRequest(
        SYSTEM,
        text(60),
        Recall("q", NOW, hits=hits),
        rng.choice(((), TOOLS)),
        summary=rng.choice((None, Summary("s", 1, text(300), 0, NOW, also=text(60)))),
        window=window,
        steps=steps(6),
        withhold_stale=rng.random() < 0.5,
    )


def prepare_ratios(turns: Sequence[int] = (10, 100, 1_000, 5_000)) -> dict[int, float]:
    """Return the time to prepare a request over that to count its messages once, by turns."""
    rng = random.Random(5)
    ratios: dict[int, float] = {}
    with _manager(8_192) as (manager, sessions):
        roller = Roller(manager, sessions, _NoMemory(), None)
        session = sessions.open("long")
        done = 0
        for number in turns:
            while done < number:
                _write_turn(sessions, session, rng, done)
                roller.roll(session, {"system": 30, "question": 40})
                done += 1
            ratios[number] = median(_prepare_ratio(manager, sessions, session) for _ in range(30))
    return ratios


def _write_turn(sessions: Sessions, session: Session, rng: random.Random, number: int) -> None:
    words = " ".join(rng.choices(_WORDS.split(), k=30))
    turn = sessions.start_turn(session, f"Question {number}: {words}")
    sessions.finish(turn, f"Answer {number}: {words} {words}", "answered")


def _prepare_ratio(manager: ContextManager, sessions: Sessions, session: Session) -> float:
    start = time.perf_counter()
    request = prepare(
        manager=manager,
        sessions=sessions,
        memory=_NoMemory(),
        clock=lambda: NOW,
        session=session,
        question="And now?",
        system=SYSTEM,
    )
    context = manager.fit(request)
    middle = time.perf_counter()
    cold = Counter("gpt-4o")
    cold.count("")
    begin = time.perf_counter()
    cold.messages(context.messages)
    return (middle - start) / (time.perf_counter() - begin)


@dataclass
class _Prefix:
    """Adds up the tokens of consecutive requests that a prefix cache would serve."""

    counter: Counter
    last: str = ""
    shared: int = 0
    total: int = 0

    def add(self, text: str) -> None:
        """Compare a request with the one before."""
        common = 0
        most = min(len(text), len(self.last))
        while common < most and text[common] == self.last[common]:
            common += 1
        self.shared += self.counter.count(text[:common])
        self.total += self.counter.count(text)
        self.last = text

    @property
    def share(self) -> float:
        """Of all prompt tokens, those that were in the cache."""
        return self.shared / max(self.total, 1)


def prefix_shares(data: Path) -> tuple[float, float]:
    """Return the share of prompt tokens a prefix cache serves over 50 turns with tools.

    Ours, and that of a layout which puts the memories in front. Memory holds another, earlier
    conversation, so that there is always something to recall.
    """
    earlier = next(read_rows(data / "locomo.jsonl.gz"), None)
    turns = recorded_turns(earlier) if earlier else []
    with TemporaryDirectory() as folder:
        counter = Counter("gpt-4o")
        store = MemoryStore.open(Path(folder), clock=lambda: NOW, count_tokens=counter.count)
        drafts = [
            Draft("question", turn.question, "earlier", created_at=NOW - timedelta(days=9))
            for turn in turns
        ]
        store.remember(drafts)
        asked = [question["text"] for question in earlier["questions"][:50]] if earlier else []
        try:
            return _prefix_shares(store, counter, asked)
        finally:
            store.close()


def _prefix_shares(store: MemoryStore, counter: Counter, asked: list[str]) -> tuple[float, float]:
    rng = random.Random(6)
    frame = _frame(store)
    sessions = Sessions(store.ledger, clock=lambda: NOW)
    manager = ContextManager(counter, ModelCounts(store.ledger), zone=UTC, limit=8_192)
    roller = Roller(manager, sessions, store, None)
    session = sessions.open("fifty")
    ours, naive = _Prefix(counter), _Prefix(counter)
    for number, question in enumerate(asked):
        turn = sessions.start_turn(session, question)
        (chunk,) = store.remember([Draft("question", question, session.id, turn.id)])
        turn = sessions.link_question(turn, chunk.id)
        request = prepare(
            manager=manager,
            sessions=sessions,
            memory=store,
            clock=lambda: NOW,
            session=session,
            turn=turn,
            question=question,
            system=frame.system,
            tools=frame.tools,
        )
        result = "\n".join(f"row {n}: {rng.randrange(10**6)} pieces" for n in range(12))
        call = ToolCall(f"c{number}", "get_stock", json.dumps({"text": question[:30]}))
        steps = (
            TurnMessage(Message("assistant", "", (call,)), 1),
            TurnMessage(Message("tool", result, call_id=call.id), 1),
        )
        for taken in ((), steps):
            context = manager.fit(replace(request, steps=taken))
            ours.add(_as_text(context, frame, question, front=False))
            naive.add(_as_text(context, frame, question, front=True))
        sessions.add(turn, steps)
        answer = f"There are {rng.randrange(10**6)} pieces, as of today. " + question
        (chunk,) = store.remember([Draft("answer", answer, session.id, turn.id)])
        sessions.finish(turn, answer, "answered", answer_chunk=chunk.id)
        roller.roll(session, manager.last_parts)
    return ours.share, naive.share


def _frame(store: MemoryStore) -> Frame:
    """Return the system prompt and the tools that a model with native tool calls is given."""
    with App.open(Settings.load(store.home, openai_base_url="http://127.0.0.1:9/v1")) as app:
        return NativeProtocol(app.tools).frame("en")


def _as_text(context: Context, frame: Frame, question: str, *, front: bool) -> str:
    """Return a request as the server reads it: tools and system prompt first.

    With `front`, the memories are moved there too, as many assistants do it.
    """
    tools = json.dumps([tool.wire() for tool in frame.tools])
    said = [message.content for message in context.messages]
    asked = next(at for at, text in enumerate(said) if text.endswith(question))
    memories = said[asked].removesuffix(question)
    if front:
        said[asked] = question
        said[0] += memories
    messages = [
        f"{message.role}\n{text}{[call.wire() for call in message.calls]}"
        for message, text in zip(context.messages, said, strict=True)
    ]
    return "\n".join((tools, *messages))
