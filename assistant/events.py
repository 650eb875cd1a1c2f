"""The typed events of a run, in the order in which they happen.

The command line, the web page, notebooks and evaluations consume this one stream.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from assistant.messages import ToolCall
from assistant.model.chat_model import Usage
from memory_store import Recall

Stopped = Literal["answered", "steps", "repeated", "time", "tokens", "interrupted", "failed"]
"""Why a run ended; everything but `answered` is a guard or a failure."""


@dataclass(frozen=True, slots=True)
class Recalled:
    """Memory was searched and judged."""

    recall: Recall


@dataclass(frozen=True, slots=True)
class ModelCalled:
    """A model call ended. `parts` are the request's tokens by part; `tokens` is their sum."""

    step: int
    request_id: str
    messages: int
    tokens: int
    parts: dict[str, int]
    usage: Usage | None
    seconds: float


@dataclass(frozen=True, slots=True)
class ToolCalled:
    """The model asked for a tool; it runs next."""

    step: int
    call: ToolCall


@dataclass(frozen=True, slots=True)
class Observed:
    """A tool's result, or what went wrong with the call, as the model is told it."""

    step: int
    call: ToolCall
    text: str
    ok: bool
    chunk_id: str | None


@dataclass(frozen=True, slots=True)
class TextDelta:
    """A piece of the answer, as it comes."""

    text: str


@dataclass(frozen=True, slots=True)
class Notice:
    """Something the user should know: a fallback, a guard, a retry."""

    text: str


@dataclass(frozen=True, slots=True)
class Answered:
    """The run's end. `text` is the whole answer, also where it was streamed before."""

    text: str
    stopped: Stopped
    session: str
    run: str


Event = Recalled | ModelCalled | ToolCalled | Observed | TextDelta | Notice | Answered
