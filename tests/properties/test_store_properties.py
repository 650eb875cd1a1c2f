"""A memory that is written, reopened, forgotten from and reindexed stays true (hypothesis)."""

from __future__ import annotations

import shutil
import tempfile
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from memory_store import Draft, MemoryStore
from memory_store import store as store_module
from memory_store.testing import FrozenClock, TinyEmbedder

TEXTS = st.text(
    st.characters(exclude_categories=["Cs"]), min_size=1, max_size=40
).filter(lambda text: text.strip())  # fmt: skip
SESSIONS = st.sampled_from(["", "monday", "tuesday"])


class Memory(RuleBasedStateMachine):
    """A store beside the plain model of what it should hold: texts by id, in order."""

    def __init__(self) -> None:
        super().__init__()
        self.home = Path(tempfile.mkdtemp())
        self.clock = FrozenClock(datetime(2026, 3, 2, tzinfo=UTC))
        self.embedder = TinyEmbedder()
        self.model: dict[str, str] = {}
        self.copies: dict[str, int] = {}
        self.forgotten: set[str] = set()

    @initialize()
    def open(self) -> None:
        self.store = MemoryStore.open(self.home, embedder=self.embedder, clock=self.clock)

    @rule(texts=st.lists(TEXTS, min_size=1, max_size=12), session=SESSIONS)
    def remember(self, texts: list[str], session: str) -> None:
        drafts = [Draft("note", text, session=session) for text in texts]
        chunks = self.store.remember(drafts)
        for text, chunk in zip(texts, chunks, strict=True):
            assert chunk.text == text
            assert chunk.id not in self.forgotten
            assert self.model.setdefault(chunk.id, text) == text
            self.copies[chunk.id] = self.copies.get(chunk.id, 0) + 1

    @rule(hours=st.integers(-30, 30))
    def time_moves(self, hours: int) -> None:
        self.clock.advance(timedelta(hours=hours))

    @rule(broken=st.booleans())
    def embedder_breaks_or_heals(self, broken: bool) -> None:
        self.embedder.failure = "gone" if broken else None

    @precondition(lambda self: self.model)
    @rule(data=st.data())
    def forget(self, data: st.DataObject) -> None:
        victim = data.draw(st.sampled_from(sorted(self.model)))
        done = self.store.forget(ids=[victim])
        for chunk in [*done.chunks, *done.derived]:
            del self.model[chunk.id]
            del self.copies[chunk.id]
            self.forgotten.add(chunk.id)
        assert victim not in self.model

    @rule()
    def reopen(self) -> None:
        self.store.close()
        self.open()

    @rule()
    def process_dies(self) -> None:
        """The locks are freed, nothing else is done."""
        self.store._index.close()  # pyright: ignore[reportPrivateUsage]
        self.store.ledger.close()
        self.open()

    @rule()
    def reindex(self) -> None:
        self.store.reindex()

    @invariant()
    def it_holds_what_the_model_holds(self) -> None:
        chunks = self.store.chunks()
        assert {chunk.id: chunk.text for chunk in chunks} == self.model
        assert {chunk.id: chunk.copies for chunk in chunks} == self.copies
        assert [chunk.id for chunk in chunks] == sorted(self.model)

    def teardown(self) -> None:
        self.embedder.failure = None
        self.store.catch_up()
        checked = self.store.verify()
        assert checked.problems == ()
        assert checked.indexed == checked.passages
        for id_, text in self.model.items():
            near = self.store.dense.search(self.embedder.embed([text.strip()])[0], len(self.model))
            assert near[0][1] > 0.999, id_
        self.store.close()
        shutil.rmtree(self.home)


@pytest.fixture(autouse=True)
def indexed_soon(monkeypatch: pytest.MonkeyPatch) -> None:
    """A few vectors are enough to write the index, and to search it."""
    monkeypatch.setattr(store_module, "EAGER", 5)
    monkeypatch.setattr("memory_store.dense.EXACT", 8)


class TestMemory(Memory.TestCase):
    """Whatever is done in whatever order, the store holds what it acknowledged, once."""

    settings = settings(
        max_examples=8,
        stateful_step_count=12,
        deadline=None,
        suppress_health_check=list(HealthCheck),
    )
