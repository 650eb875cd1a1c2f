"""Memory upkeep: what waits is indexed, due tool results are fetched anew, failures are told."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from assistant.app import App
from assistant.errors import RunFailed
from assistant.jobs.job import JobRun
from assistant.jobs.upkeep import index_pending, redo_summaries, refresh_results, upkeep
from assistant.phrases import Phrase, phrase
from assistant.run_record import record_run
from assistant.sessions import Session, Sessions, Summary
from assistant.settings import Settings
from assistant.testing import ScriptedServer, says
from assistant.tools import tool
from assistant.tools.definition import RunContext
from assistant.tools.registry import ToolRegistry
from memory_store import Draft, MemoryStore, Verdict
from memory_store.testing import FrozenClock, TinyEmbedder

NOW = datetime(2026, 5, 20, 12, tzinfo=UTC)


@pytest.fixture
def clock() -> FrozenClock:
    """Noon."""
    return FrozenClock(NOW)


@pytest.fixture
def store(tmp_path: Path, clock: FrozenClock) -> Iterator[MemoryStore]:
    """An empty memory."""
    with MemoryStore.open(tmp_path / "home", embedder=TinyEmbedder(), clock=clock) as store:
        yield store


class Shelf:
    """A source that changes, and the tool that reads it."""

    def __init__(self, store: MemoryStore, clock: FrozenClock) -> None:
        self.left = 10
        self.asked = 0
        self.broken = False
        self._store = store
        self._clock = clock

        @tool(description="Tells the stock.", max_age="1h")
        def get_stock(sku: str) -> str:
            self.asked += 1
            if self.broken:
                raise OSError("the shelf is dark")
            return f"{self.left} of {sku} are left"

        self.tools = ToolRegistry([get_stock])

    def ask(self, sku: str = "42") -> None:
        """Ask for the stock and remember the answer, as the loop does."""
        outcome = self.tools.run("get_stock", {"sku": sku}, RunContext(clock=self._clock))
        draft = Draft(
            "tool_result",
            outcome.text,
            subject=outcome.subject,
            freshness=outcome.freshness,
            origin="tool",
        )
        self._store.remember([draft])

    def refresh(self) -> str:
        """Refresh what is due."""
        return str(refresh_results(self._store, lambda: self.tools, self._clock.now))


@pytest.fixture
def shelf(store: MemoryStore, clock: FrozenClock) -> Shelf:
    """A shelf with ten of everything."""
    return Shelf(store, clock)


def test_a_due_result_is_fetched_anew(store: MemoryStore, clock: FrozenClock, shelf: Shelf) -> None:
    """An expired result is called again; the new one is current and fresh, the old is history."""
    shelf.ask()
    assert shelf.refresh() == "0 of 0 refreshed"
    shelf.left = 7
    clock.advance(timedelta(hours=2))
    assert shelf.refresh() == "1 of 1 refreshed"
    chunks = store.chunks(kind="tool_result")
    assert [chunk.text for chunk in chunks] == ["10 of 42 are left", "7 of 42 are left"]
    judged = store.judge([chunk.id for chunk in chunks])
    assert [judged[chunk.id].verdict for chunk in chunks] == [Verdict.SUPERSEDED, Verdict.FRESH]
    assert shelf.refresh() == "0 of 0 refreshed"


def test_an_unchanged_result_is_fresh_again(
    store: MemoryStore, clock: FrozenClock, shelf: Shelf
) -> None:
    """A result that says the same as before is current and fresh again."""
    shelf.ask()
    clock.advance(timedelta(hours=2))
    shelf.refresh()
    current = store.chunks(kind="tool_result")[-1]
    assert store.judge([current.id])[current.id].verdict is Verdict.FRESH


def test_what_fails_is_left_as_it_was(store: MemoryStore, clock: FrozenClock, shelf: Shelf) -> None:
    """A tool that fails, or is gone, changes nothing: the old result stays, stale."""
    shelf.ask()
    clock.advance(timedelta(hours=2))
    shelf.broken = True
    assert shelf.refresh() == "0 of 1 refreshed"
    shelf.tools = ToolRegistry()
    assert shelf.refresh() == "0 of 1 refreshed"
    assert len(store.chunks(kind="tool_result")) == 1


def test_what_nobody_asked_for_lately_is_left_alone(clock: FrozenClock, shelf: Shelf) -> None:
    """Results of more than a week ago are not fetched anew."""
    shelf.ask()
    clock.advance(timedelta(days=8))
    assert shelf.refresh() == "0 of 0 refreshed"
    assert shelf.asked == 1


def test_indexes_what_waits(store: MemoryStore) -> None:
    """After the upkeep nothing waits to be embedded or indexed."""
    with store.ledger.write() as connection:
        store.remember([Draft("note", f"note {n}") for n in range(5)], joined=connection)
    index_pending(store)
    stats = store.stats()
    assert (stats.unembedded, stats.unindexed) == (0, 0)


class Writer:
    """Writes summaries with a model that answers again."""

    def __init__(self, sessions: Sessions) -> None:
        self.sessions = sessions

    def roll(self, session: Session, parts: object) -> Summary | None:
        """Write the session's summary by the model."""
        return self.sessions.save_summary(session, "by a model", through=1, method="model", after=1)


def test_failed_summaries_are_redone(store: MemoryStore, clock: FrozenClock) -> None:
    """Summaries that could only be extracted are written again; the others are left alone."""
    sessions = Sessions(store.ledger, clock=clock)
    for name, method in (("a", "extract"), ("b", "model"), ("c", None)):
        session = sessions.open(name)
        sessions.start_turn(session, "hello")
        if method is not None:
            sessions.save_summary(session, "text", through=1, method=method, after=0)  # type: ignore[arg-type]
    assert str(redo_summaries(sessions, lambda: Writer(sessions))) == "1 of 1 written again"
    assert str(redo_summaries(sessions, lambda: Writer(sessions))) == "0 of 0 written again"


def test_the_last_turns_of_a_talk_are_read_for_facts(tmp_path: Path, clock: FrozenClock) -> None:
    """No further turn need come; where nothing waits, the model is not asked."""
    reply = json.dumps({"facts": [{"message": 1, "subject": "user.city", "value": "Lisbon"}]})
    with ScriptedServer([says("Nice."), says(reply)]) as server:
        settings = Settings.load(
            tmp_path, openai_base_url=server.url, openai_api_key="k", model="scripted", facts="on"
        )
        with App.open(settings, clock=clock) as app:
            record_run(app.agent.run(app.sessions.open(), "I live in Lisbon."))
            assert app.store.chunks(kind="fact") == []
            for count in (1, 0):
                assert f"facts: {count} found" in app.schedule.runner.run("upkeep").detail
                clock.advance(timedelta(hours=1))
            assert [chunk.subject for chunk in app.store.chunks(kind="fact")] == ["user.city"]


def test_one_failing_part_does_not_hold_up_the_others() -> None:
    """Every part is done; a failure is told with what was done, so that the job is tried again."""
    done: list[str] = []

    def fail() -> Phrase:
        raise OSError("disk full")

    def work() -> Phrase:
        done.append("x")
        return phrase("jobs.indexed", count=3)

    run = JobRun("upkeep", NOW, NOW, 1, NOW)
    with pytest.raises(RunFailed) as caught:
        upkeep({"jobs.notes": fail, "jobs.index": work})(run)
    assert str(caught.value) == "notes: disk full; index: 3 taken in"
    caught.value.speak("zh")
    assert str(caught.value) == "通知：disk full；索引：收入 3 段"
    assert done == ["x"]
