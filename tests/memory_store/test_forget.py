"""Forgetting reaches everything that was made from a chunk, and every byte of every file."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from sqlalchemy import text

from memory_store import Draft, Freshness, Interval, MemoryStore
from memory_store.errors import InvalidInput
from memory_store.store import LEDGER_FILE
from memory_store.testing import FrozenClock, TinyEmbedder
from memory_store.tombstones import read_tombstones

NOON = datetime(2026, 3, 2, 12, tzinfo=UTC)
HOUR = timedelta(hours=1)
SECRET = "the parrot's passport is ZX-99817 and nobody else may ever know it"
ROOMS = ("data_level0.bin", "length.bin")
MARKS = ("ZX-99817", "zx-99817", "parrot", "鹦鹉护照")


@pytest.fixture
def clock() -> FrozenClock:
    return FrozenClock(NOON)


@pytest.fixture
def store(tmp_path: Path, clock: FrozenClock) -> Iterator[MemoryStore]:
    home = tmp_path / "home"
    with MemoryStore.open(home, embedder=TinyEmbedder(), clock=clock) as store:
        yield store


def files_that_hold(home: Path, *marks: str) -> list[str]:
    """Which files of the home hold any of the marks, in UTF-8 or UTF-16."""
    wanted = [mark.encode(code) for mark in marks for code in ("utf-8", "utf-16-le")]
    return [
        f"{path.relative_to(home)}: {mark!r}"
        for path in home.rglob("*")
        if path.is_file()
        for mark in wanted
        if mark in path.read_bytes()
    ]


def test_no_byte_of_what_was_forgotten_is_left(store: MemoryStore):
    """After forget, the text, its words and its vector are in no file of the home."""
    store.remember([Draft("note", f"filler number {n} about gardens") for n in range(300)])
    secret = store.remember([Draft("note", SECRET), Draft("note", "鹦鹉护照号码很长")])
    store.catch_up()
    vectors = [store.embedder.embed([chunk.text])[0].tobytes() for chunk in secret]
    assert files_that_hold(store.home, *MARKS)
    done = store.forget(ids=[chunk.id for chunk in secret])
    assert done.erased
    assert files_that_hold(store.home, *MARKS) == []
    for path in store.home.rglob("*"):
        if path.is_file():
            assert all(vector not in path.read_bytes() for vector in vectors)
    assert store.verify().ok
    assert store.stats().chunks == 300
    assert store.stats().pending == 0


def test_unused_room_of_the_index_holds_nothing_of_the_memory_of_the_process(store: MemoryStore):
    """hnswlib writes the slots of a new index uncleared; what stood there goes to no file."""
    store.remember([Draft("note", "roses")])
    store.catch_up()
    rooms = [path for name in ROOMS for path in store.home.rglob(name)]
    for path in rooms:
        path.write_bytes(b"parrot" * (path.stat().st_size // 6))
    store.remember([Draft("note", "tulips")])
    store.catch_up()
    assert len(rooms) == len(ROOMS)
    assert files_that_hold(store.home, "parrot") == []


def test_no_byte_is_left_after_the_process_has_ended_too(store: MemoryStore, tmp_path: Path):
    """Closing and opening again brings nothing back, on disk or in recall."""
    store.remember([Draft("note", SECRET), Draft("note", "roses")])
    store.forget(query="passport")
    store.close()
    assert files_that_hold(store.home, *MARKS) == []
    with MemoryStore.open(store.home, embedder=TinyEmbedder()) as again:
        assert [hit.chunk.text for hit in again.recall("parrot passport roses")] == ["roses"]


def test_what_was_made_from_it_goes_with_it(store: MemoryStore):
    """Answers, facts and summaries go at any depth, the turn's answer and quotations too."""
    question = store.remember([Draft("question", SECRET, session="s", turn="t")])[0]
    answer = store.remember(
        [Draft("answer", "Noted, ZX-99817.", session="s", turn="t", origin="assistant")]
    )[0]
    fact = store.remember([Draft("fact", "parrot: ZX-99817", derived_from=(question.id,))])[0]
    summary = store.remember([Draft("summary", "They have a parrot.", derived_from=(fact.id,))])[0]
    quote = store.remember([Draft("note", f"I told you: {SECRET}!", session="other")])[0]
    other = store.remember([Draft("answer", "Hello.", session="s", turn="u")])[0]
    done = store.forget(ids=[question.id])
    assert [chunk.id for chunk in done.chunks] == [question.id]
    assert {chunk.id for chunk in done.derived} == {answer.id, fact.id, summary.id, quote.id}
    assert [chunk.id for chunk in store.chunks()] == [other.id]
    assert files_that_hold(store.home, *MARKS) == []


