"""The steps of one run: plan, ask, call, until there is an answer or a guard ends it."""

from __future__ import annotations

import time
from collections.abc import Generator
from dataclasses import dataclass, replace

from assistant.agent.accepting import Acceptance
from assistant.agent.asking import Asker
from assistant.agent.calling import Caller
from assistant.agent.claims import doubtful
from assistant.agent.finishing import finished
from assistant.agent.guards import Guards, ending
from assistant.agent.protocols.choice import Protocols
from assistant.agent.protocols.protocol import Answer, Ask, Calls, Protocol, Reading, Unreadable
from assistant.agent.run import Run
from assistant.agent.window import with_window
from assistant.errors import ModelUnsupported
from assistant.events import Event, Notice, Recalled, Stopped
from assistant.phrases import in_words, say, sentences
from memory_store import Recall
from memory_store.store import MemoryStore


@dataclass(slots=True)
class Steps:
    """Takes the steps of one run."""

    run: Run
    protocol: Protocol
    guards: Guards
    acceptance: Acceptance
    store: MemoryStore
    protocols: Protocols
    asker: Asker
    caller: Caller

    def take(self) -> Generator[Event, None, tuple[str, Stopped]]:
        """Take steps; return the answer, and why the run ended."""
        run = self.run
        recalled: Recall | None = None
        while True:
            run.number += 1
            if stopped := self.guards.before_model(run.number, time.monotonic()):
                return self.ended(stopped)
            planned = self.protocol.plan(run)
            if recalled is not run.request.recall:  # a protocol may know of more
                recalled = run.request.recall
                yield Recalled(with_window(run.request, self.store))
            reading: Reading | None
            reading = (yield from self._ask(planned)) if isinstance(planned, Ask) else planned
            match reading:
                case Answer(text, stopped):
                    objection = self.acceptance.objection(text, run)
                    if stopped != "answered" or objection is None:
                        return self.acceptance.delivered(text, run), stopped
                    run.tell(text, objection)
                case Calls():
                    if stopped := (yield from self.caller.call(run, reading, self.guards)):
                        return self.ended(stopped)
                case Unreadable(text, observation):
                    run.tell(text, observation)
                case _:
                    pass

    def ended(self, stopped: Stopped) -> tuple[str, Stopped]:
        """Return what a run that did not come to its answer ends with."""
        return ending(stopped, self.run.gathered, self.run.language), stopped

    def _ask(self, ask: Ask) -> Generator[Event, None, Reading | None]:
        """Ask the model; None where it has to be asked in another protocol."""
        run = self.run
        try:
            reply = yield from self.asker.ask(
                run, ask, self.guards, lambda text: doubtful(text, run.question, run.tools)
            )
        except ModelUnsupported as error:
            if not (yield from self._fall_back(in_words(error.said, run.language))):
                raise
            return None
        reading, notice = finished(reply, self.protocol.read(reply, run), run.language)
        if notice:
            yield Notice(notice)
        if isinstance(reading, Calls) and reading.in_text:
            yield from self._fall_back(say("run.calls_as_text", run.language))
        return reading

    def _fall_back(self, reason: str) -> Generator[Event, None, bool]:
        """Go on in the next protocol, if there is one; return whether there is."""
        other = self.protocols.fall_back(self.asker.model, self.protocol, self.run.question)
        if other is None:
            return False
        frame = other.frame(self.run.language)
        self.protocol = other
        self.acceptance.tells_date = frame.tells_date
        self.run.request = replace(
            self.run.request,
            system=frame.system + self.acceptance.rule(self.run.language),
            tools=frame.tools,
            withhold_stale=frame.withhold_stale,
            repeat_window=frame.repeat_window,
            adapt=frame.adapt,
        )
        told = say("run.other_protocol", self.run.language, name=other.name)
        yield Notice(sentences(reason, told))
        return True
