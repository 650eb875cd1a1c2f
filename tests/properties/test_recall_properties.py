"""Recall, whatever the memory and the question: bounded, judged, repeatable, one owner's own."""

from __future__ import annotations

import shutil
import tempfile
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memory_store import Draft, Freshness, MemoryStore, Verdict
from memory_store.ledger import Ledger
from memory_store.testing import FrozenClock, TinyEmbedder

NOW = datetime(2026, 3, 20, 12, tzinfo=UTC)
WORDS = ["tea", "stock", "Lisbon", "Porto", "sku-42", "库存", "城市", "7"]

drafts = st.builds(
    lambda words, subject, age, life, session: Draft(
        "fact",
        " ".join(words),
        session=session,
        created_at=NOW - timedelta(hours=age),
        subject=subject,
        freshness=Freshness(None if life is None else timedelta(hours=life)),
    ),
    st.lists(st.sampled_from(WORDS), min_size=1, max_size=6),
    st.sampled_from([None, "city", "stock"]),
    st.integers(min_value=-5, max_value=200),
    st.sampled_from([None, 0, 1, 100]),
    st.sampled_from(["", "a", "b"]),
)
queries = st.one_of(
    st.lists(st.sampled_from(WORDS), min_size=1, max_size=4).map(" ".join),
    st.text(min_size=1, max_size=30).filter(lambda text: bool(text.strip())),
)


@pytest.fixture(scope="module")
def empty(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The ledger of an empty memory, to be copied."""
    home = tmp_path_factory.mktemp("empty")
    MemoryStore.open(home).close()
    return home / "ledger.db"


@pytest.mark.long
@settings(max_examples=150, deadline=None)
@given(
    st.lists(drafts, min_size=1, max_size=12),
    st.lists(drafts, max_size=3),
    queries,
    st.integers(min_value=0, max_value=60),
    st.sampled_from(["mark", "drop"]),
)
def test_recall_keeps_its_promises(  # noqa: PLR0917  hypothesis gives by position
    empty: Path,
    mine: list[Draft],
    theirs: list[Draft],
    query: str,
    budget: int,
    stale: str,
):
    """Within budget, repeatable, nothing superseded or changed as current, none of another's."""
    with tempfile.TemporaryDirectory() as folder:
        shutil.copy(empty, folder)
        with closing(Ledger(Path(folder) / empty.name)) as ledger:
            store, other = (  # never closed: so few vectors are searched exactly, and not indexed
                MemoryStore.open(
                    Path(folder),
                    owner=owner,
                    embedder=TinyEmbedder(),
                    clock=FrozenClock(NOW),
                    ledger=ledger,
                )
                for owner in ("me", "you")
            )
            ids = {chunk.id for chunk in store.remember(mine)}
            other.remember(theirs)
            recall = store.recall(query, budget=budget, stale=stale)  # pyright: ignore
            assert recall == store.recall(query, budget=budget, stale=stale)  # pyright: ignore
    assert recall.tokens <= budget
    seen = [hit.chunk.id for hit in recall.hits] + [one.chunk.id for one in recall.dropped]
    assert len(seen) == len(set(seen))
    assert set(seen) <= ids
    for hit in recall.hits:
        if not recall.past:
            assert hit.verdict not in (Verdict.SUPERSEDED, Verdict.CHANGED)
            assert stale == "mark" or hit.verdict is not Verdict.STALE
    assert all(one.reason for one in recall.dropped)
