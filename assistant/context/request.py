"""What the budget manager is given, how it shares the room, and what it returns."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from assistant.errors import SettingsError
from assistant.messages import Json, Message, ToolSchema
from assistant.phrases import Phrase, phrase
from assistant.sessions import Summary, Turn, TurnMessage
from memory_store import Hit, Judgement, Recall

if TYPE_CHECKING:
    from pandas import DataFrame

PARTS = ("system", "tools", "summary", "window", "memories", "question", "steps")
"""The parts of a request, in its order; `steps` are those of the run so far."""


@dataclass(frozen=True, slots=True)
class Shares:
    """How the room is shared. What a part leaves unused goes to the window.

    Attributes:
        memories: the most that memories get of what system, tools and question leave, and …
        memory_tokens: … the most in tokens.
        summary: the most that the summary gets.
        result: the most that one tool result gets, of the whole bound.
        steps: kept free for the steps of a run with tools, so that the window need not shrink
            (and with it the common prefix) from step to step.
    """

    memories: float = 0.35
    memory_tokens: int = 2_000
    summary: float = 0.08
    result: float = 0.15
    steps: float = 0.12

    def __post_init__(self) -> None:
        for name in ("memories", "summary", "result", "steps"):
            share = getattr(self, name)
            if not 0 <= share < 1:
                raise SettingsError(phrase("context.bad_share", name=name, share=share))
        if self.memory_tokens < 0:
            raise SettingsError(phrase("context.bad_memory_tokens", tokens=self.memory_tokens))
        if self.memories + self.summary + self.steps >= 1:
            raise SettingsError(phrase("context.bad_sum"))


@dataclass(frozen=True, slots=True)
class ContextRequest:
    """What may go into one model call.

    Attributes:
        recall: the memories, recalled with the manager's budget and without the window's chunks.
        window: the turns since the summary, oldest first, without the one that runs.
        steps: the messages of the run so far.
        judgements: how current the chunks of the window and the summary are, by chunk id.
        withhold_stale: for weak models: a stale value is not shown, only how to refresh it.
        repeat_window: for weak models: memories may say again, beside the question, what the
            window says.
        adapt: how the protocol says a message on the wire, where it does not go as it is.
    """

    system: str
    question: str
    recall: Recall
    tools: tuple[ToolSchema, ...] = ()
    response_schema: Mapping[str, Json] | None = None
    summary: Summary | None = None
    window: tuple[Turn, ...] = ()
    steps: tuple[TurnMessage, ...] = ()
    judgements: Mapping[str, Judgement] = field(default_factory=dict[str, Judgement])
    withhold_stale: bool = False
    repeat_window: bool = False
    adapt: Callable[[Message], Message] | None = None

    def say(self, message: Message) -> Message:
        """Return a message as it goes on the wire."""
        return message if self.adapt is None else self.adapt(message)


@dataclass(frozen=True, slots=True)
class LeftOut:
    """Something that did not go into a request, and why."""

    what: str | Phrase
    why: str | Phrase


@dataclass(frozen=True, slots=True)
class Context:
    """A request that fits.

    Attributes:
        messages: what is sent, in order, as the protocol says it.
        parts: tokens by part, see `PARTS`.
        tokens: their sum; `tokens` times `factor` is at most `limit - reserve`.
        factor: what our count is multiplied with, as learned from the server's own count.
        hits: the memories that stand in the request.
    """

    messages: tuple[Message, ...]
    parts: dict[str, int]
    tokens: int
    limit: int
    reserve: int
    factor: float = 1.0
    hits: tuple[Hit, ...] = ()
    left_out: tuple[LeftOut, ...] = ()

    def to_pandas(self) -> DataFrame:
        """Return the parts and their tokens as a data frame (needs the `notebooks` extra).

        Raises:
            ExtraMissing: pandas is not installed.
        """
        from assistant.context.context_view import to_pandas

        return to_pandas(self)

    def _repr_html_(self) -> str:
        """Show the parts as bars of tokens, in Jupyter."""
        from assistant.context.context_view import to_html

        return to_html(self)
