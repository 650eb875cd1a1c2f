"""Measures: known values by hand, and intervals that draw whole conversations."""

import math
from datetime import UTC, datetime

import pytest

from memory_store.experiments import measure, summary
from memory_store.experiments.corpora import Question
from memory_store.experiments.measures import Asked


def asked(found: str, right: str, *, who="c", outdated="", current="", answerable=True) -> Asked:
    """A question with what was found, one letter a record."""
    question = Question(
        id="q",
        text="?",
        category="kind",
        answerable=answerable,
        evidence=frozenset(right),
        sessions=frozenset(),
        stale=frozenset(outdated),
        before=9,
        asked_at=datetime(2026, 1, 1, tzinfo=UTC),
    )
    sets = map(frozenset, (right, outdated, current))
    return Asked(who, question, tuple(found), *sets)


def test_the_measures_are_those_of_the_textbook() -> None:
    """Hit, recall, all and nDCG of a ranking that is worked out by hand."""
    [row] = measure([asked("xaybz12345cd", "abc")]).to_dict("records")
    assert (row["hit@5"], row["hit@10"], row["all@10"]) == (1, 1, 0)
    assert row["recall@5"] == pytest.approx(2 / 3)
    assert row["recall@10"] == pytest.approx(2 / 3)
    gain = 1 / math.log2(3) + 1 / math.log2(5)
    assert row["ndcg@10"] == pytest.approx(gain / (1 + 1 / math.log2(3) + 0.5))


def test_finding_nothing_is_zero_and_abstaining() -> None:
    """An empty answer counts against recall, and is told as abstention."""
    [row] = measure([asked("", "a")]).to_dict("records")
    assert (row["hit@5"], row["recall@10"], row["abstained"]) == (0, 0, 1)


def test_a_question_without_evidence_has_abstention_alone() -> None:
    """Nothing can be found there, so nothing else is measured."""
    [row] = measure([asked("xyz", "", answerable=False)]).to_dict("records")
    assert math.isnan(row["hit@5"])
    assert row["abstained"] == 0


@pytest.mark.parametrize(
    ("found", "current", "newer_first", "misleads"),
    [
        ("no", "no", 1, 0),  # the new one stands above
        ("on", "no", 0, 1),  # the old one stands above, as if it were current
        ("on", "n", 0, 0),  # the old one stands above, but is marked
        ("xo", "o", 0, 1),
        ("xy", "xy", 0, 0),
    ],
)
def test_what_is_outdated_misleads_only_where_it_passes_as_current(
    found, current, newer_first, misleads
) -> None:
    """`o` is outdated, `n` up to date."""
    [row] = measure([asked(found, "n", outdated="o", current=current)]).to_dict("records")
    assert (row["new_above_old"], row["stale_as_current"]) == (newer_first, misleads)


def test_intervals_draw_conversations_and_hold_the_mean() -> None:
    """Means are over questions, the interval is drawn over conversations; one alone has none."""
    rows = [asked("a", "a", who="1")] * 6 + [asked("x", "a", who="2")] * 2
    table = summary(measure(rows).assign(setting="s"))
    hit = table[(table.measure == "hit@5") & (table.category == "all")].iloc[0]
    assert (hit["mean"], hit["low"], hit["high"]) == (0.75, 0, 1)
    assert (hit["n"], hit["conversations"]) == (8, 2)
    alone = summary(measure(rows[:6]).assign(setting="s")).iloc[0]
    assert alone["mean"] == 1
    assert math.isnan(alone["low"])


def test_the_same_results_give_the_same_interval() -> None:
    """The bootstrap is seeded."""
    rows = [asked("a" if n % 3 else "x", "a", who=str(n % 5)) for n in range(40)]
    frame = measure(rows).assign(setting="s")
    assert summary(frame).equals(summary(frame))


def test_what_is_not_answerable_is_left_out_of_all() -> None:
    """Adversarial questions have evidence but no right answer: a category of their own."""
    rows = [asked("a", "a"), asked("x", "a", answerable=False)]
    table = summary(measure(rows).assign(setting="s"))
    chosen = table[table.measure == "hit@5"].set_index("category")["mean"].to_dict()
    assert chosen == {"all": 1.0, "kind": 0.5}
