"""Runs the tool calls of one step, each written down before and after."""

from __future__ import annotations

import json
from collections.abc import Generator
from dataclasses import dataclass, replace

from assistant.agent.guards import Guards
from assistant.agent.protocols.protocol import Calls
from assistant.agent.reading import fitted, read_object
from assistant.agent.remember import Recorder
from assistant.agent.run import Made, Run
from assistant.events import Event, Observed, Stopped, ToolCalled
from assistant.messages import Json, Message, ToolCall
from assistant.tools import ToolRegistry
from assistant.tools.registry import Outcome


@dataclass(frozen=True, slots=True)
class Caller:
    """Calls the tools of an agent."""

    tools: ToolRegistry
    recorder: Recorder

    def call(
        self, run: Run, asked: Calls, guards: Guards
    ) -> Generator[Event, None, Stopped | None]:
        """Run the calls in their order; return why a guard stopped the run, or None."""
        read = [self._arguments(call) for call in asked.calls]
        wire = tuple(
            replace(call, arguments=json.dumps(arguments or {}, ensure_ascii=False))
            for call, arguments in zip(asked.calls, read, strict=True)
        )
        self.recorder.asked(run, Message("assistant", asked.text, wire))
        for call, original, arguments in zip(wire, asked.calls, read, strict=True):
            yield ToolCalled(run.number, call)
            text = self.tools.call_text(call.name, arguments or {})
            if stopped := guards.before_call(run.number, text):
                return stopped
            if arguments is None:
                outcome = Outcome(_unreadable(original), ok=False)
            else:
                outcome = self.tools.run(call.name, arguments, run.context_now)
            remarks = [guards.remark(text, run.language)]
            if call is wire[-1]:
                remarks.append(asked.remark)
            chunk_id = self.recorder.result(run, call, outcome, "\n".join(filter(None, remarks)))
            run.made.append(Made(call, outcome, chunk_id))
            yield Observed(run.number, call, outcome.text, outcome.ok, chunk_id)
        return None

    def _arguments(self, call: ToolCall) -> dict[str, Json] | None:
        arguments = read_object(call.arguments)
        tool = self.tools.get(call.name)
        return arguments if arguments is None or tool is None else fitted(tool, arguments)


def _unreadable(call: ToolCall) -> str:
    return (
        f"The arguments of {call.name} are no JSON object: {call.arguments[:200]!r}. Write them"
        ' like {"name": "value"}.'
    )
