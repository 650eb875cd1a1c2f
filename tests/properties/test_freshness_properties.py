"""Whatever the history, nothing outdated passes as current (hypothesis, over a real ledger)."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from memory_store import Draft, Freshness, Interval, MemoryStore, Verdict
from memory_store.freshness import ended_at, holds, newest_first, trusted
from memory_store.ledger import Ledger
from memory_store.testing import FrozenClock, TinyEmbedder

NOON = datetime(2026, 3, 2, 12, tzinfo=UTC)
HOURS = st.integers(-72, 72).map(lambda hours: timedelta(hours=hours))
SUBJECTS = st.sampled_from(["user.city", "user.job", "get_stock(sku='42')", None])

relaxed = settings(
    max_examples=60,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)


@pytest.fixture
def ledger(tmp_path: Path) -> Iterator[Ledger]:
    ledger = Ledger(tmp_path / "ledger.db")
    yield ledger
    ledger.close()


owners = itertools.count()


@st.composite
def histories(draw: st.DrawFn) -> list[tuple[timedelta, Draft, tuple[int, ...]]]:
    """Steps of (clock offset, draft, places of earlier steps that it was made from)."""
    steps: list[tuple[timedelta, Draft, tuple[int, ...]]] = []
    for place in range(draw(st.integers(1, 8))):
        event = draw(st.none() | HOURS)
        length = draw(st.just(timedelta(0)) | HOURS.map(abs))
        max_age = draw(st.none() | st.integers(0, 48).map(lambda hours: timedelta(hours=hours)))
        validator = draw(st.sampled_from([None, "same", "other", "silent", "broken"]))
        draft = Draft(
            kind=draw(st.sampled_from(["fact", "tool_result", "answer"])),
            text=draw(st.sampled_from(["Lisbon", "Porto", "7 left"])),
            subject=draw(SUBJECTS),
            origin=draw(st.sampled_from(["user", "assistant", "tool", "import"])),
            about=None if event is None else Interval(NOON + event, NOON + event + length),
            freshness=Freshness(max_age, validator, None if validator is None else "v1"),
        )
        sources = draw(st.sets(st.integers(0, place - 1), max_size=2)) if place else set[int]()
        steps.append((draw(HOURS), draft, tuple(sorted(sources))))
    return steps


def validate(chunk) -> str | None:
    match chunk.freshness.validator:
        case "same":
            return "v1"
        case "other":
            return "v2"
        case "broken":
            raise RuntimeError("the source is away")
        case _:
            return None


def replay(ledger: Ledger, home: Path, steps) -> tuple[MemoryStore, FrozenClock, list[str]]:
    """Live through a history as an owner of its own."""
    clock = FrozenClock(NOON)
    store = MemoryStore.open(
        home,
        owner=f"owner {next(owners)}",
        embedder=TinyEmbedder(),
        clock=clock,
        ledger=ledger,
        validator=validate,
    )
    ids: list[str] = []
    with ledger.write() as connection:
        for offset, draft, sources in steps:
            clock.now = NOON + offset
            made_from = tuple(ids[place] for place in sources)
            whole = Draft(
                kind=draft.kind,
                text=draft.text,
                subject=draft.subject,
                origin=draft.origin,
                about=draft.about,
                freshness=draft.freshness,
                derived_from=tuple(dict.fromkeys(made_from)),
            )
            ids += [chunk.id for chunk in store.remember([whole], joined=connection)]
    clock.now = NOON
    return store, clock, list(dict.fromkeys(ids))


@relaxed
@given(steps=histories())
def test_exactly_one_chunk_of_a_subject_is_the_current_one(ledger, tmp_path, steps):
    """Exactly one chunk of each subject is not superseded, and it is newest_first's first."""
    store, clock, ids = replay(ledger, tmp_path, steps)
    alone = [chunk for chunk in store.chunks() if not chunk.derived_from]
    judged = store.judge(ids)
    for subject in {chunk.subject for chunk in store.chunks()} - {None}:
        same = store.chunks(subject=subject)
        first = newest_first(same, clock.now)[0]
        for chunk in same:
            if chunk in alone:
                superseded = judged[chunk.id].verdict is Verdict.SUPERSEDED
                assert superseded == (chunk.id != first.id)
            elif chunk.id != first.id:
                assert judged[chunk.id].verdict is Verdict.SUPERSEDED


