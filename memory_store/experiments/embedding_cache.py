"""An embedder that keeps what it has embedded on disk, so that an experiment can be run again."""

from __future__ import annotations

import hashlib
import sqlite3
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from memory_store.protocols import Embedder

if TYPE_CHECKING:
    from memory_store.protocols import Vectors


class CachedEmbedder:
    """Passes texts on to `inner` unless their vectors are on disk."""

    def __init__(self, inner: Embedder, folder: Path, *, window: int | None = None) -> None:
        """Keep the vectors in `folder`; `window`: another length of passages, in characters."""
        folder.mkdir(parents=True, exist_ok=True)
        self._inner = inner
        self.fingerprint = inner.fingerprint
        self.window = window or inner.window
        name = hashlib.sha256(inner.fingerprint.encode()).hexdigest()[:12]
        self._db = sqlite3.connect(folder / f"vectors-{name}.db", check_same_thread=False)
        self._db.execute("PRAGMA journal_mode=WAL")
        self._db.execute("PRAGMA busy_timeout=60000")
        self._db.execute("CREATE TABLE IF NOT EXISTS v (key BLOB PRIMARY KEY, vector BLOB)")

    @property
    def dimensions(self) -> int:
        """The vectors' length; may load the model."""
        return self._inner.dimensions

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Return one unit vector a text.

        Raises:
            EmbedderError: a text is new, and the embedder cannot be loaded or failed.
        """
        import numpy as np

        out = np.empty((len(texts), self.dimensions), dtype=np.float32)
        keys = [hashlib.sha256(t.encode("utf-8", "replace")).digest()[:16] for t in texts]
        missing: list[int] = []
        for place, key in enumerate(keys):
            row = self._db.execute("SELECT vector FROM v WHERE key = ?", (key,)).fetchone()
            if row is None:
                missing.append(place)
            else:
                out[place] = np.frombuffer(row[0], dtype=np.float32)
        if missing:
            out[missing] = self._inner.embed([texts[place] for place in missing])
            with self._db:
                self._db.executemany(
                    "INSERT OR REPLACE INTO v VALUES (?, ?)",
                    [(keys[place], out[place].tobytes()) for place in missing],
                )
        return out

    def close(self) -> None:
        """Close the cache's file."""
        self._db.close()
