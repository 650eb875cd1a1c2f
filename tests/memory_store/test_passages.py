"""Passages: long text is cut whole, in order, at good places, with its header on each part."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from memory_store.passages import split


def test_a_short_text_is_one_passage():
    """It is kept as it is, behind its header."""
    (only,) = split("Hello there.", header="2026-03-02 user:", window=100)
    assert only.text == "2026-03-02 user: Hello there."
    assert (only.number, only.total, only.start, only.end) == (1, 1, 0, 12)


def test_a_long_text_is_cut_at_sentences_with_its_header_on_each_part():
    """Each part ends where a sentence does and says when and by whom it was said."""
    text = "One thing is here. " * 20
    parts = split(text, header="ann:", window=100)
    assert len(parts) > 3
    assert all(part.text.startswith("ann: One thing") for part in parts)
    assert all(part.text.endswith("here.") for part in parts)


def test_chinese_is_cut_at_its_own_full_stops_and_counts_double():
    """A Chinese passage holds about half as many characters, and ends at 。"""
    parts = split("今天学了线性代数。" * 40, window=100)
    assert all(part.end - part.start <= 50 for part in parts)
    assert all(part.text.endswith("。") for part in parts)


@given(st.text(max_size=600), st.integers(min_value=1, max_value=90))
def test_the_parts_cover_the_text(text: str, window: int):
    """Whatever the text, its parts follow each other from its first to its last character."""
    parts = split(text, window=window)
    assert parts[0].start == 0
    assert parts[-1].end == len(text)
    assert all(a.end == b.start for a, b in pairwise(parts))
    assert all(part.end - part.start <= window for part in parts)
    assert [part.number for part in parts] == list(range(1, parts[0].total + 1))
