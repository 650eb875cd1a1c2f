"""Storing: what goes in comes out, said again is counted, bad input is refused by name."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path

import pytest

from memory_store import Chunk, Draft, Freshness, Interval, MemoryStore, records
from memory_store.errors import InvalidInput, NotFound
from memory_store.testing import FrozenClock, TinyEmbedder

NOON = datetime(2026, 3, 2, 12, tzinfo=UTC)
DAY = timedelta(days=1)
HOUR = timedelta(hours=1)


@pytest.fixture
def clock() -> FrozenClock:
    return FrozenClock(NOON)


@pytest.fixture
def store(tmp_path: Path, clock: FrozenClock) -> Iterator[MemoryStore]:
    with MemoryStore.open(tmp_path / "home", embedder=TinyEmbedder(), clock=clock) as store:
        yield store


def test_every_field_comes_back_as_it_was_given(store: MemoryStore):
    """A chunk read back equals the draft, in every field, with its times in UTC."""
    china = timezone(timedelta(hours=8))
    source = store.remember([Draft("note", "seven on the shelf")])[0]
    draft = Draft(
        "tool_result",
        "还剩 7 件 🙂 \u202eשלום",
        session="s1",
        turn="t1",
        step=3,
        created_at=datetime(2026, 3, 2, 9, 30, 0, 123456, tzinfo=china),
        about=Interval(datetime(2026, 3, 1, tzinfo=china), datetime(2026, 3, 2, tzinfo=china)),
        subject='get_stock(sku="42")',
        freshness=Freshness(timedelta(hours=1), "get_stock", "v1", 'get_stock(sku="42")'),
        origin="tool",
        derived_from=(source.id,),
    )
    chunk = store.get(store.remember([draft])[0].id)
    for name in ("kind", "text", "about", "subject", "freshness", "origin", "derived_from"):
        assert getattr(chunk, name) == getattr(draft, name)
    assert (chunk.scope.session, chunk.scope.turn, chunk.scope.step) == ("s1", "t1", 3)
    assert chunk.created_at == draft.created_at
    assert chunk.created_at.tzinfo is UTC


def test_what_is_said_again_is_stored_once_and_counted(store: MemoryStore, clock: FrozenClock):
    """The same words, in one call or later or elsewhere, are one chunk with more copies."""
    first, second = store.remember([Draft("note", "tea at four"), Draft("note", "tea at four")])
    clock.advance(DAY)
    third = store.remember([Draft("note", "tea at four", session="other")])[0]
    assert first.id == second.id == third.id
    assert third.copies == 3
    assert store.stats().chunks == 1
    assert [chunk.id for chunk in store.chunks(session="other")] == [first.id]
    assert store.chunks(within=Interval(NOON + DAY, NOON + 2 * DAY)) == [third]


@pytest.mark.parametrize(
    "change",
    [
        {"kind": "fact"},
        {"text": "Tea at four"},
        {"subject": "tea"},
        {"origin": "tool"},
        {"freshness": Freshness(DAY)},
        {"about": Interval(NOON, NOON + DAY)},
    ],
)
def test_what_differs_in_anything_is_not_a_copy(store: MemoryStore, change: dict):
    """Another kind, text, subject, origin, contract or time spoken of is another chunk."""
    draft = Draft("note", "tea at four")
    store.remember([draft, replace(draft, **change)])
    assert store.stats().chunks == 2


def test_a_source_that_says_the_same_again_restarts_the_clock(store, clock):
    """A tool's equal answer is one chunk, fresh again from when it was last given."""
    draft = Draft("tool_result", "7 left", subject="stock", origin="tool", freshness=Freshness(DAY))
    old = store.remember([draft])[0]
    clock.advance(2 * DAY)
    assert not store.judge([old.id])[old.id].verdict.current
    new = store.remember([draft])[0]
    assert new.id == old.id
    assert new.checked_at == clock.now
    assert store.judge([old.id])[old.id].verdict.current


