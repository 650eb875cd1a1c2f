"""A simulated learner: what a plan, its forecasts and its adjustments are worth over months."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from math import ceil
from typing import TYPE_CHECKING, Any

from assistant.study.availability import sittings
from assistant.study.change import CATCH_UP
from assistant.study.companion import Study
from assistant.study.plan import Plan
from assistant.study.progress import Progress
from memory_store.extras import frame
from memory_store.testing import FrozenClock

if TYPE_CHECKING:
    from pandas import DataFrame

BEHIND = 0.85
"""Below this schedule performance index the learner has the plan adjusted."""


@dataclass(frozen=True)
class Learner:
    """How somebody studies.

    Attributes:
        diligence: the share of the plan's sittings that take place.
        slowness: how much longer a task takes than planned.
        bad_weeks: weeks (numbers from 1) in which hardly anything takes place.
        adjusts: whether the plan is adjusted when it falls behind.
    """

    diligence: float = 0.9
    slowness: float = 1.1
    bad_weeks: Sequence[int] = (5, 6)
    adjusts: bool = True
    seed: int = 1

    def comes(self, rng: random.Random, week: int) -> bool:
        """Whether a sitting takes place."""
        return rng.random() < (0.15 if week in self.bad_weeks else self.diligence)


@dataclass(frozen=True)
class Studied:
    """What came of it.

    Attributes:
        weeks: one row a week: where the plan stood, what it forecast, what was adjusted.
        log: one row a check-in.
        finished: the day on which everything was done; None: not within `most` weeks.
    """

    weeks: DataFrame
    log: DataFrame
    finished: date | None


def follow(study: Study, clock: FrozenClock, learner: Learner, *, most: int = 30) -> Studied:
    """Let the learner follow the current plan, week by week, until all is done."""
    return _Course(study, clock, learner).run(most)


class _Course:
    def __init__(self, study: Study, clock: FrozenClock, learner: Learner) -> None:
        self._study = study
        self._clock = clock
        self._learner = learner
        self._rng = random.Random(learner.seed)
        self._spent: dict[str, int] = {}
        self._log: list[dict[str, Any]] = []
        self._sittings: dict[int, dict[date, list[int]]] = {}

    def run(self, most: int) -> Studied:
        start = self._study.plan().start
        weeks: list[dict[str, Any]] = []
        for week in range(1, most + 1):
            for offset in range(7):
                self._study_on(start + timedelta(days=7 * (week - 1) + offset), week)
            weeks.append(self._look_back(week))
            if not self._study.progress().next:
                return Studied(frame(weeks), frame(self._log), self._log[-1]["day"])
        return Studied(frame(weeks), frame(self._log), None)

    def _study_on(self, day: date, week: int) -> None:
        """Sit down as often as the plan says for that day, or catch up after its end."""
        plan = self._study.plan()
        self._clock.now = datetime.combine(day, time(22), self._study.zone)
        late = [90] if day > plan.end and day.weekday() in (1, 3, 5) else []
        for minutes in self._planned(plan).get(day, late):
            if self._learner.comes(self._rng, week):
                self._sit(minutes)

    def _planned(self, plan: Plan) -> dict[date, list[int]]:
        """The lengths of a plan's sittings, by day."""
        if plan.version not in self._sittings:
            days: dict[date, list[int]] = {}
            for sitting in sittings(plan):
                length = round((sitting.end - sitting.start) / timedelta(minutes=1))
                days.setdefault(sitting.start.astimezone(self._study.zone).date(), []).append(
                    length
                )
            self._sittings[plan.version] = days
        return self._sittings[plan.version]

    def _sit(self, minutes: int) -> None:
        """Work on what is next, and then on what follows, and say so."""
        while minutes > 0:
            standing = next(iter(self._study.progress().next), None)
            if standing is None:
                return
            task = standing.task
            spent = self._spent.get(task.id, 0)
            left = max(ceil(task.minutes * self._learner.slowness) - spent, 1)
            used = min(minutes, left)
            self._spent[task.id] = spent + used
            minutes -= used
            done = ", done" if used == left else ""
            entry = self._study.check_in(f"{used} min{done}", task=task.id)
            self._log.append(
                {
                    "day": entry.said.day,
                    "task": task.title,
                    "course": task.course,
                    "minutes": used,
                    "done": bool(done),
                }
            )

    def _look_back(self, week: int) -> dict[str, Any]:
        """Sunday evening: where the plan stands, and an adjustment where it has fallen behind."""
        progress = self._study.progress()
        plan = self._study.plan()
        adjusted = ""
        if self._learner.adjusts and progress.next and progress.spi < BEHIND:
            adjusted = self._adjust()
        return {
            "week": week,
            "day": progress.as_of.date(),
            **_hours(progress),
            "spi": progress.spi,
            "forecast": progress.forecast,
            "earliest": progress.earliest,
            "latest": progress.latest,
            "plan_end": plan.end,
            "version": self._study.plan().version,
            "adjusted": adjusted,
        }

    def _adjust(self) -> str:
        """Take the first proposal that leaves nothing out, else the first."""
        proposals = self._study.propose(CATCH_UP)
        if not proposals:
            return ""
        chosen = next((one for one in proposals if not one.lost), proposals[0])
        self._study.adjust(CATCH_UP, chosen.number)
        return f"{chosen.kind}: {chosen.summary}"


def _hours(progress: Progress) -> dict[str, float]:
    return {
        "planned": progress.planned / 60,
        "studied": progress.actual / 60,
        "earned": progress.earned / 60,
        "total": progress.total / 60,
    }
