"""Verdicts over a real ledger: subjects, sources, validators, conflicts, clocks, history."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from memory_store import Chunk, Draft, Freshness, Interval, MemoryStore, Verdict
from memory_store.errors import InvalidInput, NotFound
from memory_store.judging import Case
from memory_store.testing import FrozenClock, TinyEmbedder

NOON = datetime(2026, 3, 2, 12, tzinfo=UTC)
HOUR, DAY = timedelta(hours=1), timedelta(days=1)


class Source:
    """The outside world: a version tag, or nothing when it cannot tell."""

    def __init__(self) -> None:
        self.tag: str | None = "v1"
        self.asked = 0

    def __call__(self, chunk: Chunk) -> str | None:
        self.asked += 1
        return self.tag


@pytest.fixture
def clock() -> FrozenClock:
    return FrozenClock(NOON)


@pytest.fixture
def source() -> Source:
    return Source()


@pytest.fixture
def store(tmp_path: Path, clock: FrozenClock, source: Source) -> Iterator[MemoryStore]:
    with MemoryStore.open(
        tmp_path, embedder=TinyEmbedder(), clock=clock, validator=source
    ) as store:
        yield store


def remember(store: MemoryStore, text: str, **fields) -> Chunk:
    kind = fields.pop("kind", "fact")
    return store.remember([Draft(kind, text, **fields)])[0]


def verdict(store: MemoryStore, chunk: Chunk) -> Verdict:
    return store.judge([chunk.id])[chunk.id].verdict


def stock(text: str, max_age: timedelta = HOUR, tag: str | None = "v1") -> Draft:
    call = 'get_stock(sku="42")'
    contract = Freshness(max_age, "get_stock" if tag else None, tag, call)
    return Draft("tool_result", text, subject=call, origin="tool", freshness=contract)


def test_an_aged_result_is_stale_and_names_the_call_that_renews_it(store, clock):
    """Within max_age fresh, from then on stale, with the call and the time it was true."""
    [chunk] = store.remember([stock("7 left", tag=None)])
    clock.advance(HOUR - timedelta(microseconds=1))
    assert verdict(store, chunk) is Verdict.FRESH
    clock.advance(timedelta(microseconds=1))
    judgement = store.judge([chunk.id])[chunk.id]
    assert judgement.verdict is Verdict.STALE
    assert judgement.call == 'get_stock(sku="42")'
    assert judgement.as_of == NOON


def test_an_unchanged_source_restarts_the_clock_durably(store, clock, source, tmp_path):
    """Revalidated once, a chunk is fresh for another max_age, also in the next process."""
    [chunk] = store.remember([stock("7 left")])
    clock.advance(2 * HOUR)
    assert verdict(store, chunk) is Verdict.REVALIDATED
    assert store.get(chunk.id).checked_at == clock.now
    clock.advance(HOUR / 2)
    asked = source.asked
    with MemoryStore.open(tmp_path, embedder=TinyEmbedder(), clock=clock) as again:
        assert verdict(again, chunk) is Verdict.FRESH
    assert source.asked == asked


@pytest.mark.parametrize(("tag", "expected"), [("v2", Verdict.CHANGED), (None, Verdict.STALE)])
def test_a_changed_or_silent_source_is_not_current(store, clock, source, tag, expected):
    """Another tag means changed; no answer means stale; neither restarts the clock."""
    [chunk] = store.remember([stock("7 left")])
    clock.advance(2 * HOUR)
    source.tag = tag
    assert verdict(store, chunk) is expected
    assert store.get(chunk.id).checked_at == NOON


def test_zero_max_age_is_asked_every_time(store, source):
    """What must always be revalidated is never simply fresh, not even at once."""
    [chunk] = store.remember([stock("7 left", timedelta(0))])
    assert [verdict(store, chunk) for _ in range(3)] == [Verdict.REVALIDATED] * 3
    assert source.asked == 3


def test_a_validator_that_fails_makes_stale(store, clock, source, monkeypatch):
    """An exception in a user's validator is no answer, and no crash."""
    [chunk] = store.remember([stock("7 left")])
    clock.advance(2 * HOUR)
    monkeypatch.setattr(Source, "__call__", lambda self, chunk: 1 / 0)
    assert verdict(store, chunk) is Verdict.STALE


def test_recall_asks_validators_only_of_what_it_returns(store, clock, source):
    """Of many aged results the ones beyond the limit, or without room, cost no question."""
    store.remember(
        [replace(stock(f"shelf {n} has 7 left"), subject=f"shelf {n}") for n in range(40)]
    )
    clock.advance(2 * HOUR)
    recall = store.recall("what is left on the shelf", limit=3, budget=100_000)
    assert [hit.verdict for hit in recall] == [Verdict.REVALIDATED] * 3
    assert source.asked == 3
    assert all("limit of 3" in one.reason for one in recall.dropped)
    assert not store.recall("what is left on the shelf", budget=0).hits
    assert source.asked == 3


