"""Replays recorded conversations through the real budget manager, and looks for evidence.

Conversations are rows of `memory_store.experiments.corpora.read_rows`.
"""

from __future__ import annotations

import re
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from assistant.context.budget import Context, ContextManager, ContextRequest, Shares
from assistant.context.learned import ModelCounts
from assistant.context.prepare import prepare
from assistant.context.rolling import Roller
from assistant.context.tokens import Counter
from assistant.sessions import Session, Sessions
from memory_store import Draft, Recall
from memory_store.protocols import Embedder
from memory_store.store import MemoryStore

LIMITS = (4_096, 8_192, 16_384, 32_768)
RESERVE = 512
SYSTEM = "You are a helpful assistant. Answer from the conversation and from what is remembered."
PARTS = {"system": 30, "question": 40}
LAST_N = 20
MOST_TURNS = 5_000
WAYS = ("full", "last_n", "window", "window_summary", "ours", "ours_all")


@dataclass(frozen=True)
class Recorded:
    """A turn of the recording: the records that it was made from, its texts."""

    ids: tuple[str, ...]
    time: datetime
    question: str
    answer: str


def recorded_turns(conversation: dict[str, Any]) -> list[Recorded]:
    """Pair what is said with what is answered; where nobody answers, a turn is one record."""
    turns: list[Recorded] = []
    records = conversation["records"]
    at = 0
    while at < len(records):
        used = records[at : at + 1 + _answered(records[at : at + 2])]
        texts = [f"{record['who']}: {record['text']}" for record in used]
        turns.append(
            Recorded(
                tuple(record["id"] for record in used),
                datetime.fromisoformat(used[0]["time"]).astimezone(UTC),
                texts[0],
                "".join(texts[1:]),
            )
        )
        at += len(used)
    return turns


def _answered(pair: Sequence[dict[str, Any]]) -> bool:
    """Whether the second of two records answers the first."""
    return (
        len(pair) == 2
        and all(record["kind"] == "turn" for record in pair)
        and pair[0]["session"] == pair[1]["session"]
        and pair[0]["who"] != pair[1]["who"]
    )


class Replay:
    """One conversation in a memory, and as a session for each limit."""

    def __init__(
        self, conversation: dict[str, Any], home: Path, embedder: Embedder | None = None
    ) -> None:
        self.counter = Counter("gpt-4o")
        self.turns = recorded_turns(conversation)
        self.now = self.turns[-1].time + timedelta(days=1)
        self.store = MemoryStore.open(
            home,
            embedder=embedder,
            clock=lambda: self.now,
            count_tokens=self.counter.count,
        )
        self.sessions = Sessions(self.store.ledger, clock=lambda: self.now)
        self.counts = ModelCounts(self.store.ledger)
        self.texts = {
            record: text
            for turn in self.turns
            for record, text in zip(turn.ids, (turn.question, turn.answer), strict=False)
        }
        self.chunks: dict[str, str] = {}
        self._remember()
        self.of_chunk: dict[str, set[str]] = {}
        for record, chunk in self.chunks.items():
            self.of_chunk.setdefault(chunk, set()).add(record)

    def _remember(self) -> None:
        drafts: list[tuple[str, Draft]] = []
        for number, turn in enumerate(self.turns):
            texts = (turn.question, turn.answer)
            kinds = ("question", "answer")
            for record, text, kind in zip(turn.ids, texts, kinds, strict=False):
                draft = Draft(kind, text, "recorded", f"t{number}", created_at=turn.time)  # pyright: ignore
                drafts.append((record, draft))
        for start in range(0, len(drafts), 500):
            batch = drafts[start : start + 500]
            chunks = self.store.remember([draft for _, draft in batch])
            self.chunks.update(
                (record, chunk.id) for (record, _), chunk in zip(batch, chunks, strict=True)
            )

    def manager(self, limit: int) -> ContextManager:
        """Return the manager for one limit."""
        return ContextManager(
            self.counter, self.counts, zone=UTC, limit=limit, reserve=RESERVE, shares=Shares()
        )

    def replay(self, limit: int, every: int = 25) -> tuple[Session, list[tuple[int, Context]]]:
        """Write the turns one by one, rolling after each; return the request of every 25th turn.

        Each asks its turn's question again, and recalls what was said before it.
        """
        manager = self.manager(limit)
        roller = Roller(manager, self.sessions, self.store, None)
        session = self.sessions.open(f"limit {limit}")
        contexts: list[tuple[int, Context]] = []
        for number, turn in enumerate(self.turns[-MOST_TURNS:]):
            chunk_ids = [self.chunks[record] for record in turn.ids]
            with self.store.ledger.write() as joined:
                started = self.sessions.start_turn(session, turn.question, joined=joined)
                self.sessions.finish(
                    started,
                    turn.answer or "Noted.",
                    "answered",
                    question_chunk=chunk_ids[0],
                    answer_chunk=chunk_ids[1] if len(chunk_ids) > 1 else None,
                    joined=joined,
                )
            roller.roll(session, PARTS)
            if number % every == 0:
                request = self.request(manager, session, turn.question)
                hits = tuple(h for h in request.recall if h.chunk.created_at < turn.time)
                request = replace(request, recall=replace(request.recall, hits=hits))
                contexts.append((number + 1, manager.fit(request)))
        return session, contexts

    def request(self, manager: ContextManager, session: Session, question: str) -> ContextRequest:
        """Prepare a request as the agent does."""
        return prepare(
            manager=manager,
            sessions=self.sessions,
            memory=self.store,
            clock=lambda: self.now,
            session=session,
            question=question,
            system=SYSTEM,
        )


