"""The state of one run: what was asked, what is known, which calls were made."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from assistant.context.request import Context, ContextRequest
from assistant.context.window import chunk_ids
from assistant.context.wording import Language
from assistant.messages import Message, ToolCall
from assistant.sessions import Session, Turn, TurnMessage
from assistant.tools import RunContext, ToolRegistry
from assistant.tools.registry import Outcome


@dataclass(frozen=True, slots=True)
class Made:
    """A call that was made in this run, and what came of it."""

    call: ToolCall
    outcome: Outcome
    chunk_id: str | None = None


@dataclass(slots=True)
class Run:
    """One run, as the loop and its protocol see it.

    Attributes:
        context: what tools may know of the run before its first step.
        request: what may go into this run's model calls, without its steps.
        room: the tokens that a request may have.
        steps: the messages of the run so far, nudges included.
        made: the calls so far, in order.
        number: the step that runs, 1-based; a step is one model call and the calls it asks for.
        sent: what the last model call held.
    """

    session: Session
    turn: Turn
    tools: ToolRegistry
    context: RunContext
    request: ContextRequest
    room: int
    steps: list[TurnMessage] = field(default_factory=list[TurnMessage])
    made: list[Made] = field(default_factory=list[Made])
    number: int = 0
    sent: Context | None = None

    @property
    def question(self) -> str:
        """What the user asked."""
        return self.turn.question

    @property
    def language(self) -> Language:
        """The language of the answer."""
        return self.context.language

    @property
    def gathered(self) -> list[str]:
        """What the calls have told so far."""
        return [made.outcome.text for made in self.made if made.outcome.ok]

    @property
    def context_now(self) -> RunContext:
        """What tools may know of the run by now."""
        window = self.request.window
        made = [each for each in self.made if each.outcome.ok]
        results = [id_ for each in made for id_ in (each.chunk_id, *each.outcome.sources) if id_]
        recalled = [hit.chunk.id for hit in self.request.recall.hits]
        return replace(
            self.context,
            said=tuple(turn.question for turn in window),
            told=tuple(self.gathered),
            results=tuple(results),
            seen=(*recalled, *chunk_ids(window)),
        )

    @property
    def succeeded(self) -> frozenset[str]:
        """The names of the tools of which a call has succeeded in this run."""
        return frozenset(each.call.name for each in self.made if each.outcome.ok)

    def tell(self, reply: str, told: str) -> None:
        """Add a reply that was no answer, and what the model is told about it."""
        for message in (Message("assistant", reply or "…"), Message("user", told)):
            self.steps.append(TurnMessage(message, self.number))
