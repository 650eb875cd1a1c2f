"""An embedder that still knows the vectors of the last texts: a question is embedded once a run."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from hashlib import sha256
from threading import Lock
from typing import TYPE_CHECKING

from memory_store.protocols import Embedder

if TYPE_CHECKING:
    from memory_store.protocols import Vectors

MOST = 512
"""Texts; their vectors take about 1 MB. Nothing of it is written to disk."""


class RecentVectors:
    """Passes on to `inner` what is not among the last texts. Safe to use from several threads."""

    def __init__(self, inner: Embedder, *, most: int = MOST) -> None:
        self._inner = inner
        self._most = most
        self._known: OrderedDict[bytes, Vectors] = OrderedDict()
        self._lock = Lock()

    @property
    def fingerprint(self) -> str:
        """The inner embedder's."""
        return self._inner.fingerprint

    @property
    def window(self) -> int:
        """The longest text that it reads whole, in characters."""
        return self._inner.window

    @property
    def dimensions(self) -> int:
        """The vectors' length; may load the model."""
        return self._inner.dimensions

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Return one unit vector a text.

        Raises:
            EmbedderError: the embedder cannot be loaded or failed.
        """
        import numpy as np

        if not texts:
            return self._inner.embed(texts)
        keys = [sha256(text.encode("utf-8", "surrogatepass")).digest() for text in texts]
        with self._lock:
            known = {key: self._known[key] for key in keys if key in self._known}
        new = {key: text for key, text in zip(keys, texts, strict=True) if key not in known}
        if new:
            known |= zip(new, self._inner.embed(list(new.values())), strict=True)
        self._keep({key: known[key] for key in keys})
        return np.stack([known[key] for key in keys])

    def _keep(self, used: dict[bytes, Vectors]) -> None:
        with self._lock:
            for key, vector in used.items():
                self._known[key] = vector
                self._known.move_to_end(key)
            while len(self._known) > self._most:
                self._known.popitem(last=False)
