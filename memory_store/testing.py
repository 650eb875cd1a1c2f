"""For tests of code that uses the memory: a clock that stands still and a tiny real embedder."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import TYPE_CHECKING
from zlib import crc32

from memory_store.errors import EmbedderError

if TYPE_CHECKING:
    from memory_store.protocols import Vectors


class FrozenClock:
    """A clock that moves only when it is told to, also backwards."""

    def __init__(self, now: datetime) -> None:
        self.now = now

    def __call__(self) -> datetime:
        return self.now

    def advance(self, by: timedelta) -> None:
        """Move the clock by that much."""
        self.now += by


class TinyEmbedder:
    """Embeds by hashed letter pairs and words: deterministic, offline, thousands a second.

    Texts that share words are near, in any language; it knows nothing of meaning.
    """

    def __init__(self, dimensions: int = 64, revision: str = "1", window: int = 480) -> None:
        self.dimensions = dimensions
        self.window = window
        self.fingerprint = f"tiny-{revision}/{dimensions}"
        self.failure: str | None = None
        self.fails_on: str | None = None
        self.embedded = 0

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Return one unit vector a text.

        Raises:
            EmbedderError: `failure` is set, or a text holds `fails_on`.
        """
        import numpy as np

        if self.failure is not None:
            raise EmbedderError(self.failure)
        if self.fails_on is not None and any(self.fails_on in text for text in texts):
            raise EmbedderError(f"cannot embed {self.fails_on!r}")
        self.embedded += len(texts)
        vectors = np.zeros((len(texts), self.dimensions), dtype=np.float32)
        for row, text in enumerate(texts):
            for feature in _features(text):
                number = crc32(feature.encode(errors="replace"))
                vectors[row, number % self.dimensions] += 1.0 if number >> 31 else -1.0
        norms = np.linalg.norm(vectors, axis=1, keepdims=True)
        vectors[norms[:, 0] == 0, 0] = 1.0
        return (vectors / np.maximum(norms, 1.0)).astype(np.float32)


def _features(text: str) -> list[str]:
    plain = text.casefold()
    words = plain.split()
    return words * 2 + [plain[i : i + 2] for i in range(len(plain) - 1)]