def test_a_dry_run_tells_the_same_and_removes_nothing(store: MemoryStore):
    """What a dry run lists is what is then forgotten."""
    source = store.remember([Draft("note", SECRET)])[0]
    store.remember([Draft("answer", "about a parrot", derived_from=(source.id,))])
    before = store.chunks()
    planned = store.forget(query="PASSPORT parrot's", dry_run=True)
    assert store.chunks() == before
    assert not planned.erased
    done = store.forget(query="PASSPORT parrot's")
    assert (planned.chunks, planned.derived) == (done.chunks, done.derived)
    assert store.chunks() == []


def test_conditions_narrow_each_other(store: MemoryStore):
    """By subject, session, query and time: only what fits all of them goes."""
    rows = [
        Draft("fact", f"value {n}", subject=f"slot.{n % 2}", session=f"s{n % 3}",
              created_at=NOON + timedelta(days=n))
        for n in range(6)
    ]  # fmt: skip
    store.remember(rows)
    gone = store.forget(subject="slot.0", session="s0", dry_run=True)
    assert [chunk.text for chunk in gone.chunks] == ["value 0"]
    week = Interval(NOON + timedelta(days=3), NOON + timedelta(days=5))
    assert [c.text for c in store.forget(within=week).chunks] == ["value 3", "value 4"]
    assert [c.text for c in store.forget(subject="slot.1").chunks] == ["value 1", "value 5"]
    assert [c.text for c in store.forget(session="s2").chunks] == ["value 2"]
    assert [c.text for c in store.forget(query="VALUE").chunks] == ["value 0"]


def test_a_copy_elsewhere_survives_a_sessions_forgetting(store: MemoryStore):
    """What was also said in another session stays, without the copy that went."""
    store.remember([Draft("note", "good morning", session="a", turn="1")])
    store.remember([Draft("note", "good morning", session="b", turn="2")])
    done = store.forget(session="a")
    assert done.chunks == ()
    [left] = store.chunks()
    assert done.kept == (left.id,)
    assert (left.scope.session, left.scope.turn, left.copies) == ("b", "2", 1)
    assert store.chunks(session="a") == []


def test_a_time_takes_only_what_was_said_then(store: MemoryStore, clock: FrozenClock):
    """The original of a repetition stays, and so does a repetition of the original."""
    said = Draft("note", "I am allergic to peanuts", subject="user.allergy")
    store.remember([said])
    clock.advance(timedelta(days=60))
    store.remember([said, Draft("note", "the parrot sleeps")])
    done = store.forget(within=Interval(clock.now - HOUR, clock.now + HOUR))
    [left] = store.chunks()
    assert (left.created_at, left.copies, done.kept) == (NOON, 1, (left.id,))
    assert [chunk.text for chunk in done.chunks] == ["the parrot sleeps"]
    clock.advance(timedelta(days=60))
    store.remember([said])
    assert store.forget(within=Interval(NOON, NOON + HOUR)).kept == (left.id,)
    [left] = store.chunks()
    assert left.created_at == clock.now
    assert [period.valid_from for period in store.history("user.allergy")] == [clock.now]
    assert store.forget(subject="user.allergy").chunks == (left,)


@pytest.mark.parametrize("how", ["ids", "query"])
def test_a_shared_answer_loses_the_copy_of_the_forgotten_turn(store: MemoryStore, how: str):
    """Of what two turns answered alike, the one that goes takes its own copy; whole goes a text."""
    asked = [("My locker code is 4711.", "1"), ("My dentist is on Friday.", "2")]
    for text_, turn in asked:
        store.remember(
            [
                Draft("question", text_, session="s", turn=turn),
                Draft("answer", "Noted.", session="s", turn=turn, origin="assistant"),
            ]
        )
    first, shared, _ = store.chunks()
    done = store.forget(ids=[first.id]) if how == "ids" else store.forget(query="locker")
    assert (done.chunks, done.derived, done.kept) == ((first,), (), (shared.id,))
    assert [chunk.text for chunk in store.chunks(turn="2")] == ["Noted.", asked[1][0]]
    assert store.chunks(turn="1") == []
    assert store.forget(ids=[shared.id]).chunks[0].text == "Noted."
    assert [chunk.text for chunk in store.chunks()] == [asked[1][0]]


