"""Backups of the ledger: a sound copy each night, rotated; restored without what was forgotten."""

from __future__ import annotations

import shutil
import sqlite3
import tempfile
from collections.abc import Callable, Collection, Generator, Iterable
from contextlib import closing, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from assistant.errors import RunFailed, UserError, said_by
from assistant.phrases import phrase
from memory_store.protocols import Clock
from memory_store.tombstones import read_tombstones

LEDGER = "ledger.db"
FOLDER = "backups"
DAILY, WEEKLY, REPLACED = 7, 4, 3
"""So many latest and daily, and weekly, backups are kept, and of ledgers that were replaced."""
BUSY_SECONDS = 60
_NAME, _REPLACED, _TIME = "ledger-", "replaced-", "%Y-%m-%dT%H%M%SZ"

Bury = Callable[[Path, Collection[bytes]], int]
"""Forgets, in the ledger of a folder, what tombstones name; returns how many chunks."""


@dataclass(frozen=True, slots=True)
class Restored:
    """What a restore did.

    Attributes:
        made_at: when the backup was made, where its name says so.
        forgotten: how many chunks of it were forgotten again.
        replaced: where the ledger that stood there before is kept; None where there was none.
    """

    file: Path
    made_at: datetime | None
    forgotten: int
    replaced: Path | None


class Backups:
    """The backups of one home, in its folder `backups`."""

    def __init__(self, home: Path, *, clock: Clock, bury: Bury) -> None:
        """Take the home, and what forgets again in a copy of its ledger."""
        self.folder = home / FOLDER
        self._home = home
        self._ledger = home / LEDGER
        self._clock = clock
        self._bury = bury

    def list(self) -> list[Path]:
        """The nightly backups, the newest first."""
        return sorted(self.folder.glob(f"{_NAME}*.db"), reverse=True)

    def make(self, at: datetime | None = None) -> Path:
        """Back up the ledger while it is in use, and drop what rotation leaves no place for.

        Args:
            at: the time that names the backup; the same time replaces it.

        Raises:
            RunFailed: the copy is not sound; nothing was replaced.
        """
        return self._copy(_NAME, at or self._clock(), keep=_rotated)

    def erase_forgotten(self) -> int:
        """Forget in every backup what was forgotten since it was made; how many were rewritten."""
        tombstones = read_tombstones(self._ledger)
        rewritten = 0
        for backup in [*self.list(), *self._replaced()]:
            if tombstones <= read_tombstones(backup):
                continue
            with self._work_folder() as work:
                self._bury_in(backup, work, tombstones)
                _sound(work / LEDGER)
                (work / LEDGER).replace(backup)
            rewritten += 1
        return rewritten

    def restore(self, file: Path) -> Restored:
        """Put a backup in the ledger's place; what was forgotten since stays forgotten.

        The ledger that it replaces is kept as a backup of its own; a damaged one is moved aside
        as it is. Other processes of this home see the restored ledger at their next step.

        Raises:
            UserError: the file is no sound backup of a ledger; nothing was changed.
            RunFailed: the ledger is in use for too long; nothing was changed.
        """
        check_backup(file)
        kept = [self._ledger, *self.list(), *self._replaced()]
        tombstones = set[bytes]().union(*map(read_tombstones, kept))
        with self._work_folder() as work:
            forgotten = self._bury_in(file, work, tombstones)
            replaced = self._put_in_place(work / LEDGER)
        return Restored(file, _made_at(file), forgotten, replaced)

    def _bury_in(self, file: Path, work: Path, tombstones: Collection[bytes]) -> int:
        copy(file, work / LEDGER)
        forgotten = self._bury(work, tombstones)
        _settle(work / LEDGER)
        return forgotten

    def _put_in_place(self, new: Path) -> Path | None:
        if not self._ledger.exists():
            return self._move_aside(new)
        try:
            replaced = self._copy(_REPLACED, self._clock(), keep=lambda files: files[:REPLACED])
        except (sqlite3.DatabaseError, RunFailed) as error:
            if _busy(error):
                values = {"file": self._ledger, "problem": said_by(error)}
                raise RunFailed(phrase("jobs.in_use", **values)) from error
            return self._move_aside(new)
        # One transaction on the ledger itself: a crash leaves the old or the new, never a mix.
        copy(new, self._ledger)
        return replaced

    def _move_aside(self, new: Path) -> Path | None:
        """A damaged ledger, or the log of a lost one, is kept under another name."""
        aside = self._ledger.with_name(f"{LEDGER}.damaged-{self._clock().astimezone(UTC):{_TIME}}")
        for suffix in ("-wal", "-shm", ""):
            part = self._ledger.with_name(LEDGER + suffix)
            if part.exists():
                part.replace(aside.with_name(aside.name + suffix))
        new.replace(self._ledger)
        return aside if aside.exists() else None

    def _copy(
        self, prefix: str, at: datetime, *, keep: Callable[[list[Path]], Iterable[Path]]
    ) -> Path:
        self.folder.mkdir(mode=0o700, exist_ok=True)
        target = self.folder / f"{prefix}{at.astimezone(UTC):{_TIME}}.db"
        with self._work_folder() as work:
            copy(self._ledger, work / LEDGER)
            _settle(work / LEDGER)
            _sound(work / LEDGER)
            (work / LEDGER).replace(target)
        files = sorted(self.folder.glob(f"{prefix}*.db"), reverse=True)
        for file in set(files) - set(keep(files)):
            file.unlink()
        return target

    def _replaced(self) -> list[Path]:
        return sorted(self.folder.glob(f"{_REPLACED}*.db"), reverse=True)

    @contextmanager
    def _work_folder(self) -> Generator[Path]:
        """A folder on the home's own disk, so that a rename out of it is one step."""
        self.folder.mkdir(mode=0o700, exist_ok=True)
        for left in self.folder.glob("work-*"):  # of a process that died
            if left.stat().st_mtime < self._clock().timestamp() - 86400:
                shutil.rmtree(left, ignore_errors=True)
        work = Path(tempfile.mkdtemp(prefix="work-", dir=self.folder))
        try:
            yield work
        finally:
            shutil.rmtree(work, ignore_errors=True)


