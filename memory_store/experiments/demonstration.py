"""A memory to look at where there is none yet: the shipped corpus, tool results, changed facts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta

from memory_store.chunk import Draft, Freshness
from memory_store.experiments.changing_world import World
from memory_store.experiments.corpora import load_corpus
from memory_store.store import MemoryStore


def fill(store: MemoryStore) -> int:
    """Fill an empty memory with half a year of eight people's talk; returns how many chunks.

    It ends a day before the store's time. Some tool results are out of date by then, some facts
    have newer ones, and some things were said twice.
    """
    drafts = [draft for one in load_corpus() for draft in one.drafts]
    drafts += _looked_up(World(days=150, looked_up=12))
    drafts.sort(key=_time)
    # All of it is moved, so that it ends yesterday.
    by = store.now - timedelta(days=1) - _time(drafts[-1])
    moved = [replace(draft, created_at=_time(draft) + by) for draft in drafts]
    return len({chunk.id for chunk in store.remember([*moved, *_again(moved)])})


def _looked_up(world: World) -> list[Draft]:
    return [
        Draft(
            "fact" if event.source.told else "tool_result",
            event.source.says.format(world.value(event.source, event.at)),
            created_at=event.at,
            subject=event.source.subject,
            freshness=Freshness(
                None if event.source.told else timedelta(days=event.source.days),
                call=event.source.subject,
            ),
            origin="user" if event.source.told else "tool",
        )
        for event in world.events()
        if event.kind == "looked up"
    ]


def _time(draft: Draft) -> datetime:
    assert draft.created_at is not None
    return draft.created_at


def _again(drafts: Sequence[Draft]) -> list[Draft]:
    """Some of it once more in nearly the same words, as people do."""
    said = [draft for draft in drafts if draft.kind == "question"][::12]
    return [replace(draft, text=f"Again: {draft.text}", session="again") for draft in said]