@contextmanager
def replayed(conversation: dict[str, Any], embedder: Embedder | None = None) -> Generator[Replay]:
    """Yield a replay in a temporary home; the default embedder if none is given."""
    with TemporaryDirectory() as folder:
        replay = Replay(conversation, Path(folder), embedder)
        try:
            yield replay
        finally:
            replay.store.close()


@dataclass
class Kept:
    """How many questions have evidence in the context, by way."""

    questions: int = 0
    found: dict[str, int] = field(default_factory=lambda: dict.fromkeys(WAYS, 0))
    over_bound: int = 0

    def add(self, way: str, hit: bool) -> None:
        """Count a question for a way."""
        self.found[way] += hit

    def shares(self) -> dict[str, float]:
        """Return the share of questions by way."""
        return {way: round(self.found[way] / max(self.questions, 1), 4) for way in WAYS}


def questions(conversation: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the answerable questions whose evidence is among the records."""
    known = {record["id"] for record in conversation["records"]}
    return [
        question
        for question in conversation["questions"]
        if question["answerable"]
        and question["evidence"]
        and known.issuperset(question["evidence"])
    ]


def measure(
    replay: Replay, asked: Sequence[dict[str, Any]], limit: int, session: Session, kept: Kept
) -> None:
    """Ask each question at the conversation's end, and look what of its evidence is sent."""
    manager = replay.manager(limit)
    newest = _newest(replay, limit - RESERVE - sum(PARTS.values()))
    last_n = {id_ for turn in replay.turns[-LAST_N:] for id_ in turn.ids} & newest
    for question in asked:
        evidence = set(question["evidence"])
        request = replay.request(manager, session, question["text"])
        ours = _sent(replay, manager, request, evidence, kept)
        without = replace(request, recall=Recall(question["text"], replay.now))
        summarised = _sent(replay, manager, without, evidence, kept)
        window = _sent(replay, manager, replace(without, summary=None), evidence, kept)
        kept.questions += 1
        for way, ids in (
            ("full", newest),
            ("last_n", last_n),
            ("window", window),
            ("window_summary", summarised),
            ("ours", ours),
        ):
            kept.add(way, bool(evidence & ids))
        kept.add("ours_all", evidence <= ours)


def _newest(replay: Replay, room: int) -> set[str]:
    """Return the records of the whole history as far as it fits, the oldest cut off."""
    ids: set[str] = set()
    for turn in reversed(replay.turns):
        room -= replay.counter.count(turn.question) + replay.counter.count(turn.answer) + 10
        if room < 0:
            break
        ids.update(turn.ids)
    return ids


def _sent(
    replay: Replay,
    manager: ContextManager,
    request: ContextRequest,
    evidence: set[str],
    kept: Kept,
) -> set[str]:
    """Return the evidence that is in the request: by recall, or with its whole text."""
    context = manager.fit(request)
    kept.over_bound += context.tokens > context.limit - context.reserve
    recalled = {id_ for hit in context.hits for id_ in replay.of_chunk[hit.chunk.id]}
    text = _plain("\n".join(message.content for message in context.messages))
    return {id_ for id_ in evidence if id_ in recalled or _plain(replay.texts[id_]) in text}


def _plain(text: str) -> str:
    return re.sub(r"[\s>]+", " ", text).strip()