def test_an_answer_is_returned_if_its_source_is_found_to_be_unchanged(store, clock, source):
    """Recalling what was made from an aged result asks the result's validator, and once."""
    [result] = store.remember([stock("7 left")])
    remember(store, "There are seven pieces.", kind="answer", origin="assistant",
             derived_from=(result.id,))  # fmt: skip
    clock.advance(2 * HOUR)
    recall = store.recall("How many pieces are there?", stale="drop", limit=1)
    assert [(hit.text, hit.verdict) for hit in recall] == [
        ("There are seven pieces.", Verdict.REVALIDATED)
    ]
    assert source.asked == 1
    assert store.get(result.id).checked_at == clock.now


def test_staleness_is_inherited_across_sessions_and_levels(store, clock):
    """Answer, fact and summary made from a result age with it, whatever session they are in."""
    [result] = store.remember([stock("7 left", tag=None)])
    answer = remember(store, "There are seven.", kind="answer", session="a",
                      origin="assistant", derived_from=(result.id,))  # fmt: skip
    fact = remember(store, "stock is seven", session="b", derived_from=(answer.id,))
    summary = remember(store, "They have seven.", kind="summary", session="c",
                       origin="assistant", derived_from=(fact.id, answer.id))  # fmt: skip
    made = [answer, fact, summary]
    assert [verdict(store, chunk) for chunk in made] == [Verdict.FRESH] * 3
    clock.advance(3 * DAY)
    judged = store.judge([chunk.id for chunk in made])
    for chunk in made:
        assert judged[chunk.id].verdict is Verdict.STALE
        assert judged[chunk.id].as_of == NOON
        assert judged[chunk.id].call == 'get_stock(sku="42")'
    store.remember([stock("0 left", tag=None)])
    assert [verdict(store, chunk) for chunk in made] == [Verdict.SUPERSEDED] * 3


def test_what_rests_on_a_revalidated_source_is_current(store, clock, source):
    """An answer made from a result whose source has not changed may be used."""
    [result] = store.remember([stock("7 left")])
    answer = remember(store, "Seven.", kind="answer", derived_from=(result.id,))
    clock.advance(DAY)
    assert verdict(store, answer).current
    clock.advance(DAY)
    source.tag = "v2"
    assert verdict(store, answer) is Verdict.CHANGED


def test_a_newer_value_supersedes_its_subject_and_no_neighbour(store, clock):
    """Porto supersedes Lisbon as the city; the job, and another's city, stay as they are."""
    city = remember(store, "Lisbon", subject="user.city")
    job = remember(store, "teacher", subject="user.job")
    sister = remember(store, "Lisbon", subject="sister.city")
    clock.advance(DAY)
    moved = remember(store, "Porto", subject="user.city")
    judged = store.judge([city.id, job.id, sister.id, moved.id])
    assert judged[city.id].verdict is Verdict.SUPERSEDED
    assert moved.id in judged[city.id].reason
    assert all(judged[chunk.id].verdict is Verdict.FRESH for chunk in (job, sister, moved))


def test_a_backfilled_old_statement_does_not_win(store, clock):
    """Event time decides: what was true in 2020 is history, however late it is recorded."""
    now = remember(store, "Porto", subject="user.city")
    clock.advance(DAY)
    then = datetime(2020, 1, 1, tzinfo=UTC)
    old = remember(store, "Rome", subject="user.city", about=Interval(then, then + 365 * DAY))
    assert verdict(store, now) is Verdict.FRESH
    assert verdict(store, old) is Verdict.SUPERSEDED
    timeline = store.history("user.city")
    assert [(p.chunk.text, p.valid_from, p.valid_until) for p in timeline] == [
        ("Rome", then, then + 365 * DAY),
        ("Porto", NOON, None),
    ]


def test_a_fact_whose_interval_has_ended_is_history(store, clock):
    """It is current up to its end; after that it is out of date, though nothing newer is known."""
    end = NOON + 3 * DAY
    lone = remember(store, "Rome", subject="user.city", about=Interval(NOON - 30 * DAY, end))
    assert verdict(store, lone) is Verdict.FRESH
    assert store.history("user.city")[0].valid_until == end
    clock.advance(4 * DAY)
    judgement = store.judge([lone.id])[lone.id]
    assert judgement.verdict is Verdict.STALE
    assert judgement.as_of < end
    assert "until" in judgement.reason
    answer = remember(store, "You live in Rome.", kind="answer", derived_from=(lone.id,))
    assert verdict(store, answer) is Verdict.STALE


