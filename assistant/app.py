"""The composition root: builds every part from the settings, when first used, and closes all."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, ExitStack, nullcontext
from datetime import UTC, datetime, tzinfo
from functools import cached_property
from types import TracebackType
from typing import TYPE_CHECKING, Self

from assistant.settings import Settings
from memory_store.protocols import Clock, Progress

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from assistant.sessions import Sessions
    from memory_store.chunk import Chunk
    from memory_store.ledger import Ledger
    from memory_store.store import MemoryStore

Waiting = Callable[[str], AbstractContextManager[Progress]]
"""Wraps work that may take long: told what it is, it tells the user, and yields a callback."""


def utc_now() -> datetime:
    """Return the system's time."""
    return datetime.now(UTC)


def silent(_what: str) -> AbstractContextManager[Progress]:
    """Tell nobody about long work."""
    return nullcontext(lambda _done, _total: None)


class App:
    """The assistant's parts. Each is built when it is first asked for; closing closes those."""

    def __init__(self, settings: Settings, clock: Clock, waiting: Waiting) -> None:
        self.settings = settings
        self.clock = clock
        self.waiting = waiting
        self._closing = ExitStack()

    @classmethod
    def open(
        cls, settings: Settings, *, clock: Clock | None = None, waiting: Waiting = silent
    ) -> App:
        """Return the assistant of these settings. Nothing is opened or imported yet.

        Args:
            clock: returns the time of the runs; None means the system's.
            waiting: is told of work that may take long.
        """
        return cls(settings, clock or utc_now, waiting)

    @property
    def zone(self) -> tzinfo:
        """The user's time zone."""
        return self.settings.zone

    @cached_property
    def ledger(self) -> Ledger:
        """The database that all parts share."""
        from memory_store.ledger import Ledger

        ledger = Ledger(self.settings.home / "ledger.db")
        self._closing.callback(ledger.close)
        return ledger

    @cached_property
    def store(self) -> MemoryStore:
        """The owner's memory."""
        from memory_store.store import MemoryStore

        store = MemoryStore.open(
            self.settings.home,
            owner=self.settings.owner,
            embedder=self.settings.embedder,
            clock=self.clock,
            zone=self.zone,
            chroma=self.settings.chroma,
            ledger=self.ledger,
        )
        self._closing.callback(store.close)
        store.on_forget(self._forget_turns)
        return store

    @cached_property
    def sessions(self) -> Sessions:
        """The conversations and their turns."""
        from assistant.sessions import Sessions

        return Sessions(self.ledger, clock=self.clock, owner=self.settings.owner)

    def _forget_turns(self, connection: Connection, chunks: Sequence[Chunk]) -> None:
        self.sessions.forget(connection, chunks)

    def close(self) -> None:
        """Close every part that was built, the last one first."""
        self._closing.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()
