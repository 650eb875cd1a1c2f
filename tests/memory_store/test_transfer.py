"""Export and import: exact, nothing twice, and a broken file changes nothing and says where."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from memory_store import Draft, Freshness, Interval, MemoryStore
from memory_store.errors import ImportRefused, InvalidInput, NotFound, StorageFull
from memory_store.testing import FrozenClock, TinyEmbedder

NOON = datetime(2026, 3, 2, 12, 0, 0, 123457, tzinfo=UTC)
DAY = timedelta(days=1)


def opened(home: Path, owner: str = "me") -> MemoryStore:
    return MemoryStore.open(home, owner=owner, embedder=TinyEmbedder(), clock=FrozenClock(NOON))


def lived_in(store: MemoryStore) -> None:
    """A memory with everything that a chunk can have."""
    source = store.remember(
        [
            Draft("tool_result", "还剩 7 件\0🙂\n", session="s", turn="t", step=2, subject="stock",
                  origin="tool", freshness=Freshness(DAY / 7, "v", "tag", "stock()")),
            Draft("note", "a long one. " * 200),
            Draft("fact", "Lisbon", subject="city", about=Interval(NOON - DAY, NOON),
                  created_at=NOON - DAY),
        ]
    )  # fmt: skip
    store.remember([Draft("answer", "seven", derived_from=tuple(c.id for c in source[:2]))])
    store.remember([Draft("note", "twice", session="a"), Draft("note", "twice", session="b")])


def test_a_round_trip_is_exact(tmp_path: Path):
    """Into an empty home, every chunk comes back equal, in order, with its copies' places."""
    with opened(tmp_path / "one") as one, opened(tmp_path / "two") as two:
        lived_in(one)
        assert one.export(tmp_path / "all.jsonl").chunks == 5
        assert two.import_(tmp_path / "all.jsonl").chunks == 5
        assert two.chunks() == one.chunks()
        for session in ("a", "b", "s"):
            assert two.chunks(session=session) == one.chunks(session=session)
        two.export(tmp_path / "again.jsonl")
        first = (tmp_path / "all.jsonl").read_text(encoding="utf-8").splitlines()[1:]
        assert len(first) == len((tmp_path / "again.jsonl").read_text("utf-8").splitlines()[1:])
        ids = [chunk.id for chunk in one.chunks()]
        assert one.judge(ids) == two.judge(ids)
        two.catch_up()
        assert two.verify().ok
        new = two.remember([Draft("note", "later")])[0]
        assert new.id > max(ids)


def test_importing_twice_stores_once(tmp_path: Path):
    """What is here already is counted as known, and left as it is."""
    with opened(tmp_path / "one") as one:
        lived_in(one)
        before = one.chunks()
        one.export(tmp_path / "all.jsonl")
        done = one.import_(tmp_path / "all.jsonl")
        assert (done.chunks, done.known) == (0, 5)
        assert one.chunks() == before
        assert one.verify().ok


def test_a_text_that_is_here_under_another_id_is_counted_and_not_doubled(tmp_path: Path):
    """Where it was said is taken in once; what was made from it is made from the one here."""
    file = tmp_path / "all.jsonl"
    with opened(tmp_path / "one") as one:
        said = one.remember([Draft("note", "I am allergic to peanuts.", session="there")])[0]
        fact = one.remember([Draft("fact", "peanuts", derived_from=(said.id,))])[0]
        one.remember([Draft("answer", "No peanuts.", derived_from=(fact.id, said.id))])
        one.export(file)
    with opened(tmp_path / "two") as two:
        mine = two.remember([Draft("note", "I am allergic to peanuts.", session="here")])[0]
        made = two.remember([Draft("fact", "peanuts", derived_from=(mine.id,))])[0]
        done = two.import_(file)
        assert (done.chunks, done.known) == (1, 2)
        note, peanuts, answer = two.chunks()
        assert (note.id, note.copies, peanuts.id, peanuts.copies) == (mine.id, 2, made.id, 2)
        assert answer.derived_from == (made.id, mine.id)
        assert two.chunks(session="there") == [note]
        again = two.import_(file)
        assert (again.chunks, again.known) == (0, 3)
        assert two.chunks() == [note, peanuts, answer]
        assert two.verify().ok
        two.forget(session="there")
        two.import_(file)
        assert two.chunks(session="there") == []
        two.forget(ids=[mine.id])
        assert two.import_(file).forgotten == 3
        assert two.chunks() == []


