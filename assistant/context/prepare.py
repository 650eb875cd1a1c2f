"""From a session and a question to what may go into its requests: the one place that joins them."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from typing import Literal, Protocol

from assistant.context.budget import ContextManager
from assistant.context.request import ContextRequest
from assistant.context.window import chunk_ids
from assistant.messages import Json, Message, ToolSchema
from assistant.sessions import Session, Sessions, Turn
from memory_store import Judgement, Recall
from memory_store.protocols import Clock


class Memory(Protocol):
    """What is needed of `MemoryStore`."""

    def recall(
        self,
        query: str,
        *,
        budget: int = 2000,
        context: str = "",
        exclude: Collection[str] = (),
        stale: Literal["mark", "drop"] = "mark",
        limit: int | None = None,
    ) -> Recall:
        """Return the memories that a query finds, judged."""
        ...

    def judge(self, ids: Collection[str]) -> dict[str, Judgement]:
        """Return how current chunks are."""
        ...


def prepare(
    *,
    manager: ContextManager,
    sessions: Sessions,
    memory: Memory,
    clock: Clock,
    session: Session,
    question: str,
    system: str,
    turn: Turn | None = None,
    tools: tuple[ToolSchema, ...] = (),
    response_schema: Mapping[str, Json] | None = None,
    withhold_stale: bool = False,
    repeat_window: bool = False,
    adapt: Callable[[Message], Message] | None = None,
) -> ContextRequest:
    """Load the window, judge it anew, and recall what does not stand in it.

    Called once a run; `manager.fit(replace(request, steps=…))` is called before every model call.

    Args:
        turn: the turn that runs, which is not part of the window.
    """
    summary = sessions.summary(session)
    after, kept = (summary.through, summary.kept) if summary is not None else (0, ())
    window = tuple(
        past
        for past in sessions.turns(session, after, also=kept)
        if not past.forgotten and (turn is None or past.number < turn.number)
    )
    ids = chunk_ids(window) | set(summary.derived_from if summary is not None else ())
    request = ContextRequest(
        system,
        question,
        Recall(question, clock()),
        tools,
        response_schema,
        summary,
        window,
        judgements=memory.judge(ids) if ids else {},
        withhold_stale=withhold_stale,
        repeat_window=repeat_window,
        adapt=adapt,
    )
    if not question.strip():  # nobody has asked yet: a preview
        return request
    shown = manager.window_ids(request) if not repeat_window else ()
    own = turn.chunk_ids if turn is not None else ()
    recall = memory.recall(
        question,
        budget=manager.memory_tokens,
        context=_last_exchange(window),
        exclude={*shown, *own},
    )
    return replace(request, recall=recall)


def _last_exchange(window: Sequence[Turn]) -> str:
    """Return what was said just before, by which a follow-up question is understood."""
    return f"{window[-1].question}\n{window[-1].answer or ''}" if window else ""
