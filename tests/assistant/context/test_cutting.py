"""Long texts, cut."""

from __future__ import annotations

import json

from hypothesis import given, settings
from hypothesis import strategies as st

from assistant.context.cutting import cut
from assistant.context.tokens import Counter

count = Counter("gpt-4o").count
long_texts = st.one_of(
    st.text(max_size=2_000),
    st.builds(
        lambda text, times: text * times, st.text(min_size=1, max_size=40), st.integers(1, 99)
    ),
    st.lists(st.text(max_size=60), max_size=80).map("\n".join),
    st.lists(st.dictionaries(st.text(max_size=5), st.integers()), max_size=60).map(json.dumps),
)


def test_lines_are_cut_between_lines_and_say_how_many_are_shown() -> None:
    """Head and tail stay whole, in order, around the remark with the way to the rest."""
    text = "\n".join(f"row {n}: {n * n}" for n in range(1, 301))
    shown = cut(text, 120, count, rest='read_memory(id="c1")')
    assert count(shown) <= 120
    lines = shown.splitlines()
    (remark,) = (line for line in lines if line.startswith("[…"))
    assert 'read_memory(id="c1") shows the rest' in remark
    assert f"{len(lines) - 1} of 300 lines shown" in remark
    assert lines[0] == "row 1: 1"
    assert lines[-1] == "row 300: 90000"
    assert set(lines) - {remark} <= set(text.splitlines())


def test_a_json_list_is_cut_between_its_items() -> None:
    """Items are shown whole and counted as items."""
    items = [{"sku": n, "stock": n % 7} for n in range(200)]
    shown = cut(json.dumps(items), 150, count)
    assert "of 200 items shown" in shown
    assert json.loads(shown.splitlines()[0]) == items[0]


def test_a_text_without_lines_is_cut_between_characters() -> None:
    """One endless line still gives its beginning and its end."""
    shown = cut("数" * 3_000 + "终", 80, count)
    assert count(shown) <= 80
    assert "characters shown" in shown
    assert shown.endswith("终")


@given(long_texts, st.integers(40, 300))
@settings(max_examples=150, deadline=None)
def test_a_cut_text_has_at_most_its_tokens(text: str, limit: int) -> None:
    """Whatever is cut, the limit holds, and a text that fits is left as it is."""
    shown = cut(text, limit, count)
    assert count(shown) <= limit
    if count(text) <= limit:
        assert shown == text