@relaxed
@given(steps=histories())
def test_nothing_outdated_is_presented_as_current(ledger, tmp_path, steps):
    """No expired, superseded or changed chunk, nor anything made from one, is called current."""
    store, clock, ids = replay(ledger, tmp_path, steps)
    before = {chunk.id: chunk for chunk in store.chunks()}
    judged = store.judge(ids)
    for chunk_id, judgement in judged.items():
        if not judgement.verdict.current:
            continue
        for source in before[chunk_id].derived_from:
            assert judged[source].verdict.current
        chunk = before[chunk_id]
        if chunk.subject is not None:
            same = [c for c in store.chunks(subject=chunk.subject) if c.created_at <= clock.now]
            assert newest_first(store.chunks(subject=chunk.subject), clock.now)[0].id == chunk_id
            if same and not holds(chunk, clock.now):
                assert not any(holds(each, clock.now) for each in same)
            if same and holds(chunk, clock.now) and not trusted(chunk):
                assert not any(trusted(each) and holds(each, clock.now) for each in same)
        if chunk.kind == "fact":
            end = ended_at(chunk)
            assert end is None or end > clock.now
        max_age = chunk.freshness.max_age
        if max_age is not None:
            age = clock.now - chunk.created_at
            seen = clock.now - chunk.checked_at
            within = any(timedelta(0) <= each < max_age for each in (age, seen))
            assert within or chunk.freshness.validator == "same"


@relaxed
@given(steps=histories())
def test_judging_twice_gives_the_same(ledger, tmp_path, steps):
    """Judging has no effect but to restart the clock of what was revalidated."""
    store, clock, ids = replay(ledger, tmp_path, steps)
    first, second = store.judge(ids), store.judge(ids)
    for chunk_id in ids:
        assert first[chunk_id].verdict.current == second[chunk_id].verdict.current
    for chunk in store.chunks():
        if first[chunk.id].verdict is Verdict.REVALIDATED and not chunk.derived_from:
            assert chunk.checked_at >= clock.now


@relaxed
@given(moments=st.lists(HOURS, min_size=2, max_size=30))
def test_ids_grow_in_the_order_of_storing_whatever_the_clock_does(ledger, tmp_path, moments):
    """A clock that goes back or stands still never breaks the order of ids; time lists them."""
    steps = [(at, Draft("note", f"note {n}"), ()) for n, at in enumerate(moments)]
    store, _, ids = replay(ledger, tmp_path, steps)
    assert ids == sorted(ids)
    listed = store.chunks()
    assert [(chunk.created_at, chunk.id) for chunk in listed] == sorted(
        (NOON + at, id_) for at, id_ in zip(moments, ids, strict=True)
    )


@settings(relaxed, max_examples=12)
@given(
    depth=st.integers(1, 60),
    hours=st.integers(0, 5),
)
def test_staleness_is_inherited_at_any_depth(ledger, tmp_path, depth, hours):
    """A chain of answers and summaries made from a tool result is as stale as the result."""
    steps = [
        (
            timedelta(0),
            Draft("tool_result", "7 left", origin="tool", freshness=Freshness(timedelta(hours=3))),
            (),
        )
    ]
    steps += [(timedelta(0), Draft("summary", f"level {n}"), (n,)) for n in range(depth)]
    store, clock, ids = replay(ledger, tmp_path, steps)
    clock.advance(timedelta(hours=hours))
    last = store.judge([ids[-1]])[ids[-1]]
    assert last.verdict is (Verdict.FRESH if hours < 3 else Verdict.STALE)
    if hours >= 3:
        assert last.as_of == NOON