def test_a_repetition_takes_over_the_version_of_its_source(store: MemoryStore, clock: FrozenClock):
    """The tag read last is what the validator's answer is compared with."""
    draft = Draft("tool_result", "7 left", subject="stock", origin="tool")
    for tag in ("v1", "v2"):
        clock.advance(DAY)
        contract = Freshness(DAY, validator="get_stock", tag=tag)
        chunk = store.remember([replace(draft, freshness=contract)])[0]
    assert (chunk.freshness.tag, chunk.copies) == ("v2", 2)


def test_going_back_to_an_older_value_is_news(store: MemoryStore, clock: FrozenClock):
    """Lisbon, Porto, Lisbon are three chunks, and the last one is current."""
    ids = []
    for city in ("Lisbon", "Porto", "Lisbon"):
        clock.advance(DAY)
        ids.append(store.remember([Draft("fact", city, subject="user.city")])[0].id)
    assert len(set(ids)) == 3
    judged = store.judge(ids)
    assert [judged[id_].verdict.current for id_ in ids] == [False, False, True]


def test_chunks_of_another_owner_are_never_seen(tmp_path: Path):
    """Nothing that one owner calls returns, counts or forgets another owner's chunk."""
    with (
        MemoryStore.open(tmp_path, owner="ann", embedder=TinyEmbedder()) as ann,
        MemoryStore.open(tmp_path, owner="bob", embedder=TinyEmbedder()) as bob,
    ):
        secret = ann.remember([Draft("fact", "the safe is 4711", subject="safe", session="s")])[0]
        same = bob.remember([Draft("fact", "the safe is 4711", subject="safe", session="s")])[0]
        assert secret.id != same.id
        bob.forget(ids=[secret.id, same.id])
        assert bob.chunks() == []
        assert bob.judge([secret.id]) == {}
        with pytest.raises(NotFound):
            bob.get(secret.id)
        assert bob.recall("the safe is 4711").hits == ()
        assert ann.get(secret.id) == secret
        assert [hit.chunk.id for hit in ann.recall("the safe is 4711")] == [secret.id]


@pytest.mark.parametrize(
    ("draft", "part"),
    [
        (Draft("note", ""), "text is empty"),
        (Draft("note", " \n\t　"), "text is empty"),
        (Draft("gossip", "x"), "kind 'gossip'"),  # pyright: ignore
        (Draft("note", "x", origin="moon"), "origin 'moon'"),  # pyright: ignore
        (Draft("note", "x", created_at=datetime(2026, 3, 2)), "no time zone"),  # noqa: DTZ001
        (Draft("note", "half \ud800 pair"), "lone surrogate at character 5"),
        (Draft("note", "a", derived_from=("\ud800",)), "derived_from holds a lone surrogate"),
        (Draft("note", "a", derived_from=(7,)), "derived_from 7 is a int; give str"),  # pyright: ignore
        (Draft("note", "a", derived_from="abc"), "derived_from 'abc' is a str"),  # pyright: ignore
        (Draft("note", None), "text None is a NoneType; give str"),  # pyright: ignore
        (Draft("note", b"bytes"), "text b'bytes' is a bytes; give str"),  # pyright: ignore
        (Draft("note", "a", step="x"), "step 'x' is a str; give int"),  # pyright: ignore
        (Draft("note", "a", subject=7), "subject 7 is a int"),  # pyright: ignore
        (Draft("note", "a", created_at="today"), "created_at 'today' is a str"),  # pyright: ignore
        ("just text", "'just text' is a str; give a Draft"),
        (Draft("note", "x", subject=" "), "subject is blank"),
        (Draft("note", "x" * 4_000_001), "4,000,001 characters"),
    ],
)
def test_bad_input_is_refused_by_name_and_nothing_of_its_batch_is_stored(store, draft, part):
    """The error names what was wrong; the good drafts beside it are not half stored."""
    with pytest.raises(InvalidInput, match=part):
        store.remember([Draft("note", "good"), draft])
    assert store.chunks() == []


