"""The seam between the loop and the ways in which a model is asked and answers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol as Interface

from assistant.agent.run import Run
from assistant.context.request import ContextRequest
from assistant.context.wording import Language
from assistant.events import Stopped
from assistant.messages import Message, ToolCall, ToolSchema
from assistant.model.chat_model import ModelReply


@dataclass(frozen=True, slots=True)
class Frame:
    """What stays the same in every request of a run; see `ContextRequest` for the first fields.

    Attributes:
        tells_date: the model takes today's date from the request and need not call a tool for it.
    """

    system: str
    tools: tuple[ToolSchema, ...] = ()
    withhold_stale: bool = False
    repeat_window: bool = False
    adapt: Callable[[Message], Message] | None = None
    tells_date: bool = False


@dataclass(frozen=True, slots=True)
class Ask:
    """What the model is asked next.

    Attributes:
        request: what may go into the call, the run's steps included; the loop fits it.
        stop: texts before which the model is stopped.
        shown: whether the reply may be an answer, to be shown as it comes.
    """

    request: ContextRequest
    stop: tuple[str, ...] = ()
    shown: bool = True


@dataclass(frozen=True, slots=True)
class Calls:
    """Tool calls to run, all of them before the model is asked again.

    Attributes:
        text: what the model said beside them.
        remark: what was wrong with the reply, told with the last result.
        in_text: the calls were written as text by a model that was given native tools.
    """

    calls: tuple[ToolCall, ...]
    text: str = ""
    remark: str = ""
    in_text: bool = False


@dataclass(frozen=True, slots=True)
class Answer:
    """The model's answer, or what the run ends with in its place."""

    text: str
    stopped: Stopped = "answered"


@dataclass(frozen=True, slots=True)
class Unreadable:
    """A reply that is neither calls nor an answer, and what the model is told about it."""

    text: str
    observation: str


@dataclass(frozen=True, slots=True)
class Nothing:
    """A reply that the protocol has taken in; it knows what to ask next."""


Reading = Calls | Answer | Unreadable | Nothing


class Protocol(Interface):
    """One way to ask a model, for one run.

    Attributes:
        name: `tools`, `schema` or `text`.
    """

    name: str

    def frame(self, language: Language) -> Frame:
        """Return what every request of the run begins with."""
        ...

    def plan(self, run: Run) -> Ask | Calls:
        """Return what comes next: a question to the model, or calls that need none."""
        ...

    def read(self, reply: ModelReply, run: Run) -> Reading:
        """Read a reply to what `plan` asked last."""
        ...
