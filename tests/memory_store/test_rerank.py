"""Reranking by a cross-encoder: a tiny one, made here, is loaded by path and scores pairs."""

from __future__ import annotations

from pathlib import Path

import pytest

from memory_store.errors import EmbedderError
from memory_store.rerank import CrossEncoderReranker

pytestmark = pytest.mark.xdist_group("torch")  # one worker imports it


@pytest.fixture(scope="module")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A cross-encoder with one small layer and random weights."""
    from transformers import BertConfig, BertForSequenceClassification, BertTokenizerFast

    folder = tmp_path_factory.mktemp("cross") / "tiny"
    folder.mkdir()
    words = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "tea", "cup", "river"]
    (folder / "vocab.txt").write_text("\n".join(words))
    config = BertConfig(
        vocab_size=len(words),
        hidden_size=16,
        num_hidden_layers=1,
        num_attention_heads=2,
        intermediate_size=16,
        num_labels=1,
    )
    BertForSequenceClassification(config).save_pretrained(folder)
    BertTokenizerFast(vocab_file=str(folder / "vocab.txt")).save_pretrained(folder)
    return folder


def test_a_cross_encoder_gives_one_score_a_text(tiny: Path):
    """The same pair scores the same; no texts, no scores, and nothing is loaded for them."""
    reranker = CrossEncoderReranker(str(tiny))
    assert reranker.score("tea", []) == []
    scores = reranker.score("tea", ["tea cup", "river", "tea cup"])
    assert len(scores) == 3
    assert scores[0] == pytest.approx(scores[2], abs=1e-5)


def test_a_reranker_that_is_not_there_is_named():
    """The error says which, and what to give instead."""
    with pytest.raises(EmbedderError, match="/nowhere/cross"):
        CrossEncoderReranker("/nowhere/cross").score("tea", ["cup"])
