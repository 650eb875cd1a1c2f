"""Backups are sound while the ledger is in use; a restore never brings the forgotten back."""

from __future__ import annotations

import signal
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from threading import Thread

import pytest

from assistant.app import App
from assistant.errors import UserError
from assistant.jobs.backup import Backups
from assistant.settings import Settings
from memory_store import Draft
from memory_store.errors import LedgerDamaged
from memory_store.store import MemoryStore
from memory_store.testing import FrozenClock, TinyEmbedder

NOW = datetime(2026, 5, 20, 12, 30, tzinfo=UTC)


class Home:
    """A home with its memory and its backups, as the app wires them, with a tiny embedder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        folder.mkdir()
        self.clock = FrozenClock(NOW)
        self.backups = Backups(folder, clock=self.clock, bury=self.bury)

    @contextmanager
    def store(self, owner: str = "me", folder: Path | None = None) -> Iterator[MemoryStore]:
        """The memory, open."""
        home = folder or self.folder
        with MemoryStore.open(
            home, owner=owner, embedder=TinyEmbedder(), clock=self.clock
        ) as store:
            yield store

    def bury(self, folder: Path, tombstones: object) -> int:
        """Forget in a copy, for both owners."""
        count = 0
        for owner in ("me", "you"):
            with self.store(owner, folder) as store:
                count += store.bury(tombstones)  # type: ignore[arg-type]
        return count

    def texts(self, owner: str = "me") -> list[str]:
        """What the owner's memory holds."""
        with self.store(owner) as store:
            return [chunk.text for chunk in store.chunks()]

    def remember(self, *texts: str, owner: str = "me") -> None:
        """Store notes."""
        with self.store(owner) as store:
            store.remember([Draft("note", text) for text in texts])


@pytest.fixture
def place(tmp_path: Path) -> Home:
    """An empty home."""
    return Home(tmp_path / "place")


def test_restores_what_was_there(place: Home) -> None:
    """A restore brings back the memories of the backup, and recall finds them; later ones go."""
    place.remember("the zebra lives in Lisbon", "tea at four")
    made = place.backups.make()
    place.clock.advance(timedelta(days=1))
    place.remember("a later thought about bicycles")
    done = place.backups.restore(made)
    assert done.made_at == NOW
    assert place.texts() == ["the zebra lives in Lisbon", "tea at four"]
    with place.store() as store:
        assert store.recall("where does the zebra live?").hits[0].text.endswith("Lisbon")
        assert all("bicycles" not in hit.text for hit in store.recall("bicycles").hits)


def test_what_was_forgotten_stays_forgotten(place: Home) -> None:
    """What was forgotten after the backup is not brought back, for any owner."""
    place.remember("the zebra lives in Lisbon", "tea at four")
    place.remember("another's walrus", "another's tea", owner="you")
    made = place.backups.make()
    with place.store() as store:
        store.forget(query="zebra")
    with place.store("you") as store:
        store.forget(query="walrus")
    done = place.backups.restore(made)
    assert done.forgotten == 2
    assert place.texts() == ["tea at four"]
    assert place.texts("you") == ["another's tea"]
    bytes_ = place.folder.joinpath("ledger.db").read_bytes()
    assert b"zebra" not in bytes_
    assert b"walrus" not in bytes_


def test_the_forgotten_stays_forgotten_through_two_restores(place: Home) -> None:
    """Restoring an older backup after a newer one does not lose the tombstones."""
    place.remember("the zebra lives in Lisbon", "tea at four")
    first = place.backups.make()
    with place.store() as store:
        store.forget(query="zebra")
    place.clock.advance(timedelta(days=1))
    second = place.backups.make()
    place.backups.restore(second)
    place.clock.advance(timedelta(days=1))
    place.backups.restore(first)
    assert place.texts() == ["tea at four"]