def test_what_has_ended_or_not_begun_takes_no_place(store, clock):
    """Told later, a past or a coming home leaves the present one current, whoever tells it."""
    now = remember(store, "Porto", subject="user.city")
    clock.advance(DAY)
    past = Interval(NOON - 900 * DAY, NOON - 90 * DAY)
    coming = Interval(NOON + 30 * DAY, NOON + 30 * DAY)
    old = remember(store, "Paris", subject="user.city", about=past)
    new = remember(store, "Rome", subject="user.city", about=coming)
    read = remember(store, "Nice", subject="user.city", about=past, origin="tool")
    judged = store.judge([now.id, old.id, new.id, read.id])
    assert [chunk for chunk in (now, old, new, read) if judged[chunk.id].verdict.current] == [now]
    assert not any(each.conflicts_with for each in judged.values())
    clock.advance(40 * DAY)
    assert verdict(store, new) is Verdict.FRESH
    assert verdict(store, now) is Verdict.SUPERSEDED
    spans = [(p.chunk.text, p.valid_until) for p in store.history("user.city")]
    assert spans == [
        ("Paris", past.end),
        ("Nice", past.end),
        ("Porto", coming.start),
        ("Rome", None),
    ]


def test_what_has_held_since_long_corrects_what_was_told_before(store, clock):
    """ "In Porto since 2019" reaches to when it was told, and no end of it is known."""
    remember(store, "Faro", subject="user.city")
    clock.advance(DAY)
    since = Interval(NOON - 2000 * DAY, clock.now)
    porto = remember(store, "Porto", subject="user.city", about=since)
    clock.advance(DAY)
    assert verdict(store, porto) is Verdict.FRESH
    assert [(p.chunk.text, p.valid_from, p.valid_until) for p in store.history("user.city")] == [
        ("Porto", since.start, None),
        ("Faro", NOON, NOON),
    ]


@pytest.mark.parametrize("origin", ["tool", "import", "assistant"])
def test_what_a_page_says_does_not_silently_supersede_the_user(store, clock, origin):
    """The user's word stays current; that a newer text says otherwise is shown on both."""
    said = remember(store, "Lisbon", subject="user.city")
    clock.advance(DAY)
    read = remember(store, "Porto", subject="user.city", origin=origin)
    judged = store.judge([said.id, read.id])
    assert judged[said.id].verdict is Verdict.FRESH
    assert judged[said.id].conflicts_with == (read.id,)
    assert judged[read.id].verdict is Verdict.SUPERSEDED
    assert judged[read.id].conflicts_with == (said.id,)
    assert store.stats().conflicts == 2
    [hit] = store.recall("Lisbon")
    assert (hit.chunk, hit.against) == (said, (read,))
    clock.advance(DAY)
    settled = remember(store, "Porto", subject="user.city")
    judged = store.judge([said.id, read.id, settled.id])
    assert judged[settled.id].verdict is Verdict.FRESH
    assert not any(judgement.conflicts_with for judgement in judged.values())


def test_a_page_that_agrees_or_is_older_is_no_conflict(store, clock):
    """The same value on another authority, or one from before, contradicts nothing."""
    remember(store, "Porto", subject="user.city", origin="tool")
    clock.advance(DAY)
    said = remember(store, "Lisbon", subject="user.city")
    assert store.judge([said.id])[said.id].conflicts_with == ()
    clock.advance(DAY)
    remember(store, "Lisbon", subject="user.city", origin="tool")
    assert store.judge([said.id])[said.id].conflicts_with == ()
    assert verdict(store, said) is Verdict.FRESH


def test_a_chunk_from_the_future_is_never_newer(store, clock):
    """Told with a later clock, a value is not yet known; if it ages, it is stale."""
    now = remember(store, "Lisbon", subject="user.city")
    clock.now = NOON + 10 * DAY
    later = remember(store, "Porto", subject="user.city")
    [result] = store.remember([stock("7 left", tag=None)])
    clock.now = NOON + DAY
    assert verdict(store, now) is Verdict.FRESH
    assert verdict(store, later) is Verdict.SUPERSEDED
    assert verdict(store, result) is Verdict.STALE
    clock.now = NOON + 11 * DAY
    assert verdict(store, later) is Verdict.FRESH


def test_a_check_under_a_later_clock_says_nothing_about_now(store, clock):
    """Revalidated with --now in the future, a chunk is judged by its own age today."""
    [chunk] = store.remember([stock("7 left")])
    clock.now = NOON + 10 * DAY
    assert verdict(store, chunk) is Verdict.REVALIDATED
    clock.now = NOON + HOUR / 2
    assert verdict(store, chunk) is Verdict.FRESH


