"""The loop of one run: recall, ask the model, run its calls, answer, remember."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from datetime import tzinfo
from typing import Literal

from assistant.agent.accepting import Acceptance
from assistant.agent.asking import Asker
from assistant.agent.calling import Caller
from assistant.agent.guards import Guards, Limits
from assistant.agent.protocols.choice import Protocols
from assistant.agent.protocols.protocol import Ask
from assistant.agent.remember import Recorder
from assistant.agent.run import Run
from assistant.agent.steps import Steps
from assistant.context.budget import ContextManager
from assistant.context.prepare import prepare
from assistant.context.report import Report, report
from assistant.context.wording import Language, language_for
from assistant.errors import UserError
from assistant.events import Answered, Event
from assistant.model.chat_model import ChatModel
from assistant.phrases import phrase
from assistant.sessions import Session, Sessions, Turn
from assistant.tools import RunContext, ToolRegistry
from assistant.tools.definition import Confirm
from memory_store.protocols import Clock
from memory_store.store import MemoryStore

Afterwards = Callable[[Session, Turn], Iterable[Event]]
"""Work that is done after the answer is out: rolling the summary, extracting facts."""


class Agent:
    """Runs questions through memory, model and tools. Safe to use from several threads."""

    def __init__(
        self,
        *,
        model: ChatModel,
        store: MemoryStore,
        sessions: Sessions,
        manager: ContextManager,
        tools: ToolRegistry,
        protocols: Protocols,
        clock: Clock,
        zone: tzinfo,
        language: Language | Literal["auto"] = "auto",
        limits: Limits | None = None,
        temperature: float = 0.1,
        marker: str | None = None,
        confirm: Confirm | None = None,
        afterwards: Sequence[Afterwards] = (),
    ) -> None:
        """Take the parts.

        Args:
            language: of the answers; `auto`: that of each question.
            marker: what the model must end a complete answer with; it is taken off again.
            confirm: asks the user; None where nobody can be asked.
            afterwards: work to do once the answer is out.
        """
        self.model = model
        self._store = store
        self._sessions = sessions
        self._manager = manager
        self._tools = tools
        self._protocols = protocols
        self._clock = clock
        self._zone = zone
        self._language: Language | Literal["auto"] = language
        self._limits = limits or Limits()
        self._marker = marker
        self._confirm = confirm
        self._afterwards = tuple(afterwards)
        self._recorder = Recorder(store, sessions)
        self._asker = Asker(model, manager, temperature)
        self._caller = Caller(tools, self._recorder)

    def run(self, session: Session, question: str) -> Iterator[Event]:
        """Answer a question, yielding what happens; the question is durable before anything else.

        What comes after `Answered` is work that does not hold up the answer; a caller that stops
        there loses nothing.

        Raises:
            UserError: the question is empty, or does not fit the context.
            ModelError: the model could not answer; the question is kept for `retry`.
        """
        if not question.strip():
            raise UserError(phrase("run.empty"), hint=phrase("run.give_text"))
        return self._run(session, self._sessions.start_turn(session, question))

    def record(self, session: Session, message: str) -> Turn:
        """Remember a message as a turn of the session, without answering it."""
        return self._recorder.question(session, self._sessions.start_turn(session, message))

    def retry(self, session: Session) -> Iterator[Event]:
        """Answer the session's last question again, which was left without an answer.

        Raises:
            UserError: there is no such question.
        """
        turns = self._sessions.turns(session)
        if not turns or turns[-1].answer is not None:
            raise UserError(phrase("run.nothing_open", session=session.label))
        return self._run(session, replace(turns[-1], steps=()))

    def preview(self, session: Session, question: str = "") -> Report:
        """Explain what a request would hold; nothing is sent or written."""
        now = self._sessions.find(session.id) or session
        turn = Turn("", session.id, now.turns + 1, self._clock(), question)
        steps = self._start(session, turn)
        planned = steps.protocol.plan(steps.run) if question.strip() else None
        request = planned.request if isinstance(planned, Ask) else steps.run.request
        return report(self._manager, request, self._manager.fit(request))

    def _run(self, session: Session, turn: Turn) -> Iterator[Event]:
        try:
            turn = self._recorder.question(session, turn)
            steps = self._start(session, turn)
            try:
                answer, stopped = yield from steps.take()
            except KeyboardInterrupt:
                answer, stopped = steps.ended("interrupted")
        except BaseException as error:
            left = isinstance(error, GeneratorExit | KeyboardInterrupt)
            self._sessions.finish(turn, None, "interrupted" if left else "failed")
            raise
        turn = self._recorder.answer(steps.run, answer, stopped)
        yield Answered(answer, stopped, session.label, turn.id)
        for work in self._afterwards:
            yield from work(session, turn)

    def _start(self, session: Session, turn: Turn) -> Steps:
        language = language_for(self._language, turn.question)
        context = RunContext(
            session.id, turn.id, turn.question, language, self._clock, self._zone, self._confirm
        )
        protocol = self._protocols.choose(self.model, turn.question)
        frame = protocol.frame(language)
        acceptance = Acceptance(self._marker, frame.tells_date)
        request = prepare(
            manager=self._manager,
            sessions=self._sessions,
            memory=self._store,
            clock=self._clock,
            session=session,
            turn=turn,
            question=turn.question,
            system=frame.system + acceptance.rule(language),
            tools=frame.tools,
            withhold_stale=frame.withhold_stale,
            repeat_window=frame.repeat_window,
            adapt=frame.adapt,
        )
        run = Run(session, turn, self._tools, context, request, self._manager.bound)
        guards = Guards(self._limits, time.monotonic())
        return Steps(
            run,
            protocol,
            guards,
            acceptance,
            store=self._store,
            protocols=self._protocols,
            asker=self._asker,
            caller=self._caller,
        )