@pytest.mark.parametrize("given", [Draft("note", "alone"), None, 7])
def test_what_is_no_list_of_drafts_is_refused(store: MemoryStore, given: object):
    """One draft alone, or nothing, is an understandable slip."""
    with pytest.raises(InvalidInput, match="give a list of Draft"):
        store.remember(given)  # pyright: ignore


def test_drafts_may_come_one_by_one(store: MemoryStore):
    """Whatever can be walked through once is taken in whole."""
    chunks = store.remember(Draft("note", f"number {n}") for n in range(3))
    assert [chunk.text for chunk in chunks] == ["number 0", "number 1", "number 2"]


def test_a_home_may_be_named_by_a_string(tmp_path: Path):
    """As every notebook does."""
    with MemoryStore.open(str(tmp_path / "home"), embedder=TinyEmbedder()) as store:
        store.remember([Draft("note", "here")])
        store.export(str(tmp_path / "out.jsonl"))
    with MemoryStore.open(str(tmp_path / "other"), embedder=TinyEmbedder()) as other:
        assert other.import_(str(tmp_path / "out.jsonl")).chunks == 1


def test_one_id_alone_is_no_list_of_ids(store: MemoryStore):
    """Its letters would be looked for one by one, and nothing done without a word."""
    [chunk] = store.remember([Draft("note", "here")])
    for refused in (store.judge, lambda id_: store.forget(ids=id_)):
        with pytest.raises(InvalidInput, match="is one text; give a list"):
            refused(chunk.id)


@pytest.mark.parametrize(
    "made",
    [
        lambda: Freshness(timedelta.max),
        lambda: Interval(datetime.min.replace(tzinfo=timezone(12 * DAY / 24)), NOON),
    ],
)
def test_what_no_ledger_could_count_is_refused(made):
    """Times out of range are said to be so."""
    with pytest.raises(InvalidInput, match=r"too long|no time of the years"):
        made()


@pytest.mark.parametrize(
    "asked",
    [
        lambda store: store.get("\ud800"),
        lambda store: store.history("\ud800"),
        lambda store: store.chunks(session="\ud800"),
    ],
)
def test_half_a_character_is_refused_wherever_it_is_asked_for(store: MemoryStore, asked):
    """What no text can hold is said to be none; it never reaches the database."""
    store.remember([Draft("note", "here")])
    with pytest.raises(InvalidInput, match="lone surrogate"):
        asked(store)


@pytest.mark.parametrize(
    "text",
    [
        "a\0b",
        "🙂👩‍👩‍👧",
        "שלום \u202eabc\u202c",
        "naïve\u0301",
        "line\r\nline\u2028end",
        "'; DROP TABLE chunks; --",
    ],
)
def test_odd_text_is_stored_faithfully_and_found(store: MemoryStore, text: str):
    """NUL bytes, emoji, right-to-left text and SQL come back byte for byte, and can be found."""
    chunk = store.remember([Draft("note", text)])[0]
    assert store.get(chunk.id).text == text
    store.catch_up()
    assert store.verify().ok
    vector = store.embedder.embed([text])[0]
    assert store.dense.search(vector, 1)[0][1] > 0.99


@pytest.mark.long
def test_a_megabyte_of_text_is_one_chunk_with_many_passages(store: MemoryStore):
    """A long text stays whole, and its last passage is found as well as its first."""
    text = " ".join(f"word{n}" for n in range(110_000))
    chunk = store.remember([Draft("note", text)])[0]
    assert store.get(chunk.id).text == text
    stats = store.stats()
    assert (stats.chunks, stats.unembedded) == (1, 0)
    assert stats.passages > 1000
    assert any(hit.chunk.id == chunk.id for hit in store.recall("word109999", budget=500))