def test_a_turn_goes_with_its_question(store: MemoryStore):
    """What its tools told goes too, where nobody else was told the same."""
    turn = {"session": "s", "turn": "1"}
    question, result, known = store.remember(
        [
            Draft("question", SECRET, **turn),
            Draft("tool_result", "It is ZX-99817.", origin="tool", subject="find()", **turn),
            Draft("tool_result", "It rains.", origin="tool", subject="rain()", **turn),
        ]
    )
    store.remember([Draft("tool_result", "It rains.", origin="tool", subject="rain()")])
    done = store.forget(ids=[question.id])
    assert ([chunk.id for chunk in done.derived], done.kept) == ([result.id], (known.id,))


def test_words_are_looked_for_in_a_results_call_too(store: MemoryStore):
    """What was asked of a tool stands in its call; no file holds that after the forgetting."""
    call = 'find(pet="parrot", passport="ZX-99817")'
    contract = Freshness(call=call)
    store.remember([Draft("tool_result", "found", origin="tool", subject=call, freshness=contract)])
    assert len(store.forget(query="zx-99817").chunks) == 1
    assert files_that_hold(store.home, *MARKS) == []


def test_a_copy_that_was_forgotten_does_not_come_back(store: MemoryStore, tmp_path: Path):
    """A ledger from before loses it again, and what is said elsewhere stays there."""
    said = [Draft("note", "good morning", session=name) for name in ("a", "b")]
    store.remember(said)
    store.ledger.compact()
    backup = tmp_path / "before"
    backup.mkdir()
    shutil.copy(store.home / LEDGER_FILE, backup)
    store.forget(session="a")
    with MemoryStore.open(backup, embedder=TinyEmbedder()) as before:
        assert before.bury(read_tombstones(store.home / LEDGER_FILE)) == 0
        assert [chunk.scope.session for chunk in before.chunks()] == ["b"]
        assert before.chunks(session="a") == []


def test_others_are_told_of_every_place(store: MemoryStore):
    """A callback gets each copy as it was said, with the number of those that are left."""
    told: list[tuple[str, str, int]] = []
    store.on_forget(lambda _, gone: told.extend((c.text, c.scope.turn, c.copies) for c in gone))
    for turn in ("1", "2", "3"):
        store.remember([Draft("note", "good morning", session=turn, turn=turn)])
    store.forget(session="1")
    store.forget(query="morning")
    assert told == [
        ("good morning", "1", 2),
        ("good morning", "2", 0),
        ("good morning", "3", 0),
    ]


TEXTS = (
    "I bought art for the wall",
    "Maria's birthday party is on 5 May",
    "My education: partly in Porto, at a CAFÉ",
    "I am 15 and live at 150 Main St",
    "鹦鹉护照号码很长",
    "护照和鹦鹉",
)


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("art", [0]),
        ("5", [1]),
        ("15", [3]),
        ("Party MAY", [1]),
        ("parties", [1]),
        ("maria", [1]),
        ("ｃａｆｅ", [2]),
        ("护照", [4, 5]),
        ("鹦鹉护照", [4]),
        ("鹦鹉 护照", [4, 5]),
        ("照号", [4]),
        ("port", []),
    ],
)
def test_a_query_is_looked_for_by_whole_words(store: MemoryStore, query: str, found: list[int]):
    """No part of a word or number is taken for it; Chinese is found as a run of characters."""
    store.remember([Draft("note", each) for each in TEXTS])
    planned = store.forget(query=query, dry_run=True)
    assert [chunk.text for chunk in planned.chunks] == [TEXTS[n] for n in found]


@pytest.mark.parametrize(
    "selection",
    [
        {},
        {"query": "  "},
        {"query": "?!"},
        {"session": ""},
        {"subject": ""},
        {"session": " ", "query": "precious"},
    ],
)
def test_forgetting_everything_by_mistake_is_refused(store: MemoryStore, selection: dict):
    """No condition, or an empty one as of an unset variable, is an error and not everything."""
    store.remember([Draft("note", "precious")])
    with pytest.raises(InvalidInput):
        store.forget(**selection)
    assert len(store.chunks()) == 1


def test_others_take_part_in_the_same_transaction(store: MemoryStore):
    """A callback removes what it keeps of the chunks; if it fails, nothing is forgotten."""
    chunk = store.remember([Draft("note", SECRET)])[0]
    with store.ledger.write() as connection:
        connection.execute(text("CREATE TABLE traces (chunk TEXT, said TEXT)"))
        connection.execute(text("INSERT INTO traces VALUES (:c, :t)"), {"c": chunk.id, "t": SECRET})

    def drop(connection, chunks):
        for gone in chunks:
            connection.execute(text("DELETE FROM traces WHERE chunk = :c"), {"c": gone.id})

    def fail(connection, chunks):
        raise RuntimeError("no")

    store.on_forget(drop)
    store.on_forget(fail)
    with pytest.raises(RuntimeError):
        store.forget(ids=[chunk.id])
    assert store.get(chunk.id) == chunk
    store._on_forget.remove(fail)  # pyright: ignore[reportPrivateUsage]
    store.forget(ids=[chunk.id])
    assert files_that_hold(store.home, *MARKS) == []


