"""One vector index for many processes: one writes it, the others read it as they opened it.

The index holds the ledger's vectors up to a number, which the ledger keeps as `indexed`. What it
holds is named by its identity; a new identity is an index begun anew.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import wraps
from pathlib import Path
from threading import RLock
from typing import Concatenate, ParamSpec, TypeVar

from filelock import FileLock, Timeout
from sqlalchemy import Connection

from memory_store import records
from memory_store.errors import IndexUnavailable, MemoryStoreError
from memory_store.index import ChromaIndex
from memory_store.ledger import Ledger
from memory_store.lock import WriterLock
from memory_store.protocols import Progress, VectorEntry

BATCH = 500

LOADING_SECONDS = 20
"""How long to wait for a process that loads or writes the folder, before doing without it."""

Arguments = ParamSpec("Arguments")
Returned = TypeVar("Returned")

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class View:
    """The index as this process sees it: it holds the vectors up to number `through`."""

    index: ChromaIndex
    identity: str
    through: int


def _alone(
    method: Callable[Concatenate[SharedIndex, Arguments], Returned],
) -> Callable[Concatenate[SharedIndex, Arguments], Returned]:
    """Let one thread at a time into these methods; the file locks hold for processes only."""

    @wraps(method)
    def guarded(self: SharedIndex, *args: Arguments.args, **kwargs: Arguments.kwargs) -> Returned:
        with self.threads:
            return method(self, *args, **kwargs)

    return guarded


class SharedIndex:
    """This process's view of the index, and its part in keeping the index up to date.

    Attributes:
        threads: held by the one thread that opens, searches, writes or leaves the view.
    """

    def __init__(self, ledger: Ledger, home: Path, location: Path | str) -> None:
        self._ledger = ledger
        self._location = location
        self._writer = WriterLock(home / "chroma.lock")
        # Whoever loaded the folder while it is written would see half of it.
        self._loading = FileLock(home / "chroma.loading.lock", thread_local=False)
        self.threads = RLock()
        self._adopted = False
        self.view: View | None = None
        self.problem: str | None = None

    @property
    def holder(self) -> str | None:
        """Which process writes the index, as `pid@host`."""
        with self.threads:
            return self._writer.holder()

    @_alone
    def follow(self, state: dict[str, str]) -> None:
        """Leave the view of an index that has been begun anew since."""
        if self.view is not None and self.view.identity != identity_of(state):
            self.drop()

    @_alone
    def open(self) -> None:
        """Take a view of the index as it is now; none where it cannot be opened."""
        if self._adopted:
            return
        self.drop()
        try:
            with self._folder():
                state = self._state()
                index = self._index(state)
                self.view = View(index, identity_of(state), int(state["indexed"]))
                index.load()
        except MemoryStoreError as error:
            self.note(error)
            self.drop()

    @_alone
    def drop(self) -> None:
        """Give up the view."""
        if self.view is not None:
            self.view.index.close()
        self.view = None
        self._adopted = False

    @_alone
    def catch_up(
        self, *, eager: int = 1, most: int | None = None, progress: Progress | None = None
    ) -> None:
        """Bring the index up to date, if this process may write it.

        Args:
            eager: nothing is done while fewer vectors than that are outside the index.
            most: about how many vectors to take in; None for all.
        """
        state = self._state()
        waiting = self._last() - int(state["indexed"])
        self.follow(state)
        if waiting < eager and (self._adopted or not self._writer.held):
            return
        if self.own():
            try:
                self._move_on(most, progress)
            except MemoryStoreError as error:
                self.note(error)

    @_alone
    def own(self) -> bool:
        """Take the index for writing; whether this process now holds it, and nothing older."""
        try:
            self.follow(self._state())
            if not self._writer.try_acquire():
                return False
            self._adopt()
        except MemoryStoreError as error:
            self.note(error)
            return False
        return True

    @_alone
    def renew(self, progress: Progress | None = None) -> int:
        """Build the index anew, or go on where that was interrupted; how many vectors it holds.

        Raises:
            IndexUnavailable: another process writes the index, or it cannot be written.
        """
        if not self._writer.try_acquire():
            raise IndexUnavailable(
                f"The index is written by process {self.holder or 'unknown'};"
                " end that one first, or do it there."
            )
        with self._ledger.write() as connection:
            state = records.states(connection)
            if state.get("rebuilding") != identity_of(state):
                records.renew_index(connection)
                state = records.states(connection)
                records.set_state(connection, "rebuilding", identity_of(state))
        self.follow(state)
        self._adopt()
        self._move_on(None, progress)
        return 0 if self.view is None else self.view.index.count()

    @_alone
    def contents(self) -> tuple[set[str], set[str]]:
        """The ids of the passages that the index holds, and of those that it should hold.

        Raises:
            IndexUnavailable: it cannot be opened.
        """
        with self._folder():
            with self._ledger.read() as connection:
                state = records.states(connection)
                expected = records.passage_ids(connection, int(state["indexed"]))
            self.follow(state)
            if not expected and self.view is None:
                return set(), expected  # never begun: nothing to open
            if self.view is not None:
                return self.view.index.ids(), expected
            index = self._index(state)
            try:
                return index.ids(), expected
            finally:
                index.close()

    @_alone
    def close(self) -> None:
        """Release the index and the right to write it."""
        self.drop()
        self._writer.release()

    def note(self, error: Exception) -> None:
        """Keep in mind what went wrong; the ledger still answers."""
        self.problem = str(error)
        _log.warning("the vector index is not used: %s", error)

    def _adopt(self) -> None:
        """As the holder, open the index for writing; begin it anew where it lacks anything."""
        if self._adopted:
            return
        self.drop()
        with self._folder():
            state = self._state()
            index = self._index(state)
            if not self._whole(index, state):
                index.close()
                with self._ledger.write() as connection:
                    records.renew_index(connection)
                state = self._state()
                index = self._index(state)
            index.prune()
        self.view = View(index, identity_of(state), int(state["indexed"]))
        self._adopted = True

    def _whole(self, index: ChromaIndex, state: dict[str, str]) -> bool:
        """Whether the index holds what the ledger says it does. A server that is away raises."""
        try:
            held = index.count()
            index.load()
        except IndexUnavailable as error:
            if not isinstance(self._location, Path):
                raise
            self.note(error)
            return False
        with self._ledger.read() as connection:
            expected = connection.exec_driver_sql(
                "SELECT count(*) FROM vectors WHERE number <= ?", (int(state["indexed"]),)
            ).scalar_one()
        return held >= expected

    def _move_on(self, most: int | None, progress: Progress | None) -> None:
        """Take in what is outside the index, in the order of writing."""
        view = self.view
        total = self._last()
        until = total if most is None or view is None else min(total, view.through + most)
        while view is not None and view.through < until:
            with self._ledger.read() as connection:
                entries, through = _entries(connection, view.through)
            if not entries:
                break
            with self._folder():
                view.index.upsert(entries)
            with self._ledger.write() as connection:
                if identity_of(records.states(connection)) != view.identity:
                    return  # begun anew by another process meanwhile
                records.set_state(connection, "indexed", through)
                if through >= total:
                    records.set_state(connection, "rebuilding", "")
            self.view = view = View(view.index, view.identity, through)
            if progress is not None:
                progress(min(through, total), total)

    @contextmanager
    def _folder(self) -> Generator[None]:
        """The folder for this process alone: it is not loaded while it is written."""
        try:
            self._loading.acquire(timeout=LOADING_SECONDS)
        except Timeout:
            raise IndexUnavailable(
                f"Another process kept the index at {self._location} busy for"
                f" {LOADING_SECONDS} seconds."
            ) from None
        except OSError as error:
            raise IndexUnavailable(
                f"{self._loading.lock_file} cannot be locked: {error.strerror}."
                " Move it away while no process uses this home."
            ) from error
        try:
            yield
        finally:
            self._loading.release()

    def _index(self, state: dict[str, str]) -> ChromaIndex:
        return ChromaIndex(self._location, state["ledger"], identity_of(state))

    def _state(self) -> dict[str, str]:
        with self._ledger.read() as connection:
            return records.states(connection)

    def _last(self) -> int:
        with self._ledger.read() as connection:
            return records.last_vector(connection)


def identity_of(state: dict[str, str]) -> str:
    """What an index was built for: the embedder, and how often it has been begun anew."""
    return f"{state['fingerprint']} {state['generation']}"


def _entries(connection: Connection, after: int) -> tuple[list[VectorEntry], int]:
    import numpy as np

    rows = connection.exec_driver_sql(
        'SELECT v.number, v.vector, p.place, p.header, p.start, p."end", c.*'
        " FROM vectors v JOIN passages p ON p.number = v.passage"
        " JOIN chunks c ON c.number = p.chunk"
        f" WHERE v.number > ? ORDER BY v.number LIMIT {BATCH}",
        (after,),
    ).all()
    entries = [
        VectorEntry(
            id=records.passage_id(row.id, row.place),
            chunk_id=row.id,
            owner=row.owner,
            session=row.session,
            kind=row.kind,
            created_at=row.created_at / 1e6,
            text=records.passage_text(row.header, row.text, row.start, row.end),
            vector=np.frombuffer(row.vector, dtype=np.float32),  # pyright: ignore
        )
        for row in rows
    ]
    return entries, rows[-1][0] if rows else after