def test_a_draft_joined_to_a_transaction_is_undone_with_it(store: MemoryStore):
    """What is remembered within a caller's transaction exists if and only if that commits."""

    def fail() -> None:
        with store.ledger.write() as connection:
            store.remember([Draft("note", "never")], joined=connection)
            raise RuntimeError

    with pytest.raises(RuntimeError):
        fail()
    with store.ledger.write() as connection:
        store.remember([Draft("note", "kept")], joined=connection)
    assert [chunk.text for chunk in store.chunks()] == ["kept"]


def test_what_recall_brought_is_not_stored_again(store: MemoryStore):
    """A note or tool result that says what was recalled is no new memory; the user's words are."""
    long = store.remember([Draft("note", "The greenhouse key hangs behind the blue door.")])[0]
    assert store.recall("greenhouse key").hits
    told = long.text.replace(" ", "\n ")
    again = store.remember([Draft("tool_result", told, origin="tool")])[0]
    assert again == store.get(long.id)
    assert again.copies == 1
    said = store.remember([Draft("question", told)])[0]
    assert said.id != long.id


def test_what_recall_brought_is_known_in_other_processes_too(tmp_path: Path):
    """After reopening the same text of a tool is no news either."""
    text = "The greenhouse key hangs behind the blue door."
    with MemoryStore.open(tmp_path, embedder=TinyEmbedder()) as store:
        [known] = store.remember([Draft("note", text)])
        assert store.recall("greenhouse key").hits
        store.remember([Draft("question", "Where is it?")])
    with MemoryStore.open(tmp_path, embedder=TinyEmbedder()) as store:
        [again] = store.remember([Draft("tool_result", text, origin="tool")])
        assert again.id == known.id
        store.forget(ids=[known.id])
        assert store.remember([Draft("note", text, origin="tool")])[0].id != known.id


ALGEBRA = "I have six hours a week for linear algebra."
NEWS = [
    Draft("fact", ALGEBRA, subject="user.hours"),
    Draft("fact", ALGEBRA),
    Draft("note", f"No longer true: {ALGEBRA}"),
    Draft("note", f"[no longer true] {ALGEBRA}"),
    Draft("note", f"1. {ALGEBRA}"),
    Draft("summary", f"The user said: {ALGEBRA}"),
    Draft("note", ALGEBRA, about=Interval(NOON, NOON + HOUR)),
    Draft("tool_result", ALGEBRA, freshness=Freshness(max_age=HOUR)),
    Draft("tool_result", ALGEBRA, freshness=Freshness(call="hours()")),
]


@pytest.mark.parametrize("origin", ["assistant", "tool", "import"])
@pytest.mark.parametrize("news", NEWS)
def test_what_says_more_than_what_was_recalled_is_news(store: MemoryStore, news: Draft, origin):
    """Another subject, time or kind of claim, or words put before it, make it another memory."""
    known = store.remember([Draft("note", ALGEBRA)])[0]
    assert store.recall("linear algebra").hits
    stored = store.remember([replace(news, origin=origin)])[0]
    assert stored.id != known.id
    assert (stored.text, stored.subject, stored.about) == (news.text, news.subject, news.about)


def test_an_answer_made_of_an_equal_one_is_said_again(store: MemoryStore):
    """It is counted, with the sources of the first; one that has another source is new."""
    key, door = store.remember([Draft("note", "a key"), Draft("note", "a door")])

    def answer(*sources: str) -> Chunk:
        draft = Draft("answer", "By the door.", derived_from=sources, origin="assistant")
        return store.remember([draft])[0]

    first = answer(key.id)
    again = answer(first.id, key.id)
    assert (again.id, again.copies, again.derived_from) == (first.id, 2, (key.id,))
    assert answer(first.id).id == first.id
    assert answer(first.id, door.id).id != first.id