def test_the_forgotten_is_erased_from_older_backups(place: Home) -> None:
    """After the promised cleanup no file of the home holds a byte of what was forgotten."""
    place.remember("the zebra lives in Lisbon", "tea at four")
    made = place.backups.make()
    place.backups.restore(made)  # leaves a replaced ledger too
    with place.store() as store:
        store.forget(query="zebra")
    assert place.backups.erase_forgotten() == 2
    assert place.backups.erase_forgotten() == 0
    files = [path for path in place.folder.rglob("*") if path.is_file()]
    assert len(files) > 3
    assert [path for path in files if b"zebra" in path.read_bytes()] == []
    place.backups.restore(made)
    assert place.texts() == ["tea at four"]


def test_what_a_restore_replaces_is_kept(place: Home) -> None:
    """The ledger that is replaced is kept, and can be restored in turn."""
    place.remember("old")
    made = place.backups.make()
    place.remember("new")
    done = place.backups.restore(made)
    assert place.texts() == ["old"]
    assert done.replaced is not None
    place.backups.restore(done.replaced)
    assert place.texts() == ["old", "new"]


def test_other_parts_see_the_restored_ledger_at_their_next_step(place: Home) -> None:
    """A store that was open during the restore goes on with what was restored."""
    place.remember("the zebra lives in Lisbon")
    made = place.backups.make()
    with place.store() as store:
        store.remember([Draft("note", "a thought about bicycles")])
        assert store.recall("bicycles").hits
        place.backups.restore(made)
        assert [chunk.text for chunk in store.chunks()] == ["the zebra lives in Lisbon"]
        store.remember([Draft("note", "tea at four")])
        found = [hit.text for hit in store.recall("the zebra or tea or bicycles").hits]
        assert any("zebra" in text for text in found)
        assert not any("bicycles" in text for text in found)
    assert len(place.texts()) == 2


def test_a_damaged_ledger_is_moved_aside_not_overwritten(place: Home) -> None:
    """Where the ledger is damaged, a restore keeps it as it is under another name."""
    place.remember("the zebra lives in Lisbon")
    made = place.backups.make()
    ledger = place.folder / "ledger.db"
    damaged = b"not a database at all" * 100
    for suffix in ("-wal", "-shm"):
        ledger.with_name(ledger.name + suffix).unlink(missing_ok=True)
    ledger.write_bytes(damaged)
    with pytest.raises(LedgerDamaged):
        place.texts()
    done = place.backups.restore(made)
    assert done.replaced is not None
    assert done.replaced.read_bytes() == damaged
    assert place.texts() == ["the zebra lives in Lisbon"]


def test_a_lost_ledger_is_restored(place: Home, tmp_path: Path) -> None:
    """A backup restores into an empty home, on another machine too."""
    place.remember("the zebra lives in Lisbon")
    made = place.backups.make()
    elsewhere = Home(tmp_path / "elsewhere")
    elsewhere.backups.restore(made)
    assert elsewhere.texts() == ["the zebra lives in Lisbon"]


