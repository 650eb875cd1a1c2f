"""Spaced review of finished topics: what is due, by FSRS (the fsrs package's default weights)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time
from string import ascii_lowercase
from zoneinfo import ZoneInfo

from assistant.errors import UserError
from assistant.phrases import phrase
from assistant.study.plan import Task
from assistant.study.progress import Progress, Standing
from assistant.study.study_log import Reviewed

RATINGS = ("again", "hard", "good", "easy")


@dataclass(frozen=True, slots=True)
class Due:
    """A finished topic and the day on which it should be reviewed."""

    task: Task
    day: date


def reviews(progress: Progress, reviewed: Sequence[Reviewed], zone: ZoneInfo) -> list[Due]:
    """Return when each finished topic is to be reviewed next, the most urgent first.

    Finishing a topic counts as its first review, rated good. Days are enough: there are no steps
    of minutes, and no chance in the intervals.
    """
    from fsrs import Card, Rating, Scheduler

    scheduler = Scheduler(learning_steps=(), relearning_steps=(), enable_fuzzing=False)
    due: list[Due] = []
    for task, finished in _topics(progress).items():
        first = datetime.combine(finished, time(12), zone).astimezone(UTC)
        card, _ = scheduler.review_card(Card(card_id=1), Rating.Good, first)
        for review in reviewed:
            if topic_of(review.task) == topic_of(task.id) and review.at <= progress.as_of:
                card, _ = scheduler.review_card(
                    card, Rating(review.rating), review.at.astimezone(UTC)
                )
        due.append(Due(task, card.due.astimezone(zone).date()))
    return sorted(due, key=lambda item: item.day)


def topic_of(task: str) -> str:
    """Return the part of a course that a task is about: `ml-3` for its pieces `ml-3b`, `ml-3c`."""
    return task.rstrip(ascii_lowercase) if task.rstrip(ascii_lowercase)[-1:].isdigit() else task


def _topics(progress: Progress) -> dict[Task, date]:
    """The parts of courses whose pieces are all complete, each by its first piece."""
    parts: dict[str, list[Standing]] = {}
    for standing in progress.standings:
        if standing.task.course is not None:
            parts.setdefault(topic_of(standing.task.id), []).append(standing)
    return {
        pieces[0].task: max(s.day for s in pieces if s.day is not None)
        for pieces in parts.values()
        if all(s.complete and s.day for s in pieces)
    }


def read_rating(text: str) -> int:
    """Return FSRS's number of a rating.

    Raises:
        UserError: it is none of again, hard, good, easy.
    """
    plain = text.strip().lower()
    if plain not in RATINGS:
        raise UserError(phrase("study.bad_rating", text=text, ratings=RATINGS))
    return RATINGS.index(plain) + 1
