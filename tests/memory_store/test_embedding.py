"""Embedders: unit vectors in both languages, and clear errors for models that are not there."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest

from memory_store.embedding import load_embedder
from memory_store.errors import EmbedderError
from memory_store.protocols import Embedder
from memory_store.recent_vectors import RecentVectors
from memory_store.testing import TinyEmbedder


@pytest.fixture(scope="module")
def embedder() -> Embedder:
    return load_embedder()


def test_vectors_are_of_length_one_and_in_the_texts_order(embedder: Embedder):
    """However long the texts are, and also for none, blank ones and broken characters."""
    texts = ["", "a" * 3000, "hello", "\ud800 x", "🙂", "你好"]
    vectors = embedder.embed(texts)
    assert vectors.shape == (len(texts), embedder.dimensions)
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-4)
    assert np.allclose(vectors[2], embedder.embed(["hello"])[0], atol=1e-4)
    assert embedder.embed([]).shape == (0, embedder.dimensions)


@pytest.mark.parametrize(
    ("question", "right", "wrong"),
    [
        ("Where do I live?", "My home is in Porto.", "The stock is seven pieces."),
        ("我每周学几个小时？", "每周有6小时学习线性代数。", "库存还剩七件。"),
        ("How many hours do I study?", "我每周学习6小时。", "我家的猫叫小白。"),
    ],
)
def test_what_means_the_same_is_near(embedder: Embedder, question: str, right: str, wrong: str):
    """In English, in Chinese, and across the two."""
    q, a, b = embedder.embed([question, right, wrong])
    assert q @ a > q @ b


@pytest.mark.xdist_group("torch")  # one worker imports it
def test_a_model_that_is_not_there_is_named():
    """The error says which model, and what to give instead; nothing is loaded before its use."""
    missing = load_embedder("/nowhere/model")
    assert "nowhere" in missing.fingerprint
    with pytest.raises(EmbedderError, match="/nowhere/model"):
        missing.embed(["x"])
    with pytest.raises(EmbedderError, match="blank"):
        load_embedder("  ")


def test_the_last_texts_are_not_embedded_again():
    """Vectors are the embedder's own, in the order asked for; the oldest are let go."""
    inner, other = TinyEmbedder(), TinyEmbedder()
    recent = RecentVectors(inner, most=3)
    texts = ["a b", "c d", "a b", "\ud800"]
    assert np.array_equal(recent.embed(texts), other.embed(texts))
    assert np.array_equal(recent.embed(texts[::-1]), other.embed(texts[::-1]))
    assert inner.embedded == 3
    recent.embed(["e f"])
    assert inner.embedded == 4
    recent.embed(["e f", "a b"])
    assert inner.embedded == 4
    recent.embed(["\ud800"])
    assert inner.embedded == 5
    assert recent.embed([]).shape == (0, inner.dimensions)
    many = [f"text {number}" for number in range(9)]
    assert np.array_equal(recent.embed(many), other.embed(many))


def test_the_default_needs_no_torch():
    """A cold start is not kept waiting by it."""
    code = (
        "import sys; from memory_store.embedding import load_embedder;"
        "load_embedder().embed(['x']); assert 'torch' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True, timeout=120)