def test_going_back_to_an_older_value_is_no_duplicate(tmp_path: Path):
    """Porto here and Porto in the file are two statements if Lisbon was said in between."""

    def city(name: str, day: int) -> Draft:
        return Draft("fact", name, subject="city", created_at=NOON + day * DAY)

    file = tmp_path / "all.jsonl"
    with opened(tmp_path / "one") as one:
        one.remember([city("Porto", 1)])
        one.remember([city("Rome", 5), city("Rome", 6)])
        one.export(file)
    with opened(tmp_path / "two") as two:
        two.remember([city("Lisbon", 2), city("Porto", 3), city("Rome", 4)])
        two.import_(file)
        told = [(period.chunk.text, period.chunk.copies) for period in two.history("city")]
        assert told == [("Porto", 1), ("Lisbon", 1), ("Porto", 1), ("Rome", 3)]


def test_an_owner_takes_in_anothers_file_as_its_own(tmp_path: Path):
    """The chunks become the importing owner's; where they exist as another's, it is refused."""
    with opened(tmp_path / "one", "ann") as ann:
        lived_in(ann)
        ann.export(tmp_path / "all.jsonl")
    with opened(tmp_path / "two", "bob") as bob:
        bob.import_(tmp_path / "all.jsonl")
        assert {chunk.scope.owner for chunk in bob.chunks()} == {"bob"}
    with opened(tmp_path / "one", "bob") as bob:
        with pytest.raises(ImportRefused, match="line 2"):
            bob.import_(tmp_path / "all.jsonl")
        assert bob.chunks() == []


def change(field: str, value: object) -> Callable[[list[str]], None]:
    """A change of one field of the third line."""

    def apply(lines: list[str]) -> None:
        data = json.loads(lines[2])
        data[field] = value
        lines[2] = json.dumps(data)

    return apply


def drop(field: str) -> Callable[[list[str]], None]:
    def apply(lines: list[str]) -> None:
        data = json.loads(lines[2])
        del data[field]
        lines[2] = json.dumps(data)

    return apply


def circle(lines: list[str]) -> None:
    """Make the second and the fourth chunk of each other."""
    second, fourth = json.loads(lines[2]), json.loads(lines[4])
    change("derived_from", [fourth["id"]])(lines)
    lines[4] = json.dumps({**fourth, "derived_from": [second["id"]]})


