"""Sweeps: every setting over every conversation, resumable, saved with settings and version."""

from pathlib import Path

import pytest

from memory_store.errors import InvalidInput, NotFound
from memory_store.experiments import (
    CachedEmbedder,
    Setting,
    code_version,
    load,
    load_corpus,
    misses,
    save,
    sweep,
)
from memory_store.testing import TinyEmbedder

TINY = "tiny"
SETTINGS = [
    Setting(way, embedder=TINY, chunk=chunk)
    for way, chunk in (("dense", None), ("lexical", None), ("fused", 80), ("reranked", None))
]


@pytest.fixture(scope="module")
def swept(tmp_path_factory) -> tuple:
    """A small sweep with its cache and its embedder."""
    cache = tmp_path_factory.mktemp("cache")
    embedder = TinyEmbedder()
    corpus = [one for one in load_corpus() if one.id in ("jonas", "chen")]
    results = sweep(corpus, SETTINGS, cache=cache, embedders={TINY: embedder}, progress=False)
    return corpus, cache, embedder, results


def test_every_question_is_asked_with_every_setting(swept) -> None:
    """A row a setting and question, with what was found and what it was worth."""
    corpus, _, _, results = swept
    questions = sum(len(one.questions) for one in corpus)
    assert results.groupby("setting").size().to_dict() == {
        str(setting): questions for setting in SETTINGS
    }
    assert results[results.setting == "dense, tiny"]["hit@10"].mean() > 0.5
    assert set(results["language"]) == {"en", "zh"}


def test_a_second_run_goes_on_where_the_first_was(swept) -> None:
    """Neither a text is embedded nor a question asked again, and the results are the same."""
    corpus, cache, embedder, results = swept
    before = embedder.embedded
    embedder.failure = "nothing is to be embedded"
    try:
        again = sweep(corpus, SETTINGS, cache=cache, embedders={TINY: embedder}, progress=False)
    finally:
        embedder.failure = None
    assert embedder.embedded == before
    assert again.equals(results)


def test_an_interrupted_sweep_loses_only_the_conversation_at_hand(tmp_path) -> None:
    """What was finished is on disk."""
    corpus = [one for one in load_corpus() if one.id in ("jonas", "chen")]
    embedder = TinyEmbedder()
    embedder.fails_on = "云南"
    setting = [Setting("dense", embedder=TINY)]
    with pytest.raises(Exception, match="云南"):
        sweep(corpus, setting, cache=tmp_path, embedders={TINY: embedder}, progress=False)
    assert len(list((tmp_path / "answers").glob("*.json"))) == 1


@pytest.mark.parametrize("name", ["results.parquet", "results.csv"])
def test_saved_results_come_back_with_settings_and_version(name, swept, tmp_path) -> None:
    """What they were made with stands with them."""
    results = swept[3]
    save(results, tmp_path / name)
    back = load(tmp_path / name)
    assert back.attrs["version"] == code_version()
    assert [one["way"] for one in back.attrs["settings"]] == [one.way for one in SETTINGS]
    assert back["found"].tolist() == results["found"].tolist()
    assert back["hit@5"].mean() == pytest.approx(results["hit@5"].mean())


def test_results_of_another_form_are_refused(tmp_path, swept) -> None:
    """By name, before anything is written or read."""
    with pytest.raises(InvalidInput, match=r"parquet"):
        save(swept[3], tmp_path / "results.xlsx")
    with pytest.raises(NotFound):
        load(tmp_path / "none.parquet")
    (tmp_path / "fake.parquet").write_text("no")
    with pytest.raises(InvalidInput):
        load(tmp_path / "fake.parquet")


def test_the_failure_browser_shows_what_was_found_instead(swept) -> None:
    """Only answerable questions that were missed, with the right records beside the found."""
    shown = misses(swept[3], "hit@5")
    assert len(shown)
    for row in shown.to_dict("records"):
        assert row["right"]
        assert not set(row["right"]) & set(row["found"][:5])


def test_a_setting_that_cannot_be_is_refused() -> None:
    """Before anything runs."""
    with pytest.raises(InvalidInput, match="ways are"):
        Setting("telepathy")
    with pytest.raises(InvalidInput, match="characters"):
        Setting(chunk=3)


def test_another_length_of_passages_needs_no_new_vectors_of_the_same_texts(tmp_path: Path) -> None:
    """The cache is by text; the length of passages only changes which texts there are."""
    inner = TinyEmbedder()
    for window in (None, 100):
        cached = CachedEmbedder(inner, tmp_path, window=window)
        cached.embed(["one", "two", "一"])
        assert cached.window == (window or inner.window)
        cached.close()
    assert inner.embedded == 3
