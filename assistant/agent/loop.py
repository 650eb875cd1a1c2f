"""The loop of one run: recall, ask the model, run its calls, answer, remember."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from dataclasses import replace
from datetime import tzinfo
from typing import Literal

from assistant.agent.guards import Guards, Limits, ending
from assistant.agent.protocols.choice import Protocols
from assistant.agent.protocols.protocol import Answer, Ask, Calls, Protocol, Unreadable
from assistant.agent.reading import read_object
from assistant.agent.remember import Recorder
from assistant.agent.run import Made, Run
from assistant.agent.window import with_window
from assistant.context.budget import ContextManager
from assistant.context.prepare import prepare
from assistant.context.report import Report, report
from assistant.context.request import Context
from assistant.context.wording import Language, language_of
from assistant.errors import ContextOverflow, ModelUnsupported, UserError
from assistant.events import (
    Answered,
    Event,
    ModelCalled,
    Notice,
    Observed,
    Recalled,
    Stopped,
    TextDelta,
    ToolCalled,
)
from assistant.messages import Message, ToolCall
from assistant.model.chat_model import ChatModel, ModelReply, ModelRequest
from assistant.sessions import Session, Sessions, Turn
from assistant.tools import RunContext, ToolRegistry
from assistant.tools.definition import Confirm
from assistant.tools.registry import Outcome
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
        confirm: Confirm | None = None,
        afterwards: Sequence[Afterwards] = (),
    ) -> None:
        self._model = model
        self._store = store
        self._sessions = sessions
        self._manager = manager
        self._tools = tools
        self._protocols = protocols
        self._clock = clock
        self._zone = zone
        self._language: Language | Literal["auto"] = language
        self._limits = limits or Limits()
        self._temperature = temperature
        self._confirm = confirm
        self._afterwards = tuple(afterwards)
        self._recorder = Recorder(store, sessions)

    def run(self, session: Session, question: str) -> Iterator[Event]:
        """Answer a question, yielding what happens; the question is durable before anything else.

        What comes after `Answered` is work that does not hold up the answer; a caller that stops
        there loses nothing.

        Raises:
            UserError: the question is empty, or does not fit the context.
            ModelError: the model could not answer; the question is kept for `retry`.
        """
        if not question.strip():
            raise UserError("The question is empty.", hint="Give a text to answer.")
        return self._run(session, self._sessions.start_turn(session, question))

    def retry(self, session: Session) -> Iterator[Event]:
        """Answer the session's last question again, which was left without an answer.

        Raises:
            UserError: there is no such question.
        """
        turns = self._sessions.turns(session)
        if not turns or turns[-1].answer is not None:
            raise UserError(f"Session {session.label} has no question without an answer.")
        return self._run(session, replace(turns[-1], steps=()))

    def preview(self, session: Session, question: str = "") -> Report:
        """Explain what a request would hold; nothing is sent or written."""
        now = self._sessions.find(session.id) or session
        turn = Turn("", session.id, now.turns + 1, self._clock(), question)
        request = self._start(session, turn, self._protocols.choose(self._model)).request
        return report(self._manager, request, self._manager.fit(request))

    def _run(self, session: Session, turn: Turn) -> Iterator[Event]:
        try:
            turn = self._recorder.question(session, turn)
            protocol = self._protocols.choose(self._model)
            run = self._start(session, turn, protocol)
            try:
                answer, stopped = yield from self._steps(run, protocol)
            except KeyboardInterrupt:
                answer, stopped = self._ending(run, "interrupted")
        except BaseException as error:
            left = isinstance(error, GeneratorExit | KeyboardInterrupt)
            self._sessions.finish(turn, None, "interrupted" if left else "failed")
            raise
        turn = self._recorder.answer(run, answer, stopped)
        yield Answered(answer, stopped, session.label, turn.id)
        for work in self._afterwards:
            yield from work(session, turn)

    def _start(self, session: Session, turn: Turn, protocol: Protocol) -> Run:
        language = language_of(turn.question) if self._language == "auto" else self._language
        context = RunContext(
            session.id, turn.id, turn.question, language, self._clock, self._zone, self._confirm
        )
        frame = protocol.frame(language)
        request = prepare(
            manager=self._manager,
            sessions=self._sessions,
            memory=self._store,
            clock=self._clock,
            session=session,
            turn=turn,
            question=turn.question,
            system=frame.system,
            tools=frame.tools,
            withhold_stale=frame.withhold_stale,
            adapt=frame.adapt,
        )
        return Run(session, turn, self._tools, context, request, self._manager.bound)

    def _steps(self, run: Run, protocol: Protocol) -> Generator[Event, None, tuple[str, Stopped]]:
        guards = Guards(self._limits, time.monotonic())
        recalled = run.request.recall
        while True:
            run.number += 1
            if stopped := guards.before_model(run.number, time.monotonic()):
                return self._ending(run, stopped)
            planned = protocol.plan(run)
            if run.request.recall is not recalled or run.number == 1:  # a protocol may add to it
                recalled = run.request.recall
                yield Recalled(with_window(run.request, self._store))
            if isinstance(planned, Ask):
                try:
                    reply = yield from self._ask(run, planned, guards)
                except ModelUnsupported as error:
                    protocol = self._fall_back(run, protocol, error)
                    yield Notice(
                        f"{error} From now on it is asked by the protocol {protocol.name}."
                    )
                    continue
                reading = protocol.read(reply, run)
            else:
                reading = planned
            match reading:
                case Answer(text):
                    return text, "answered"
                case Calls():
                    if stopped := (yield from self._call(run, reading, guards)):
                        return self._ending(run, stopped)
                case Unreadable(text, observation):
                    run.tell(text, observation)
                case _:
                    pass

    def _fall_back(self, run: Run, protocol: Protocol, error: ModelUnsupported) -> Protocol:
        other = self._protocols.fall_back(self._model, protocol)
        if other is None:
            raise error
        frame = other.frame(run.language)
        run.request = replace(
            run.request,
            system=frame.system,
            tools=frame.tools,
            withhold_stale=frame.withhold_stale,
            adapt=frame.adapt,
        )
        return other

    def _ask(self, run: Run, ask: Ask, guards: Guards) -> Generator[Event, None, ModelReply]:
        context = self._manager.fit(ask.request)
        try:
            reply = yield from self._complete(context, ask)
        except ContextOverflow as error:
            self._manager.learn_limit(error.limit)
            yield Notice(f"{error} The request is made shorter and sent again.")
            context = self._manager.fit(ask.request)
            reply = yield from self._complete(context, ask)
        run.sent = context
        guards.tokens += context.tokens
        if reply.usage is not None:
            guards.tokens += reply.usage.completion
            self._manager.observe(context, reply.usage.prompt)
        yield ModelCalled(
            run.number,
            reply.request_id,
            len(context.messages),
            context.tokens,
            context.parts,
            reply.usage,
            reply.seconds,
        )
        return reply

    def _complete(self, context: Context, ask: Ask) -> Generator[Event, None, ModelReply]:
        request = ModelRequest(
            context.messages,
            self._manager.reserve,
            ask.request.tools,
            ask.request.response_schema,
            self._temperature,
            ask.stop,
        )
        reply: ModelReply | None = None
        for piece in self._model.complete(request):
            if isinstance(piece, ModelReply):
                reply = piece
            elif ask.shown:
                yield TextDelta(piece)
        assert reply is not None, "a model ends with its whole reply"
        return reply

    def _call(
        self, run: Run, asked: Calls, guards: Guards
    ) -> Generator[Event, None, Stopped | None]:
        read = [(call, read_object(call.arguments)) for call in asked.calls]
        wire = tuple(
            replace(call, arguments=json.dumps(arguments or {}, ensure_ascii=False))
            for call, arguments in read
        )
        self._recorder.asked(run, Message("assistant", asked.text, wire))
        for (original, arguments), call in zip(read, wire, strict=True):
            yield ToolCalled(run.number, call)
            text = self._tools.call_text(call.name, arguments or {})
            if stopped := guards.before_call(run.number, text):
                return stopped
            if arguments is None:
                outcome = Outcome(_unreadable(original), ok=False)
            else:
                outcome = self._tools.run(call.name, arguments, run.context)
            remark = guards.remark(text, run.language)
            chunk_id = self._recorder.result(run, call, outcome, remark)
            run.made.append(Made(call, outcome, chunk_id))
            yield Observed(run.number, call, outcome.text, outcome.ok, chunk_id)
        return None

    def _ending(self, run: Run, stopped: Stopped) -> tuple[str, Stopped]:
        return ending(stopped, run.gathered, run.language), stopped


def _unreadable(call: ToolCall) -> str:
    return (
        f"The arguments of {call.name} are no JSON object: {call.arguments[:200]!r}. Write them"
        ' like {"name": "value"}.'
    )
