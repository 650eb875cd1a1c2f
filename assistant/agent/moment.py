"""Tells the model what day it is, beside the question: the system prompt must not change daily."""

from __future__ import annotations

from assistant.agent.run import Run
from assistant.context.wording import day

_TODAY = {"en": "Today is {}.", "zh": "今天是{}。"}


def today(run: Run) -> str:
    """Return the sentence that tells today's date in words."""
    now = run.context.now
    return _TODAY[run.language].format(day(now, run.context.zone, run.language))


def dated(run: Run) -> str:
    """Return the question with today's date before it."""
    return f"({today(run)})\n\n{run.question}"