def copy(source: Path, target: Path) -> None:
    """Copy a database, also one in use, in one transaction on the target (SQLite's backup API)."""
    uri = f"{source.absolute().as_uri()}?mode=ro"
    with (
        closing(sqlite3.connect(uri, uri=True, timeout=BUSY_SECONDS)) as origin,
        closing(sqlite3.connect(target, timeout=BUSY_SECONDS)) as copied,
    ):
        copied.execute("PRAGMA synchronous = FULL")
        origin.backup(copied)
        copied.execute("PRAGMA wal_checkpoint(TRUNCATE)")


def check_backup(file: Path) -> None:
    """Make sure that a file is a sound ledger.

    Raises:
        UserError: it is missing, no database, damaged, or another program's.
    """
    hint = phrase("jobs.backups_hint")
    if not file.is_file():
        raise UserError(phrase("jobs.no_file", file=file), hint=hint)
    try:
        _sound(file)
        with closing(sqlite3.connect(f"{file.absolute().as_uri()}?mode=ro", uri=True)) as database:
            components = database.execute("SELECT component FROM migrations").fetchall()
    except (sqlite3.Error, RunFailed) as error:
        said = phrase("jobs.unsound", file=file, problem=said_by(error))
        raise UserError(said, hint=hint) from None
    if ("memory",) not in components:
        raise UserError(phrase("jobs.foreign", file=file), hint=hint)


def _settle(file: Path) -> None:
    """Make it one file again, without a log beside it."""
    with closing(sqlite3.connect(file)) as database:
        database.execute("PRAGMA journal_mode = DELETE")


def _sound(file: Path) -> None:
    with closing(sqlite3.connect(f"{file.absolute().as_uri()}?mode=ro", uri=True)) as database:
        found = str(database.execute("PRAGMA integrity_check(1)").fetchone()[0])
    if found != "ok":
        raise RunFailed(phrase("jobs.damaged", file=file, problem=found))


def _busy(error: Exception) -> bool:
    return "locked" in str(error) or "busy" in str(error)


def _made_at(file: Path) -> datetime | None:
    try:
        return datetime.strptime(file.stem.partition("-")[2], _TIME).replace(tzinfo=UTC)
    except ValueError:
        return None


def _rotated(newest_first: list[Path]) -> set[Path]:
    """The newest, the newest of each of the latest days, and of each of the latest weeks."""
    days: dict[str, Path] = {}
    weeks: dict[str, Path] = {}
    for file in newest_first:
        made = _made_at(file)
        if made is not None:
            days.setdefault(f"{made:%Y-%m-%d}", file)
            weeks.setdefault(f"{made:%G-%V}", file)
    latest = newest_first[:DAILY]
    return {*latest, *list(days.values())[:DAILY], *list(weeks.values())[:WEEKLY]}
