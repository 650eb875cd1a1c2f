"""How a recall shows itself in notebooks: a table of scores and verdicts, and a data frame."""

import sys
from datetime import UTC, datetime, timedelta

import pytest

from memory_store import Draft, Freshness, MemoryStore, Recall
from memory_store.errors import ExtraMissing
from memory_store.testing import FrozenClock, TinyEmbedder


@pytest.fixture
def recall(tmp_path) -> Recall:
    """One fresh, one stale and one superseded memory."""
    clock = FrozenClock(datetime(2026, 3, 2, 9, tzinfo=UTC))
    with MemoryStore.open(tmp_path, clock=clock, embedder=TinyEmbedder()) as store:
        hour = Freshness(timedelta(hours=1), call='get_stock(sku="42")')
        store.remember(
            [
                Draft("note", "How many lamps the stock room has: <script>7</script> & 库存"),
                Draft("tool_result", "7 lamps in stock.", freshness=hour, origin="tool"),
                Draft("fact", "The stock room is in Porto.", subject="stock.room"),
                Draft("fact", "The stock room is in Braga.", subject="stock.room"),
            ]
        )
        clock.advance(timedelta(days=1))
        return store.recall("how many lamps are in the stock room?")


def test_every_hit_and_every_drop_is_a_row_with_its_verdict(recall) -> None:
    """The table says what was used, what was left out and why."""
    html = recall._repr_html_()
    assert html.count("<tr>") == 1 + len(recall.hits) + len(recall.dropped)
    for verdict in ("fresh", "stale", "superseded"):
        assert f">{verdict}</b>" in html


def test_what_is_remembered_is_shown_as_text_and_never_as_markup(recall) -> None:
    """A memory with HTML in it cannot run in the notebook."""
    html = recall._repr_html_()
    assert "<script>" not in html
    assert "&lt;script&gt;" in html
    assert "库存" in html


def test_the_frame_has_the_same_rows_whole(recall) -> None:
    """Scores and verdicts as columns, texts uncut."""
    frame = recall.to_pandas()
    assert len(frame) == len(recall.hits) + len(recall.dropped)
    assert frame["used"].sum() == len(recall.hits)
    assert set(frame["verdict"]) == {"fresh", "stale", "superseded"}
    assert frame["score"].dtype.kind == "f"


def test_an_empty_recall_shows_an_empty_table() -> None:
    """With the question that found nothing."""
    nothing = Recall("what <b>else</b>?", datetime(2026, 1, 1, tzinfo=UTC))
    assert "&lt;b&gt;else" in nothing._repr_html_()
    assert nothing.to_pandas().empty


def test_without_pandas_the_error_names_the_extra(recall, monkeypatch) -> None:
    """The table needs nothing; the frame says what to install."""
    monkeypatch.setitem(sys.modules, "pandas", None)
    assert recall._repr_html_()
    with pytest.raises(ExtraMissing, match=r"memory-assistant\[notebooks\]"):
        recall.to_pandas()
