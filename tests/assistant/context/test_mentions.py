"""What a summary must not lose is found, in English and Chinese."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assistant.context.mentions import clauses, holds, mentions, missing


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("I have 6 hours a week.", {"6"}),
        ("It costs $1,234.50, that is 12%.", {"1,234.50", "12%"}),
        ("We meet on 2026-03-05 with Anna Smith.", {"2026-03-05", "Anna Smith"}),
        ("Due 5 March 2026, or March 7th.", {"5 March 2026", "March 7th"}),
        ("See /etc/hosts, plan_v2.pdf and notes.md.", {"/etc/hosts", "plan_v2.pdf", "notes.md"}),
        ("Order ORD-9917 is from NASA.", {"ORD-9917", "NASA"}),
        (
            "Write to a.b@example.org or https://x.org/a?b=1.",
            {"a.b@example.org", "https://x.org/a?b=1"},
        ),
        ("我在学线性代数，每周有6小时。", {"6"}),
        ("3月5日周四和Tom去", {"3月5日", "周四", "Tom"}),
        ("我的狗叫旺财，在读《三体》。", {"旺财", "《三体》"}),
        ("每次三个小时", {"三"}),
    ],
)
def test_numbers_dates_names_and_files_are_mentions(text: str, expected: set[str]) -> None:
    """Each is found whole."""
    assert expected <= set(mentions(text))


def test_a_plain_sentence_mentions_nothing() -> None:
    """A capital letter at the beginning is no name."""
    assert mentions("The weather is nice, and I like it.") == ()


@pytest.mark.parametrize(
    ("summary", "name", "held"),
    [
        ("budget 1234.50", "1,234.50", True),
        ("16 hours", "6", False),
        ("6.5 hours", "6", False),
        ("6 hours", "6", True),
        ("anna smith", "Anna Smith", True),
    ],
)
def test_a_number_is_held_only_as_itself(summary: str, name: str, *, held: bool) -> None:
    """6 is not in 16, and 1,234 is 1234."""
    assert holds(summary, name) is held


def test_an_open_task_told_in_other_words_is_not_missing() -> None:
    """Most of its words are enough; without them the task is missing."""
    task = "I need to call the dentist about the crown."
    assert missing([task], "Open tasks: call dentist about crown") == []
    (lost,) = missing([task], "Facts: nothing")
    assert lost.task


words = st.sampled_from(
    [
        *[
            "I",
            "met",
            "Anna",
            "Smith",
            "at",
            "10:30",
            "on",
            "2026-03-05",
            "paid",
            "$1,250.50",
            "for",
        ],
        *["ORD-9917", "plan_v2.pdf", "12%", "6", "hours", "我", "每周", "三个", "小时", "《三体》"],
        *["，3月5日", "need to call", "NASA", "again;", "tomorrow.", "yes!"],
    ]
)
sentences = st.lists(words, max_size=25).map(" ".join)


@given(st.lists(sentences, max_size=5), sentences)
@settings(max_examples=200, deadline=None)
def test_whatever_a_summary_lacks_is_in_what_is_missing(texts: list[str], summary: str) -> None:
    """Summary and missing clauses together hold every mention of the texts."""
    carried = "\n".join((summary, *(clause.text for clause in missing(texts, summary))))
    for text in texts:
        for clause in clauses(text):
            assert all(holds(carried, name) for name in clause.mentions)