def test_refuses_what_is_no_backup(place: Home, tmp_path: Path) -> None:
    """A missing, foreign, cut or damaged file is refused, and the ledger stays as it is."""
    place.remember("keep me " * 200)
    made = place.backups.make()
    data = made.read_bytes()
    foreign = tmp_path / "foreign.db"
    with sqlite3.connect(foreign) as connection:
        connection.execute("CREATE TABLE t (x)")
    cut = tmp_path / "cut.db"
    cut.write_bytes(data[: len(data) // 2])
    broken = tmp_path / "broken.db"
    broken.write_bytes(data[:4096] + b"\xff" * 4096 + data[8192:])
    words = tmp_path / "words.txt"
    words.write_text("hello")
    for file in (tmp_path / "missing.db", foreign, cut, broken, words, tmp_path):
        with pytest.raises(UserError, match=file.name):
            place.backups.restore(file)
    assert len(place.texts()) == 1


def test_backs_up_while_the_ledger_is_written(place: Home) -> None:
    """A backup made during writes is sound and holds what was acknowledged before it began."""
    place.remember("first")
    stop = False

    def write() -> None:
        with place.store() as store:
            for number in range(200):
                if stop:
                    break
                store.remember([Draft("note", f"number {number}")])

    writer = Thread(target=write)
    writer.start()
    made = place.backups.make()
    stop = True
    writer.join()
    place.backups.restore(made)
    assert "first" in place.texts()


def test_rotates(place: Home) -> None:
    """The latest seven backups are kept, and the newest of each of the last four weeks."""
    place.remember("x")
    for _ in range(60):
        place.clock.advance(timedelta(days=1))
        place.backups.make()
    kept = [path.name[7:17] for path in place.backups.list()]
    days = [datetime.fromisoformat(name).replace(tzinfo=UTC) for name in kept]
    assert len(kept) == 10
    assert [(place.clock.now.date() - day.date()).days for day in days[:7]] == list(range(7))
    assert len({day.isocalendar().week for day in days}) == 4
    assert list(place.backups.folder.glob("work-*")) == []


RESTORER = """
import os, signal, sys
from pathlib import Path
from datetime import datetime, UTC
from assistant.jobs import backup
from memory_store.store import MemoryStore
from memory_store.testing import TinyEmbedder

home, file, at = Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3]
copies = 0
plain = backup.copy

def copy(source, target):
    global copies
    copies += 1
    if at == f"before copy {copies}":
        os.kill(os.getpid(), signal.SIGKILL)
    plain(source, target)
    if at == f"after copy {copies}":
        os.kill(os.getpid(), signal.SIGKILL)

def bury(folder, tombstones):
    with MemoryStore.open(folder, embedder=TinyEmbedder()) as store:
        return store.bury(tombstones)

backup.copy = copy
backup.Backups(home, clock=lambda: datetime.now(UTC), bury=bury).restore(file)
"""


@pytest.mark.parametrize(
    "at", [f"{when} copy {n}" for n in (1, 2, 3) for when in ("before", "after")]
)
def test_a_crash_in_a_restore_leaves_one_or_the_other(place: Home, at: str) -> None:
    """Killed anywhere in a restore, the ledger is the old or the new one, whole."""
    place.remember("old", "forgotten since")
    made = place.backups.make()
    with place.store() as store:
        store.forget(query="forgotten")
        store.remember([Draft("note", "new")])
    done = subprocess.run(
        [sys.executable, "-c", RESTORER, str(place.folder), str(made), at],
        check=False,
        timeout=120,
    )
    assert done.returncode == -signal.SIGKILL
    assert place.texts() in (["old", "new"], ["old"])
    place.backups.restore(made)
    assert place.texts() == ["old"]


def test_the_app_restores_turns_without_the_forgotten(home: Path) -> None:
    """A restore through the app forgets again what hangs on the memories: turns and reminders."""
    clock = FrozenClock(NOW)
    settings = Settings.load(home)
    home.mkdir()
    with App.open(settings, clock=clock) as app:
        session = app.sessions.open("work")
        turn = app.sessions.start_turn(session, "my zebra is called Ada")
        chunk = app.store.remember(
            [Draft("question", turn.question, session=session.id, turn=turn.id)]
        )[0]
        app.sessions.link_question(turn, chunk.id)
        app.schedule.reminders.add("feed the zebra", "tomorrow", turn=turn.id)
        made = app.backups.make()
        app.store.forget(ids=[chunk.id])
    with App.open(settings, clock=clock) as app:
        done = app.backups.restore(made)
        assert done.forgotten == 1
        assert app.store.chunks() == []
        assert app.schedule.reminders.list(None) == []
        assert all("zebra" not in t.question for t in app.sessions.turns(session))
    assert b"zebra" not in (home / "ledger.db").read_bytes()
