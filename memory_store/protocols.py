"""Every interface of the memory store, in one place. Implementations never import each other."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Protocol

from memory_store.chunk import Chunk

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Vectors = NDArray[np.float32]

Clock = Callable[[], datetime]
"""Returns the current time, aware. Passed in, so that tests freeze it."""

TokenCounter = Callable[[str], int]
"""Returns how many tokens a text has."""

Validator = Callable[[Chunk], str | None]
"""Returns the version tag that the chunk's source has now, or None when it cannot tell."""

Progress = Callable[[int, int], None]
"""Called with (done, total) during long work."""


class Embedder(Protocol):
    """Turns texts into unit vectors.

    Attributes:
        fingerprint: model, revision and dimensions; vectors of two fingerprints never mix.
        dimensions: the vectors' length.
        window: the most characters of one text that the vector still represents well.
    """

    @property
    def fingerprint(self) -> str: ...
    @property
    def dimensions(self) -> int: ...
    @property
    def window(self) -> int: ...

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Return one unit vector a text, shape (len(texts), dimensions), float32."""
        ...


class Reranker(Protocol):
    """Scores how well each text answers a query (a cross-encoder)."""

    def score(self, query: str, texts: Sequence[str]) -> list[float]:
        """Return one score a text; higher is better."""
        ...


@dataclass(frozen=True, slots=True)
class VectorEntry:
    """One passage as the vector index holds it. `created_at` is epoch seconds."""

    id: str
    chunk_id: str
    owner: str
    session: str
    kind: str
    created_at: float
    text: str
    vector: Sequence[float]


class VectorIndex(Protocol):
    """An index of passage vectors that can be rebuilt from the ledger (Chroma)."""

    def upsert(self, entries: Sequence[VectorEntry]) -> None:
        """Add or replace passages."""
        ...

    def query(
        self, owner: str, vector: Sequence[float], limit: int, *, kinds: Sequence[str] = ()
    ) -> list[tuple[str, float]]:
        """Return (passage id, cosine similarity), best first, of that owner only."""
        ...

    def delete(self, ids: Sequence[str]) -> None:
        """Remove passages; unknown ids are passed over."""
        ...

    def ids(self) -> set[str]:
        """Return the id of every passage that is indexed."""
        ...

    def count(self) -> int:
        """Return how many passages are indexed."""
        ...

    def reset(self) -> None:
        """Remove everything, so that the index can be rebuilt."""
        ...

    def close(self) -> None:
        """Release the folder or the connection."""
        ...
