"""Ranking as a pure function: every signal moves the score as it should; ties go to the newer."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from memory_store.candidates import Candidate
from memory_store.chunk import Interval
from memory_store.ranking import WEIGHTS, Question, rank

NOW = datetime(2026, 3, 2, tzinfo=UTC)
BASE = Candidate(
    number=1,
    id="01",
    text="We had tea by the river.",
    origin="user",
    created_at=NOW,
    checked_at=NOW,
    about=None,
    places=(),
    passage=1,
    dense=0.5,
    dense_rank=None,
    lexical=2.0,
    lexical_rank=None,
    held=0,
)
LOW = replace(BASE, number=9, id="09", dense=0.1, lexical=0.0)


def asked(text: str, *intervals: Interval) -> Question:
    return Question(text, intervals, lambda held: float(held > 0))


def order(question: Question, *candidates: Candidate) -> list[str]:
    return list(rank(question, candidates))


def test_equals_are_told_apart_by_recency_alone():
    """Of two that show the same, the one stored later comes first."""
    assert order(asked("tea"), BASE, replace(BASE, number=2, id="02"), LOW)[:2] == ["02", "01"]


@pytest.mark.parametrize(
    ("question", "better"),
    [
        ("tea", {"lexical": 4.0}),
        ("tea", {"dense": 0.9}),
        ("tea", {"held": 1}),
        ("Where did Ann drink tea?", {"text": "Ann: tea by the river, as ever"}),
        ("When did we have tea?", {"text": "Had tea yesterday at the river."}),
    ],
)
def test_what_shows_more_comes_first(question: str, better: dict[str, object]):
    """Words, meaning, coverage, the named speaker, and a time where one is asked for."""
    stronger = replace(BASE, number=0, id="00", **better)  # pyright: ignore
    assert order(asked(question), BASE, stronger, LOW)[0] == "00"


def test_the_named_time_lifts_what_was_said_then():
    """By when it was said, or by what it speaks of."""
    day = Interval(NOW - timedelta(days=9), NOW - timedelta(days=8))
    then = replace(BASE, number=0, id="00", created_at=day.start)
    about = replace(BASE, number=0, id="00", about=(day.start, day.end))
    assert order(asked("tea", day), BASE, then, LOW)[0] == "00"
    assert order(asked("tea", day), BASE, about, LOW)[0] == "00"


def test_a_neighbour_of_a_strong_one_is_lifted():
    """What was said right after the best match outranks its equal elsewhere."""
    best = replace(BASE, number=5, id="05", dense=0.9, lexical=9.0, places=(("s", None, 6),))
    after = replace(LOW, number=6, id="06", places=(("s", 5, None),))
    ids = order(asked("tea"), best, after, replace(LOW, number=8, id="08"))
    assert ids == ["05", "06", "08"]


def test_the_users_own_words_come_before_the_assistants_prose_unless_it_is_asked_for():
    """`What did you recommend` wants what the assistant said."""
    prose = replace(BASE, number=2, id="02", origin="assistant")
    plain = rank(asked("tea"), [BASE, prose, LOW])
    meant = rank(asked("What tea did you recommend?"), [BASE, prose, LOW])
    assert next(iter(plain)) == "01"
    assert meant["02"].total > plain["02"].total


def test_the_score_is_the_sum_of_its_parts():
    """Time and neighbour parts are reported and lie within the total's terms."""
    score = rank(asked("tea"), [BASE, LOW])["01"]
    most = sum(max(weight, 0.0) for weight in WEIGHTS.values())
    assert score.total <= most
    assert score.time == 0.0
    assert score.neighbour == 0.0


def test_nothing_ranks_nothing():
    """An empty pool is an empty ranking."""
    assert rank(asked("tea"), []) == {}