def test_of_another_subject_recalled_words_are_another_observation(store: MemoryStore):
    """Two sources that say the same are two, and so is what quotes the first."""

    def result(text: str, subject: str) -> Chunk:
        return store.remember([Draft("tool_result", text, subject=subject, origin="tool")])[0]

    first = result("All lamps are burning.", "lamps(1)")
    assert store.recall("Are the lamps burning?").hits
    assert result("All lamps are burning.", "lamps(2)").id != first.id
    assert result("Noted: All lamps are burning.", "notes()").id != first.id
    assert result("None of the lamps burns.", "lamps(2)").id != first.id
    assert store.recall("Are the lamps burning?").hits
    assert result("All lamps are burning.", "lamps(2)").id != first.id


def test_a_new_observation_in_recalled_words_is_stored(store: MemoryStore, clock: FrozenClock):
    """A tool that says today what recall brought from an older result is heard."""

    def result(text: str) -> Draft:
        return Draft("tool_result", text, subject="stock", origin="tool", freshness=Freshness(DAY))

    old = store.remember([result("there are seven left of it")])[0]
    store.recall("how many are left")
    store.remember([result("there are none left of it")])
    clock.advance(DAY)
    new = store.remember([result("there are seven left of it")])[0]
    assert new.id != old.id
    assert store.judge([new.id])[new.id].verdict.current


def test_listing_keeps_to_every_condition_and_the_newest(store: MemoryStore, clock: FrozenClock):
    """Kind, session, turn, subject and time narrow; limit keeps the newest, oldest first."""
    for n in range(6):
        clock.advance(DAY)
        kind = "question" if n % 2 else "note"
        store.remember([Draft(kind, f"text {n}", session=f"s{n // 3}", turn=f"t{n}")])
    assert [c.text for c in store.chunks(limit=2)] == ["text 4", "text 5"]
    assert [c.text for c in store.chunks(kind="question")] == ["text 1", "text 3", "text 5"]
    assert [c.text for c in store.chunks(session="s0", turn="t1")] == ["text 1"]
    within = Interval(NOON + 2 * DAY, NOON + 4 * DAY)
    assert [c.text for c in store.chunks(within=within)] == ["text 1", "text 2"]


def test_an_unknown_id_is_named(store: MemoryStore):
    """Asking for a chunk that does not exist says which."""
    with pytest.raises(NotFound, match="no-such-id"):
        store.get("no-such-id")


def test_what_was_said_together_is_beside_each_other(store: MemoryStore):
    """A turn's chunks are beside each other, also of one asked again."""
    turns = [
        Draft("question", "how many?", session="s", turn="1"),
        Draft("tool_result", "7 left", session="s", turn="1", step=1, origin="tool"),
        Draft("answer", "seven", session="s", turn="1", step=2, origin="assistant"),
        Draft("question", "how many?", session="s", turn="2"),
        Draft("answer", "none", session="s", turn="2", origin="assistant"),
        Draft("note", "one", session="loose"),
        Draft("note", "two", session="loose"),
        Draft("note", "three", session="loose"),
        Draft("note", "alone"),
    ]
    question, result, seven, again, none, one, two, three, alone = store.remember(turns)
    assert question.id == again.id
    with store.ledger.read() as connection:
        found = records.beside(connection, "me", [question.id, seven.id, two.id, alone.id])
        others = records.beside(connection, "somebody", [question.id])
    assert found[question.id] == [(result.id, 1), (seven.id, 2), (none.id, 1)]
    assert found[seven.id] == [(question.id, -2), (result.id, -1)]
    assert found[two.id] == [(one.id, -1), (three.id, 1)]
    assert alone.id not in found
    assert others == {}


@pytest.mark.parametrize("conditions", [{"kind": "gossip"}, {"limit": -1}])
def test_a_listing_that_makes_no_sense_is_refused(store: MemoryStore, conditions: dict):
    """An unknown kind or a negative limit is named."""
    with pytest.raises(InvalidInput, match=r"gossip|negative"):
        store.chunks(**conditions)