BROKEN: list[tuple[Callable[[list[str]], object], str]] = [
    (lambda lines: lines.__setitem__(2, lines[2][:-9]), "line 3: not JSON"),
    (lambda lines: lines.__setitem__(2, "[1]"), "line 3: not a JSON object"),
    (lambda lines: lines.__setitem__(2, lines[1]), "line 3: chunk .* stands on line 2"),
    (lambda lines: lines.pop(), "line 1: it announces 5 chunks, but the file holds 4"),
    (lambda lines: lines.pop(0), "line 1: not an export"),
    (lambda lines: lines.__setitem__(0, '{"format": "memory-store", "version": 9}'), "version 9"),
    (drop("text"), "line 3: text is missing"),
    (change("kind", "gossip"), "line 3: kind 'gossip'"),
    (change("kind", ["note"]), "line 3: kind"),
    (change("text", ""), "line 3: text is empty"),
    (change("text", 7), "line 3"),
    (change("text", "half \ud800"), "line 3: not JSON"),
    (change("created_at", "2026-03-02T12:00:00"), "line 3: created_at .* no time zone"),
    (change("checked_at", "2026-03-02T12:00:00"), "line 3"),
    (change("created_at", "yesterday"), "line 3"),
    (change("about", ["2026-03-02T12:00:00+00:00"]), "line 3"),
    (change("max_age", -1), "line 3: max_age -1"),
    (change("max_age", "long"), "line 3"),
    (change("id", "../../etc"), "line 3: id .* is not a chunk id"),
    (change("said", []), "line 3"),
    (change("said", [[1, "s"]]), "line 3"),
    (change("session", 5), "line 3"),
    (change("derived_from", None), "line 3"),
    (change("checked_at", "9999-12-31T23:59:59-12:00"), "line 3: checked_at .* years 1 to 9999"),
    (change("id", "7" + "Z" * 25), "line 3: id .* is not a chunk id"),
    (change("session", None), "line 3: session None"),
    (change("turn", None), "line 3: turn None"),
    (change("step", 2**70), "line 3: step"),
    (change("step", True), "line 3: step"),
    (change("step", 1.7), "line 3: step"),
    (change("tokens", 2**70), "line 3: tokens"),
    (change("copies", 2**70), "line 3: copies"),
    (change("said", [[1, "s", "", 0, 10**30]]), "line 3: not JSON|line 3: said.0.4"),
    (change("said", [[1, "s", "", 0, 2**62]]), "line 3: said.0.4"),
    (change("said", [[1, "s", "", 2**70, 0]]), "line 3: said.0.3"),
    (change("said", [[1, None, None, 0, 0]]), "line 3: said.0.1 None"),
    (change("said", [[1, "\ud800", "", 0, 0]]), "line 3: not JSON"),
    (change("derived_from", [None]), "line 3: derived_from.0 None"),
    (change("derived_from", [{}]), "line 3: derived_from.0 {}"),
    (change("derived_from", "abc"), "line 3: derived_from 'abc'"),
    (change("derived_from", ["abc"]), "line 3: derived_from 'abc' is not a chunk id"),
    (change("tag", {}), "line 3: tag {}"),
    (change("call", []), r"line 3: call \[\]"),
    (change("max_age", True), "line 3: max_age True"),
    (change("max_age", float("nan")), "line 3: max_age"),
    (change("max_age", 1e300), "line 3: max_age"),
    (lambda lines: lines.__setitem__(2, "[" * 200_000), "line 3: not JSON"),
    (lambda lines: lines.__setitem__(0, lines[0].replace('"version": 1', '"version": true')),
     "line 1: version True"),
    (circle, "line 3: the chunk was made from itself"),
    (lambda lines: lines.clear(), "is empty"),
]  # fmt: skip


@pytest.mark.parametrize(("spoil", "message"), BROKEN)
def test_a_broken_file_names_its_line_and_changes_nothing(tmp_path: Path, spoil, message: str):
    """Whatever is wrong on whichever line, the error says which, and nothing is taken in."""
    file = tmp_path / "all.jsonl"
    with opened(tmp_path / "one") as one:
        lived_in(one)
        one.export(file)
    lines = file.read_text(encoding="utf-8").splitlines()
    spoil(lines)
    file.write_text("\n".join(lines), encoding="utf-8")
    with opened(tmp_path / "two") as two:
        two.remember([Draft("note", "mine")])
        with pytest.raises(ImportRefused, match=message):
            two.import_(file)
        assert [chunk.text for chunk in two.chunks()] == ["mine"]
        assert two.verify().ok


def test_an_id_that_means_something_else_here_is_refused(tmp_path: Path):
    """The same id with another text is named with its line."""
    file = tmp_path / "all.jsonl"
    with opened(tmp_path / "one") as one:
        lived_in(one)
        one.export(file)
        lines = file.read_text(encoding="utf-8").splitlines()
        change("text", "something else")(lines)
        file.write_text("\n".join(lines), encoding="utf-8")
        with pytest.raises(ImportRefused, match=r"line 3: chunk .* says otherwise"):
            one.import_(file)


def test_binary_and_missing_files_are_named(tmp_path: Path):
    """A file that is no text, and one that is not there, are said to be so."""
    (tmp_path / "noise").write_bytes(bytes(range(256)) * 9)
    with opened(tmp_path / "home") as store:
        with pytest.raises(ImportRefused, match="line 1: not JSON"):
            store.import_(tmp_path / "noise")
        with pytest.raises(NotFound, match="nowhere"):
            store.import_(tmp_path / "nowhere")
        with pytest.raises(StorageFull, match="cannot be written"):
            store.export(tmp_path / "no folder" / "all.jsonl")


