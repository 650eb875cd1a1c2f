"""The checks of evaluation cases: each holds where it should and says what does not."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from assistant.evals.case import Expectation
from assistant.evals.checks import failures, numbers_in
from assistant.events import ModelCalled
from assistant.run_record import RunRecord, StepRecord
from memory_store import Chunk, Freshness, Hit, Judgement, Recall, Scope, Score, Verdict

NOW = datetime(2026, 3, 2, tzinfo=UTC)


def remembered(text: str, verdict: Verdict) -> Hit:
    chunk = Chunk("01", "note", text, Scope("me"), NOW, NOW, None, None, Freshness(), "user", (), 3)
    return Hit(chunk, text, Score(1.0), Judgement(verdict, NOW, "test"))


def run(answer: str = "There are 56,089.", **more: Any) -> RunRecord:
    steps = (
        StepRecord("calculate", {"expression": "6*7"}, "42", ok=True),
        StepRecord("get_weather", {"city": "Porto"}, "rain", ok=True),
        StepRecord("days_between", {}, "bad arguments", ok=False),
    )
    call = ModelCalled(1, "r", 3, 900, {}, None, 0.1)
    recall = Recall("q", NOW, hits=(remembered("7 pieces", Verdict.STALE),))
    fields = {"steps": steps, "model_calls": (call,), "recall": recall, **more}
    return RunRecord(answer, "s", "t", "answered", **fields)


@pytest.mark.parametrize(
    "expected",
    [
        {"contains": ["there ARE"]},
        {"contains": [["nothing", "56,089"]]},
        {"excludes": ["7 pieces"]},
        {"matches": [r"\d+,\d+"]},
        {"numbers": [{"value": 56089}]},
        {"numbers": [{"value": 56090, "within": 1}]},
        {"called": [{"tool": "get_weather", "arguments": {"city": "porto"}}]},
        {"not_called": ["get_stock"]},
        {"order": ["calculate", "get_weather"]},
        {"memory_used": ["7 pieces"]},
        {"verdicts": [{"text": "7 pieces", "verdict": "stale"}]},
        {"stopped": "answered"},
        {"tokens_at_most": 900},
        {"steps_at_most": 3},
    ],
)
def test_a_check_that_holds_says_nothing(expected: dict[str, object]) -> None:
    """One expectation of each kind against a run that meets it."""
    assert failures(Expectation.model_validate(expected), run()) == ()


@pytest.mark.parametrize(
    ("expected", "message"),
    [
        ({"contains": ["absent"]}, "none of 'absent'"),
        ({"excludes": ["56,089"]}, "has '56,089'"),
        ({"matches": ["^x"]}, "does not match"),
        ({"numbers": [{"value": 5608}]}, "no number within 0 of 5608"),
        ({"called": [{"tool": "get_weather", "arguments": {"city": "Lisbon"}}]}, "was not called"),
        ({"called": [{"tool": "days_between"}]}, "was not called"),
        ({"not_called": ["calculate"]}, "calculate was called"),
        ({"order": ["get_weather", "calculate"]}, "not in the order"),
        ({"memory_used": ["8 pieces"]}, "no memory"),
        ({"verdicts": [{"text": "7 pieces", "verdict": "fresh"}]}, "was stale, not fresh"),
        ({"verdicts": [{"text": "9 pieces", "verdict": "fresh"}]}, "not found"),
        ({"stopped": "steps"}, "stopped by answered"),
        ({"tokens_at_most": 899}, "900 tokens, over 899"),
        ({"steps_at_most": 2}, "3 calls"),
    ],
)
def test_a_check_that_fails_says_why(expected: dict[str, object], message: str) -> None:
    """One expectation of each kind against a run that misses it."""
    (failure,) = failures(Expectation.model_validate(expected), run())
    assert message in str(failure)


def test_numbers_are_read_with_their_separators() -> None:
    """English and Chinese separators, decimals, negatives."""
    assert numbers_in("1,234.5 and -3，还有7") == (1234.5, -3.0, 7.0)
