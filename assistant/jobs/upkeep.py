"""Upkeep of the memory: what waits is indexed, summarised, read for facts; results are renewed."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from functools import reduce
from typing import TYPE_CHECKING, Protocol

from assistant.errors import RunFailed, said_by
from assistant.jobs.job import Effect, JobRun
from assistant.phrases import Phrase, phrase
from assistant.tools import calls
from assistant.tools.definition import RunContext
from memory_store import Chunk, Draft, Interval, Verdict
from memory_store.freshness import newest_first

if TYPE_CHECKING:
    from assistant.sessions import Session, Sessions, Summary
    from assistant.tools.registry import ToolRegistry
    from memory_store.store import MemoryStore

REFRESHED_DAYS = 7
"""Tool results older than this are left alone: nobody has asked for them lately."""
REFRESHED = 20
"""The most calls of one upkeep."""

Task = Callable[[], Phrase]
"""One part of the upkeep; returns what it did, in a clause."""

_log = logging.getLogger(__name__)


class SummaryWriter(Protocol):
    """What writes a session's summary (`assistant.context.rolling.Roller`)."""

    def roll(self, session: Session, parts: Mapping[str, int]) -> Summary | None:
        """Write again what could only be extracted; None where that was not possible."""
        ...


class FactReader(Protocol):
    """What reads facts from the turns that wait for it (`assistant.agent.facts.FactExtractor`)."""

    def extract(self) -> Sequence[Chunk]:
        """Read what waits; return the facts that were remembered."""
        ...


def upkeep(tasks: Mapping[str, Task]) -> Callable[[JobRun], Effect]:
    """The work of the upkeep job: every task, also where another one failed.

    Args:
        tasks: by the keys of the phrases that name them.

    Raises, in the work:
        RunFailed: some task failed; the job is tried again later.
    """

    def work(_run: JobRun) -> Effect:
        did: list[Phrase] = []
        failed: list[Phrase] = []
        for name, task in tasks.items():
            try:
                did.append(phrase("jobs.part", name=phrase(name), did=task()))
            except Exception as error:  # the other tasks go on
                _log.warning("upkeep: %s failed", name, exc_info=True)
                failed.append(phrase("jobs.part", name=phrase(name), did=said_by(error)))
        told = reduce(lambda first, then: phrase("jobs.then", first=first, then=then), failed + did)
        if failed:
            raise RunFailed(told)
        return lambda _connection: told

    return work


def index_pending(store: MemoryStore) -> Phrase:
    """Embed and index what waits for it."""
    before = store.stats()
    store.catch_up()
    after = store.stats()
    done = before.unembedded + before.unindexed - after.unembedded - after.unindexed
    return phrase("jobs.indexed", count=max(done, 0))


def redo_summaries(sessions: Sessions, writer: Callable[[], SummaryWriter]) -> Phrase:
    """Have a model write those summaries that could only be extracted."""
    waiting = [
        session
        for session in sessions.list()
        if (summary := sessions.summary(session)) is not None and summary.method == "extract"
    ]
    redone = [writer().roll(session, {}) for session in waiting]
    written = [summary for summary in redone if summary is not None and summary.method == "model"]
    return phrase("jobs.rewritten", done=len(written), due=len(waiting))


def read_facts(waiting: bool, readers: Callable[[], Sequence[FactReader]]) -> Phrase:
    """Have a model read the last turns of sessions, after which none came; it is made only then."""
    found = [len(reader.extract()) for reader in (readers() if waiting else ())]
    return phrase("jobs.learnt", count=sum(found))


def refresh_results(store: MemoryStore, tools: Callable[[], ToolRegistry], now: datetime) -> Phrase:
    """Call again those tools whose latest results have expired, without asking anybody.

    Only results that age by the clock are refreshed ("0s" is never served from memory), only
    the current one of each subject, and only where the tool still takes the same call.
    """
    due = _expired(store, now)
    drafts = [draft for chunk in due if (draft := _again(chunk, tools(), now)) is not None]
    store.remember(drafts)
    return phrase("jobs.refreshed", done=len(drafts), due=len(due))


def _expired(store: MemoryStore, now: datetime) -> list[Chunk]:
    lately = Interval(now - timedelta(days=REFRESHED_DAYS), now + timedelta(microseconds=1))
    by_subject: dict[str, list[Chunk]] = {}
    for chunk in store.chunks(kind="tool_result", within=lately):
        if chunk.subject is not None:
            by_subject.setdefault(chunk.subject, []).append(chunk)
    current = [newest_first(chunks, now)[0] for chunks in by_subject.values()]
    aging = [chunk for chunk in current if chunk.freshness.max_age and chunk.freshness.call]
    judged = store.judge([chunk.id for chunk in aging])
    expired = (Verdict.STALE, Verdict.CHANGED)
    due = [chunk for chunk in aging if judged[chunk.id].verdict in expired]
    return sorted(due, key=lambda chunk: chunk.created_at, reverse=True)[:REFRESHED]


def _again(chunk: Chunk, tools: ToolRegistry, now: datetime) -> Draft | None:
    call = calls.parse(chunk.freshness.call or "")
    if call is None or call[0] not in tools:
        return None
    context = RunContext(clock=lambda: now, zone=now.tzinfo or UTC)
    outcome = tools.run(*call, context)
    if not outcome.ok or outcome.subject is None:
        _log.info("not refreshed: %s", call[0])
        return None
    return Draft(
        "tool_result",
        outcome.text,
        created_at=now,
        subject=outcome.subject,
        freshness=outcome.freshness,
        origin="tool",
        derived_from=outcome.sources,
    )