def test_an_import_does_not_bring_the_forgotten_back(store: MemoryStore, tmp_path: Path):
    """A file exported before the forgetting gives back everything else."""
    kept, gone = store.remember([Draft("note", "roses"), Draft("note", SECRET)])
    store.remember([Draft("fact", "it has a parrot", derived_from=(gone.id,))])
    store.export(tmp_path / "before.jsonl")
    store.forget(ids=[gone.id])
    store.forget(ids=[kept.id])
    done = store.import_(tmp_path / "before.jsonl")
    assert (done.chunks, done.forgotten) == (0, 3)
    assert store.chunks() == []
    said_again = store.remember([Draft("note", "roses")])[0]
    assert store.get(said_again.id).text == "roses"


def killed_while_forgetting(store: MemoryStore, monkeypatch: pytest.MonkeyPatch) -> MemoryStore:
    """The store as the next process finds it after one was killed before it could erase."""
    store.remember([Draft("note", SECRET), Draft("note", "roses")])
    store.catch_up()

    def die(*_: object, **__: object) -> bool:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr("memory_store.store.erase", die)
        with pytest.raises(KeyboardInterrupt):
            store.forget(query="passport")
    store._index.close()  # pyright: ignore[reportPrivateUsage]
    store.ledger.close()
    assert files_that_hold(store.home, *MARKS)
    return MemoryStore.open(store.home, embedder=TinyEmbedder())


@pytest.mark.parametrize("step", ["verify", "forget", "catch_up", "remember", "recall", "stats"])
def test_what_a_killed_process_forgot_is_erased_by_the_next(
    store: MemoryStore, monkeypatch: pytest.MonkeyPatch, step: str
):
    """Whatever the next process does, no byte is left when it ends; until then verify says so."""
    with killed_while_forgetting(store, monkeypatch) as again:
        [problem] = again.verify().problems
        assert "forgotten" in problem
        if step == "forget":
            assert again.forget(query="passport").erased
            assert again.verify().ok
        elif step == "remember":
            again.remember([Draft("note", "tulips")])
        elif step == "recall":
            again.recall("roses")
        else:
            getattr(again, step)()
        if step not in ("verify", "stats"):
            assert again.verify().ok
            assert files_that_hold(store.home, *MARKS) == []
    assert files_that_hold(store.home, *MARKS) == []


def test_what_is_made_from_the_forgotten_does_not_bring_it_back(store: MemoryStore):
    """An answer under way when its source is forgotten is not stored, nor what follows from it."""
    source = store.remember([Draft("note", SECRET)])[0]
    other = store.remember([Draft("note", "roses")])[0]
    store.forget(ids=[source.id])
    sources = (other.id, source.id)
    drafts = [
        Draft("answer", "It is ZX-99817.", origin="assistant", derived_from=sources),
        Draft("note", "tulips"),
    ]
    answer, tulips = store.remember(drafts)
    assert (answer.text, answer.copies, tulips.copies) == ("It is ZX-99817.", 0, 1)
    fact = store.remember([Draft("fact", "a parrot", derived_from=(answer.id,))])[0]
    assert fact.copies == 0
    assert [chunk.text for chunk in store.chunks()] == ["roses", "tulips"]
    assert files_that_hold(store.home, *MARKS) == []
    assert store.verify().ok


def test_a_question_asked_twice_goes_with_both_answers(store: MemoryStore):
    """The answers of every turn that asked it are forgotten, of one session only its own."""
    for turn, told in (("1", "Your PIN is 4711."), ("2", "As I said, it is 4711.")):
        store.remember(
            [
                Draft("question", "What is my PIN?", session=turn, turn=turn),
                Draft("answer", told, session=turn, turn=turn, origin="assistant"),
            ]
        )
    question = store.chunks(kind="question")[0]
    one = store.forget(session="1", dry_run=True)
    assert ([chunk.text for chunk in one.chunks], one.kept) == (
        ["Your PIN is 4711."],
        (question.id,),
    )
    assert len(store.forget(ids=[question.id]).derived) == 2
    assert store.chunks() == []
