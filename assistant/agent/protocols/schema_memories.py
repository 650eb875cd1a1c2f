"""Which memories a small model is shown in the `schema` protocol."""

from __future__ import annotations

from dataclasses import replace

from assistant.agent.claim_words import UNKNOWN
from assistant.agent.claims import sentences
from assistant.agent.intent import intent_of
from assistant.agent.orders import harmless
from assistant.agent.run import Run
from assistant.agent.support import speaks_of
from assistant.context.request import ContextRequest
from memory_store import Hit

MOST_MEMORIES = 6
"""Memories that such a model is shown; more slow it down and lead it astray."""


def with_memories(request: ContextRequest, hits: tuple[Hit, ...]) -> ContextRequest:
    """Return a request with these memories in place of its own."""
    return replace(request, recall=replace(request.recall, hits=hits))


def shown_memories(run: Run) -> tuple[Hit, ...]:
    """Return the memories that can help, without orders in them."""
    hits = run.request.recall.hits
    told = {hit.chunk.scope.turn for hit in hits if _only_tells(hit)}
    return tuple(
        harmless(hit, run.language)
        for hit in hits
        # An answer to what was only told ("I see") would be given again.
        if _useful(hit) and not (hit.chunk.kind == "answer" and hit.chunk.scope.turn in told)
    )[:MOST_MEMORIES]


def telling_memories(run: Run) -> tuple[Hit, ...]:
    """Return the memories that speak of what is asked; none where a tool has told it.

    Such a model says of one that stands alone that it does not know: it is asked once more,
    of these only, and without the leave to say so.
    """
    if run.gathered or intent_of(run.question) != "question":
        return ()
    current = (hit for hit in shown_memories(run) if hit.verdict.current)
    return tuple(hit for hit in current if speaks_of(hit.text, run.question))


def said_earlier(run: Run) -> list[str]:
    """Return what the user said earlier, as far as it stands before the model."""
    own = (hit for hit in shown_memories(run) if hit.chunk.origin == "user")
    hits = (hit.text for hit in own if hit.chunk.kind in ("question", "fact"))
    return [*hits, *(turn.question for turn in run.request.window)]


def _only_tells(hit: Hit) -> bool:
    chunk = hit.chunk
    return bool(chunk.scope.turn) and chunk.kind == "question" and intent_of(hit.text) != "question"


def _useful(hit: Hit) -> bool:
    """Whether a memory can hold an answer: a bare question and an "I don't know" cannot."""
    text = hit.text.strip()
    if hit.chunk.kind == "question":
        return len(sentences(text)) > 1 or intent_of(text) != "question"
    return hit.chunk.kind != "answer" or UNKNOWN.search(text) is None