def test_an_export_replaces_a_file_as_a_whole(tmp_path: Path):
    """The file is the old one or the new one, and no partial file is left beside it."""
    file = tmp_path / "all.jsonl"
    file.write_text("old")
    with opened(tmp_path / "home") as store:
        store.remember([Draft("note", "new")])
        store.export(file)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["all.jsonl", "home"]
    assert json.loads(file.read_text(encoding="utf-8").splitlines()[0])["chunks"] == 1


def test_a_chunk_made_from_itself_by_way_of_what_is_here_is_refused(tmp_path: Path):
    """The circle is found also where half of it came with an earlier file."""
    file = tmp_path / "all.jsonl"
    with opened(tmp_path / "one") as one:
        first = one.remember([Draft("note", "first")])[0]
        one.remember([Draft("note", "second", derived_from=(first.id,))])
        one.export(file)
    head, line, other = map(json.loads, file.read_text(encoding="utf-8").splitlines())
    head["chunks"] = 1
    line["derived_from"] = [other["id"]]
    with opened(tmp_path / "two") as two:
        file.write_text("\n".join(map(json.dumps, (head, other))), encoding="utf-8")
        two.import_(file)
        file.write_text("\n".join(map(json.dumps, (head, line))), encoding="utf-8")
        with pytest.raises(ImportRefused, match="line 2: the chunk was made from itself"):
            two.import_(file)
        assert [chunk.text for chunk in two.chunks()] == ["second"]


def test_an_export_from_before_a_sessions_forgetting_is_taken_in(tmp_path: Path):
    """A chunk that lost its first copy since is still the same one, and gets no copy back."""
    file = tmp_path / "all.jsonl"
    with opened(tmp_path / "one") as one:
        said = Draft("note", "Hello there")
        one.remember([replace(said, session="a", created_at=NOON - DAY)])
        one.remember([replace(said, session="b"), Draft("note", "other", session="b")])
        one.export(file)
        one.forget(session="a")
        left = one.chunks()
        done = one.import_(file)
        assert (done.chunks, done.known) == (0, 2)
        assert one.chunks() == left
        assert one.chunks(session="a") == []


def test_a_listing_goes_by_time_also_after_an_older_file_came(tmp_path: Path):
    """The newest so many are the newest said, not the last stored."""
    file = tmp_path / "old.jsonl"
    with opened(tmp_path / "one") as one:
        one.remember([Draft("note", f"old {n}", created_at=NOON - DAY) for n in range(3)])
        one.export(file)
    with opened(tmp_path / "two") as two:
        two.remember([Draft("note", f"new {n}") for n in range(3)])
        two.import_(file)
        assert [chunk.text for chunk in two.chunks(limit=3)] == ["new 0", "new 1", "new 2"]
        assert [chunk.text[:3] for chunk in two.chunks()] == ["old"] * 3 + ["new"] * 3


def test_an_export_goes_through_a_link_and_into_a_pipe(tmp_path: Path):
    """A link stays one and what it leads to is written; a pipe is written to and stays."""
    pipe, link, file = tmp_path / "pipe", tmp_path / "link", tmp_path / "all.jsonl"
    os.mkfifo(pipe)
    with opened(tmp_path / "home") as store:
        store.remember([Draft("note", "new")])
        for place in (file, pipe):
            link.unlink(missing_ok=True)
            link.symlink_to(place)
            with ThreadPoolExecutor() as threads:
                read = threads.submit(place.read_text, "utf-8") if place == pipe else None
                store.export(link)
                told = read.result(10) if read else place.read_text("utf-8")
            assert json.loads(told.splitlines()[1])["text"] == "new"
            assert link.is_symlink()
        assert pipe.is_fifo()
        partial = f".export-{os.getpid()}.partial"
        assert not (tmp_path / partial).exists()


@pytest.mark.parametrize("length", [250, 300])
def test_a_long_file_name_is_taken_or_refused_by_name(tmp_path: Path, length: int):
    """What the file system allows is written; what it does not is the caller's mistake."""
    file = tmp_path / ("x" * length)
    with opened(tmp_path / "home") as store:
        if length < 255:
            assert store.export(file).chunks == 0
            assert file.exists()
        else:
            with pytest.raises(InvalidInput, match="too long"):
                store.export(file)
