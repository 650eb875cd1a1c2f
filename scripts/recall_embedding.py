"""An embedder that keeps what it has embedded on disk, so that a benchmark can be run again."""

from __future__ import annotations

import hashlib
import sqlite3
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from memory_store.protocols import Embedder


class CachedEmbedder:
    """Passes texts on to `inner` unless their vectors are on disk."""

    def __init__(self, inner: Embedder, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self._inner = inner
        self.fingerprint = inner.fingerprint
        self.dimensions = inner.dimensions
        self.window = inner.window
        name = hashlib.sha256(inner.fingerprint.encode()).hexdigest()[:12]
        self._db = sqlite3.connect(folder / f"vectors-{name}.db", check_same_thread=False)
        self._db.execute("PRAGMA journal_mode=WAL")
        self._db.execute("PRAGMA busy_timeout=60000")
        self._db.execute("CREATE TABLE IF NOT EXISTS v (key BLOB PRIMARY KEY, vector BLOB)")

    def embed(self, texts: Sequence[str]) -> Any:
        """Return one unit vector a text."""
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
