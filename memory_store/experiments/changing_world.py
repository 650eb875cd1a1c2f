"""A world whose facts change, and what a memory of it answers: how often it is out of date.

Tools are called now and then and their results remembered; users tell what changed for them.
Questions come at random. A plain vector store answers with the nearest text. This memory answers
with what is current, and calls the tool again where nothing is.
"""

from __future__ import annotations

import random
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from memory_store.chunk import Chunk, Draft, Freshness
from memory_store.extras import frame
from memory_store.protocols import Embedder
from memory_store.store import MemoryStore
from memory_store.testing import FrozenClock

if TYPE_CHECKING:
    from pandas import DataFrame

START = datetime(2026, 1, 1, 8, tzinfo=UTC)


@dataclass(frozen=True)
class Source:
    """Something that can be asked about, and changes.

    Attributes:
        subject: the tool's call, or the slot of a fact that the user states.
        says: the text of a result; `{}` is the value.
        days: the mean time between two changes.
        told: whether the user says when it changes; otherwise a tool has to be called.
    """

    subject: str
    question: str
    says: str
    days: float
    told: bool = False


SOURCES = (
    Source('get_stock(sku="42")', "How many desk lamps are in stock?",
           "There are {} desk lamps in stock.", 4),
    Source('get_price(sku="42")', "What does a kilo of rye flour cost?",
           "A kilo of rye flour costs {} cents.", 30),
    Source('seats(train="IC 7")', "How many seats are free on the night train to Porto?",
           "{} seats are free on the night train to Porto.", 2),
    Source('balance(account="main")', "What is the balance of the savings account?",
           "The balance of the savings account is {} euros.", 10),
    Source('queue(office="passports")', "How long is the waiting list of the passport office?",
           "The waiting list of the passport office has {} people.", 7),
    Source('get_stock(sku="茶")', "龙井茶的库存还有多少盒？", "龙井茶的库存还有{}盒。", 5),
    Source('ticket(city="杭州")', "去杭州的火车票多少钱？", "去杭州的火车票是{}元。", 60),
    Source("user.room", "In which room does my study group meet?",
           "My study group meets in room {} now.", 75, told=True),
    Source("user.hours", "我每周学习几个小时？", "我现在每周学习{}个小时。", 60, told=True),
)  # fmt: skip


@dataclass(frozen=True)
class Event:
    """At a time, a source is looked up (and remembered), or asked about."""

    at: datetime
    kind: Literal["looked up", "asked"]
    source: Source


@dataclass(frozen=True)
class World:
    """What is true when, and what happens. The same seed makes the same world.

    Attributes:
        looked_up: the mean days between two calls of a tool that happen anyway.
        asked: the mean days between two questions about a source.
    """

    days: int = 365
    sources: Sequence[Source] = SOURCES
    looked_up: float = 14
    asked: float = 20
    seed: int = 7
    _changes: dict[str, list[datetime]] = field(default_factory=dict[str, list[datetime]])

    def __post_init__(self) -> None:
        rng = random.Random(self.seed)
        for source in self.sources:
            self._changes[source.subject] = self._times(rng, source.days)

    def _times(self, rng: random.Random, days: float) -> list[datetime]:
        """Random times, `days` apart in the mean (a Poisson process)."""
        times: list[datetime] = []
        at = 0.0
        while (at := at + rng.expovariate(1 / days)) < self.days:
            times.append(START + timedelta(days=at))
        return times

    def version(self, source: Source, at: datetime) -> int:
        """How often the source has changed until then."""
        return bisect_right(self._changes[source.subject], at)

    def value(self, source: Source, at: datetime) -> int:
        """What is true of the source then."""
        rng = random.Random(f"{self.seed} {source.subject} {self.version(source, at)}")
        return rng.randrange(10, 1000)

    def events(self) -> list[Event]:
        """What happens, in order of time. Every source is known at the start."""
        rng = random.Random(self.seed + 1)
        found: list[Event] = []
        for source in self.sources:
            told = self._changes[source.subject]
            seen = told if source.told else self._times(rng, self.looked_up)
            found += [Event(at, "looked up", source) for at in (START, *seen)]
            found += [Event(at, "asked", source) for at in self._times(rng, self.asked)]
        return sorted(found, key=lambda event: (event.at, event.kind == "asked"))


