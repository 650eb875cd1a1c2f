"""The user's own memory for notebooks and pictures, or a demonstration where there is none."""

from __future__ import annotations

import tempfile
from contextlib import ExitStack
from pathlib import Path

from assistant.app import App
from assistant.settings import Settings
from memory_store.experiments.demonstration import fill
from memory_store.store import MemoryStore


class OwnMemory:
    """An open memory with one sentence about what it is; close it, or use it in a `with`.

    Attributes:
        told: whose memory this is, for people to read.
    """

    def __init__(self, home: Path | None = None) -> None:
        """Open the memory of `home` (default: the user's); a demonstration where it is empty.

        Raises:
            SettingsError: the home or a setting is wrong.
        """
        self._closing = ExitStack()
        settings = Settings.load(home)
        if (settings.home / "ledger.db").is_file():
            store = self._closing.enter_context(App.open(settings)).store
            if count := store.stats().chunks:
                self.store, self.told = (
                    store,
                    f"Your own memory in {settings.home}: {count} chunks.",
                )
                return
        self.store = self._demonstration()
        self.told = (
            f"There is no memory in {settings.home} yet: this is a demonstration with"
            f" {self.store.stats().chunks} made-up chunks, in a temporary folder."
        )

    def _demonstration(self) -> MemoryStore:
        folder = self._closing.enter_context(tempfile.TemporaryDirectory(prefix="memory-demo-"))
        store = self._closing.enter_context(MemoryStore.open(Path(folder)))
        fill(store)
        return store

    def close(self) -> None:
        """Release every file; a demonstration is removed."""
        self._closing.close()

    def __enter__(self) -> OwnMemory:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
