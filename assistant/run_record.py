"""A finished run as data, folded from its events: what evaluations, teams and notebooks read."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, cast

from assistant.events import Answered, Event, ModelCalled, Notice, Observed, Recalled, Stopped
from assistant.messages import Json
from memory_store import Recall

if TYPE_CHECKING:
    from pandas import DataFrame


@dataclass(frozen=True, slots=True)
class StepRecord:
    """One tool call and what came of it. `arguments` is the model's text where it is no JSON."""

    tool: str
    arguments: dict[str, Json] | str
    observation: str
    ok: bool
    step: int = 0


@dataclass(frozen=True, slots=True)
class RunRecord:
    """Everything that a run told.

    Attributes:
        recall: what memory gave before the first model call; None where it was not asked.
        model_calls: one a model call, with its tokens.
    """

    answer: str
    session: str
    run: str
    stopped: Stopped
    steps: tuple[StepRecord, ...] = ()
    recall: Recall | None = None
    model_calls: tuple[ModelCalled, ...] = ()
    notices: tuple[str, ...] = field(default=())

    @property
    def largest_request(self) -> int:
        """Tokens of the largest request of the run."""
        return max((call.tokens for call in self.model_calls), default=0)

    def to_pandas(self) -> DataFrame:
        """Return the run's events as a data frame (needs the `notebooks` extra).

        Raises:
            ExtraMissing: pandas is not installed.
        """
        from assistant.run_view import to_pandas

        return to_pandas(self)

    def _repr_html_(self) -> str:
        """Show the run as a timeline, in Jupyter."""
        from assistant.run_view import to_html

        return to_html(self)


def record_run(events: Iterable[Event]) -> RunRecord:
    """Consume a run's events and return its record.

    Raises:
        ValueError: the events end before the run is answered.
    """
    recall: Recall | None = None
    steps: list[StepRecord] = []
    calls: list[ModelCalled] = []
    notices: list[str] = []
    answered: Answered | None = None
    for event in events:
        match event:
            case Recalled(recall=found):
                recall = found
            case ModelCalled():
                calls.append(event)
            case Observed():
                steps.append(_step(event))
            case Notice(text=text):
                notices.append(text)
            case Answered():
                answered = event
            case _:
                pass
    if answered is None:
        raise ValueError("the run's events end without an answer")
    return RunRecord(
        answer=answered.text,
        session=answered.session,
        run=answered.run,
        stopped=answered.stopped,
        steps=tuple(steps),
        recall=recall,
        model_calls=tuple(calls),
        notices=tuple(notices),
    )


def _step(event: Observed) -> StepRecord:
    return StepRecord(
        event.call.name, _arguments(event.call.arguments), event.text, event.ok, event.step
    )


def _arguments(text: str) -> dict[str, Json] | str:
    try:
        arguments: Json = json.loads(text or "{}")
    except ValueError:
        return text
    return cast("dict[str, Json]", arguments) if isinstance(arguments, dict) else text