@dataclass(frozen=True)
class Policy:
    """How questions are answered.

    Attributes:
        max_age: how long a tool's result may be used; None: it does not age.
        validated: whether a result past its age is checked against its source's version first.
        plain: answer with the nearest text, as a plain vector store does.
    """

    max_age: timedelta | None = None
    validated: bool = False
    plain: bool = False

    def __str__(self) -> str:
        if self.plain:
            return "plain vector store"
        return "this memory, validated" if self.validated else "this memory"


def live(world: World, policy: Policy, folder: Path, embedder: Embedder) -> DataFrame:
    """Let the world pass, and return one row a question: what was answered, and what was true.

    Columns: at, subject, question, policy, max_age (days), answer, truth, stale, how (`memory`,
    `validated`, `called`), age (days, of what was answered).
    """
    return frame([*_Life(world, policy, folder, embedder).rows()])


class _Life:
    def __init__(self, world: World, policy: Policy, folder: Path, embedder: Embedder) -> None:
        self._world = world
        self._policy = policy
        self._clock = FrozenClock(START)
        self._values: dict[str, int] = {}
        self._by_subject = {source.subject: source for source in world.sources}
        self._store = MemoryStore.open(
            folder, clock=self._clock, embedder=embedder, validator=self._tag
        )

    def rows(self) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = []
        with self._store:
            for event in self._world.events():
                self._clock.now = event.at
                if event.kind == "asked":
                    found.append(self._ask(event.source))
                else:
                    self._look_up(event.source)
        return found

    def _look_up(self, source: Source) -> Chunk:
        """Call the tool, or be told, and remember what it says."""
        value = self._world.value(source, self._clock.now)
        tag = str(self._world.version(source, self._clock.now))
        ages = None if source.told else self._policy.max_age
        check = "version" if self._policy.validated and not source.told else None
        draft = Draft(
            "fact" if source.told else "tool_result",
            source.says.format(value),
            subject=source.subject,
            freshness=Freshness(ages, check, tag if check else None, source.subject),
            origin="user" if source.told else "tool",
        )
        [chunk] = self._store.remember([draft])
        self._values[chunk.id] = value
        return chunk

    def _tag(self, chunk: Chunk) -> str:
        source = self._by_subject[chunk.subject or ""]
        return str(self._world.version(source, self._clock.now))

    def _ask(self, source: Source) -> dict[str, Any]:
        now = self._clock.now
        if self._policy.plain:
            chunk, how = self._nearest(source.question), "memory"
        else:
            chunk, how = self._current(source)
        answer, truth = self._values[chunk.id], self._world.value(source, now)
        max_age = self._policy.max_age
        return {
            "at": now,
            "subject": source.subject,
            "question": source.question,
            "policy": str(self._policy),
            "max_age": None if max_age is None else max_age / timedelta(days=1),
            "answer": answer,
            "truth": truth,
            "stale": answer != truth,
            "how": how,
            "age": (now - chunk.created_at) / timedelta(days=1),
        }

    def _nearest(self, question: str) -> Chunk:
        """What the vectors alone find first."""
        vector = self._store.embedder.embed([question])[0]
        [(number, _)] = self._store.dense.search(vector, 1)
        with self._store.ledger.read() as connection:
            found = connection.exec_driver_sql(
                "SELECT c.id FROM passages p JOIN chunks c ON c.number = p.chunk"
                " WHERE p.number = ?",
                (number,),
            )
            return self._store.get(str(found.scalar_one()))

    def _current(self, source: Source) -> tuple[Chunk, str]:
        """What recall presents as current; where there is nothing, the tool is called again."""
        for hit in self._store.recall(source.question):
            if hit.chunk.subject == source.subject and hit.verdict.current:
                checked = str(hit.verdict) == "revalidated"
                return hit.chunk, "validated" if checked else "memory"
        return self._look_up(source), "called"