def test_at_equal_times_the_later_stored_is_current(store):
    """Two values recorded in one instant are ordered by id."""
    first, second = store.remember(
        [Draft("fact", "Lisbon", subject="city"), Draft("fact", "Porto", subject="city")]
    )
    assert (verdict(store, first), verdict(store, second)) == (
        Verdict.SUPERSEDED,
        Verdict.FRESH,
    )


def test_a_clock_that_goes_back_keeps_the_order_of_storing(store, clock):
    """Ids grow although the clock went back, and the earlier time is the older value."""
    first = remember(store, "Lisbon", subject="city")
    clock.advance(-DAY)
    second = remember(store, "Porto", subject="city")
    assert second.id > first.id
    clock.now = NOON
    assert verdict(store, first) is Verdict.FRESH
    assert verdict(store, second) is Verdict.SUPERSEDED


def test_what_was_said_again_beats_what_was_told_in_between_and_stored_late(store, clock):
    """Porto, Porto again, then a statement from between the two: the confirmation is newer."""
    porto = Draft("fact", "My city is Porto.", subject="user.city")
    for _ in range(2):
        [first] = store.remember([porto])
        clock.advance(5 * DAY)
    late = remember(store, "My city is Faro.", subject="user.city", created_at=clock.now - 8 * DAY)
    assert (verdict(store, first), verdict(store, late)) == (Verdict.FRESH, Verdict.SUPERSEDED)
    assert [period.chunk.id for period in store.history("user.city")] == [first.id, late.id]


def made(store: MemoryStore, clock: FrozenClock, sources: dict[str, str]) -> Case:
    """Chunks by their letter, each made from others; those that end in ! are stale."""
    template = remember(store, "template", kind="answer")
    contract = Freshness(HOUR)
    chunks = {
        name.rstrip("!"): replace(
            template,
            id=name.rstrip("!"),
            derived_from=tuple(made_from.split()),
            freshness=contract if name.endswith("!") else Freshness(),
        )
        for name, made_from in sources.items()
    }
    return Case(clock.now + DAY, chunks, {})


def test_a_circle_of_sources_takes_the_strictest_verdict_in_it(store, clock):
    """No chunk of it is called fresh because it was looked at first."""
    judged = made(store, clock, {"a": "b c", "b": "a", "c!": "", "d": "b", "e": ""}).judge()
    assert [name for name, each in judged.items() if each.verdict is Verdict.STALE] == [*"abcd"]
    assert judged["e"].verdict is Verdict.FRESH


def test_a_long_line_of_sources_is_judged_to_its_end(store, clock):
    """However many answers were made from one another, in whatever order their ids are."""
    line = {f"{n:04}": f"{n + 1:04}" for n in range(3000)}
    judged = made(store, clock, {**line, "3000!": ""}).judge()
    assert {each.verdict for each in judged.values()} == {Verdict.STALE}


def test_history_of_an_unknown_subject_says_so(store):
    """A subject of which nothing is stored is named."""
    with pytest.raises(NotFound, match=r"user\.dog"):
        store.history("user.dog")


def test_history_keeps_two_authorities_apart(store, clock):
    """What a tool said does not end what the user said, nor the other way round."""
    remember(store, "Lisbon", subject="city")
    clock.advance(DAY)
    remember(store, "Faro", subject="city", origin="tool")
    clock.advance(DAY)
    remember(store, "Porto", subject="city")
    spans = [(p.chunk.text, p.valid_until) for p in store.history("city")]
    assert spans == [("Lisbon", NOON + 2 * DAY), ("Faro", None), ("Porto", None)]


def test_stats_and_verify_count_the_verdicts(store, clock, source):
    """Fresh, stale and superseded are counted alike, without asking a validator."""
    remember(store, "Lisbon", subject="city")
    clock.advance(DAY)
    remember(store, "Porto", subject="city")
    remember(store, "a note", kind="note")
    [result] = store.remember([stock("7 left")])
    remember(store, "seven", kind="answer", derived_from=(result.id,))
    clock.advance(DAY)
    expected = {"fresh": 2, "superseded": 1, "stale": 2}
    assert store.stats().verdicts == expected
    assert store.verify().verdicts == expected
    assert source.asked == 0


def test_a_naive_clock_is_refused(tmp_path: Path):
    """A clock without a zone cannot say when anything was."""
    naive = datetime(2026, 3, 2)  # noqa: DTZ001
    store = MemoryStore.open(tmp_path, clock=lambda: naive)
    with pytest.raises(InvalidInput, match="clock's time"):
        store.remember([Draft("note", "x")])
    store.close()


def test_a_negative_max_age_is_refused():
    """A contract that could never be kept is named."""
    with pytest.raises(InvalidInput, match="negative"):
        Freshness(-HOUR)
