"""Writes a run down: its steps as they happen, its texts as memories with their contracts."""

from __future__ import annotations

import re
from collections.abc import Iterator

from assistant.agent.claim_words import NUMBER
from assistant.agent.claims import holds_nothing
from assistant.agent.run import Run
from assistant.context.window import chunk_ids
from assistant.events import Stopped
from assistant.messages import Message, ToolCall
from assistant.sessions import Session, Sessions, Turn, TurnMessage
from assistant.tools.registry import Outcome
from memory_store import Chunk, Draft
from memory_store.errors import NotFound
from memory_store.store import MemoryStore

_WORD = re.compile(r"[^\W\d_]{4,}")
_CHINESE = re.compile(r"[㐀-鿿]{2,}")
_PARTICLE = re.compile("[的是了在我你您他她它们和也都很吗呢吧]")  # says nothing by itself
_SHARE = 0.5
"""From this share of a source's own words on, an answer counts as made from it."""


class Recorder:
    """Keeps runs in the sessions and in the store; what belongs together commits together."""

    def __init__(self, store: MemoryStore, sessions: Sessions) -> None:
        self._store = store
        self._sessions = sessions

    def question(self, session: Session, turn: Turn) -> Turn:
        """Remember a turn's question."""
        draft = Draft("question", turn.question, session=session.id, turn=turn.id)
        with self._store.ledger.write() as connection:
            (chunk,) = self._store.remember([draft], joined=connection)
            return self._sessions.link_question(turn, chunk.id, joined=connection)

    def asked(self, run: Run, message: Message) -> None:
        """Write down an assistant message with calls, before they run."""
        step = TurnMessage(message, run.number)
        run.steps.append(step)
        self._sessions.add(run.turn, [step])

    def result(self, run: Run, call: ToolCall, outcome: Outcome, remark: str) -> str | None:
        """Write down a call's result and remember it; return its chunk's id, if it has one."""
        with self._store.ledger.write() as connection:
            chunk_id: str | None = None
            if outcome.ok and outcome.subject is not None:
                draft = Draft(
                    "tool_result",
                    outcome.text,
                    session=run.session.id,
                    turn=run.turn.id,
                    step=run.number,
                    subject=outcome.subject,
                    freshness=outcome.freshness,
                    origin="tool",
                    derived_from=outcome.sources,
                )
                chunk_id = self._store.remember([draft], joined=connection)[0].id
            told = Message("tool", outcome.text, call_id=call.id)
            step = TurnMessage(told, run.number, chunk_id, outcome.ok)
            self._sessions.add(run.turn, [step], joined=connection)
        if remark:
            told = Message("tool", f"{outcome.text}\n{remark}", call_id=call.id)
        run.steps.append(TurnMessage(told, run.number, chunk_id, outcome.ok))
        return chunk_id

    def answer(self, run: Run, text: str, stopped: Stopped) -> Turn:
        """Write down how a run ended, and remember its answer with what it was made from.

        The question of a run that the user stopped stays without an answer, so that it can be
        asked again.
        """
        with self._store.ledger.write() as connection:
            chunk_id: str | None = None
            # "I don't know" is no memory: recalled, it would only crowd out what is.
            if stopped == "answered" and text.strip() and not holds_nothing(text):
                draft = Draft(
                    "answer",
                    text,
                    session=run.session.id,
                    turn=run.turn.id,
                    step=run.number,
                    origin="assistant",
                    derived_from=tuple(self._sources(run, text)),
                )
                chunk_id = self._store.remember([draft], joined=connection)[0].id
            return self._sessions.finish(
                run.turn,
                text if stopped != "interrupted" else None,
                stopped,
                answer_chunk=chunk_id,
                joined=connection,
            )

    def _sources(self, run: Run, answer: str) -> list[str]:
        """Return the ids of what an answer was made from: it goes out of date, or away, with them.

        The run's own results count in any case; what else stood before the model, in its memories
        or its window, or was read by a tool, counts where the answer repeats it.
        """
        made = [each for each in run.made if each.outcome.ok]
        results = [self._chunk(each.chunk_id) for each in made if each.chunk_id is not None]
        read = [self._chunk(source) for each in made for source in each.outcome.sources]
        seen = [*self._shown(run), *(chunk for chunk in read if chunk is not None)]
        ids = [chunk.id for chunk in results if chunk is not None]
        ids += [chunk.id for chunk in seen if _uses_chunk(answer, chunk, run.question)]
        own = run.turn.chunk_ids
        return [each for each in dict.fromkeys(ids) if each not in own]

    def _chunk(self, chunk_id: str) -> Chunk | None:
        """Return a chunk; None where a tool of this very run has forgotten it."""
        try:
            return self._store.get(chunk_id)
        except NotFound:
            return None

    def _shown(self, run: Run) -> Iterator[Chunk]:
        """Yield the memories before the model, in the window too."""
        yield from (hit.chunk for hit in run.request.recall.hits)
        for chunk_id in chunk_ids(run.request.window):
            if chunk_id in run.request.judgements:
                chunk = self._chunk(chunk_id)
                if chunk is not None:
                    yield chunk


def _uses_chunk(answer: str, chunk: Chunk, question: str) -> bool:
    if chunk.kind == "fact" and chunk.subject:
        # Its value is what counts; the words of its subject name it, as a question does.
        return uses(answer, chunk.text, f"{question} {chunk.subject}")
    says_something = len(_words(chunk.text)) > 1 or NUMBER.search(chunk.text) is not None
    return says_something and uses(answer, chunk.text, question)  # "Noted." is nobody's source


def uses(answer: str, source: str, question: str) -> bool:
    """Whether an answer gives a value of `source` that the question does not hold itself.

    Numbers decide where the source has any; else the share of its words that the answer repeats.
    """
    numbers = set(NUMBER.findall(source)) - set(NUMBER.findall(question))
    if numbers:
        return not numbers.isdisjoint(NUMBER.findall(answer))
    words = _words(source) - _words(question)
    return bool(words) and len(words & _words(answer)) >= _SHARE * len(words)


def _words(text: str) -> set[str]:
    words = {word.lower() for word in _WORD.findall(text)}
    for run in _CHINESE.findall(_PARTICLE.sub(" ", text)):
        words.update(run[at : at + 2] for at in range(len(run) - 1))
    return words
