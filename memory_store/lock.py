"""Who may write the Chroma folder: two writing processes would damage it silently."""

from __future__ import annotations

import json
import os
import socket
from pathlib import Path

from filelock import FileLock, Timeout

from memory_store.errors import StorageFull


class WriterLock:
    """A lock that one process at a time holds; the system frees it when the process dies."""

    def __init__(self, path: Path) -> None:
        self._lock = FileLock(path, thread_local=False)
        self._holder = path.with_suffix(".holder")

    @property
    def held(self) -> bool:
        """Whether this object holds the lock."""
        return self._lock.is_locked

    def try_acquire(self) -> bool:
        """Take the lock if it is free; never waits.

        Raises:
            StorageFull: the folder cannot be written.
        """
        if self._lock.is_locked:
            return True
        try:
            self._lock.acquire(blocking=False)
            self._holder.write_text(
                json.dumps({"pid": os.getpid(), "host": socket.gethostname()}), encoding="utf-8"
            )
        except Timeout:
            return False
        except OSError as error:
            raise StorageFull(f"{self._holder.parent} cannot be written: {error}") from error
        return True

    def release(self) -> None:
        """Give the lock back."""
        if self._lock.is_locked:
            self._holder.unlink(missing_ok=True)
            self._lock.release()

    def holder(self) -> str | None:
        """Who holds the lock, as `pid@host`; None where nobody does."""
        if not self.held and self.try_acquire():
            self.release()
            return None
        try:
            said = json.loads(self._holder.read_text(encoding="utf-8"))
            return f"{said['pid']}@{said['host']}"
        except (OSError, ValueError, KeyError):
            return None
