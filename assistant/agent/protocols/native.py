"""Native tool calls: the model is given the tools' schemas and asks for calls itself."""

from __future__ import annotations

import json
from dataclasses import replace

from assistant.agent.moment import dated
from assistant.agent.protocols.protocol import Answer, Ask, Calls, Frame, Reading, Unreadable
from assistant.agent.protocols.text import TextReply, read_reply
from assistant.agent.reading import without_thinking
from assistant.agent.run import Run
from assistant.context.wording import Language
from assistant.messages import ToolCall
from assistant.model.chat_model import ModelReply
from assistant.prompts import prompt
from assistant.tools import ToolRegistry

LONGEST_CALL = 1_000
"""Characters up to which a reply may be a call that was written as text."""
EMPTY = {
    "en": "Your reply was empty. Answer the user, or call a tool.",
    "zh": "你的回复是空的。请回答用户，或调用工具。",
}


class NativeProtocol:
    """Tool calls as the chat completions API has them."""

    name = "tools"

    def __init__(self, tools: ToolRegistry) -> None:
        self._tools = tools

    def frame(self, language: Language) -> Frame:
        """Return the system prompt and every tool."""
        return Frame(prompt("tools", language), self._tools.schemas())

    def plan(self, run: Run) -> Ask:
        """Ask the model, with the date told beside the question."""
        return Ask(replace(run.request, question=dated(run), steps=tuple(run.steps)))

    def read(self, reply: ModelReply, run: Run) -> Reading:
        """Return the calls, with their ids made unique, or the answer."""
        text = without_thinking(reply.text)
        if reply.calls:
            return Calls(_unique(reply.calls, run), text)
        if not text:
            return Unreadable("", EMPTY[run.language])
        written = read_reply(text, self._tools) if len(text) < LONGEST_CALL else TextReply()
        if written.call is not None:
            arguments = json.dumps(written.call.arguments, ensure_ascii=False)
            call = ToolCall(f"call_{run.number}", written.call.name, arguments)
            return Calls((call,), written.thought, written.remark, in_text=True)
        return Answer(text)


def _unique(calls: tuple[ToolCall, ...], run: Run) -> tuple[ToolCall, ...]:
    """Return the calls with an id each that no other call of the run has."""
    taken = {made.call.id for made in run.made}
    unique: list[ToolCall] = []
    for position, call in enumerate(calls, start=1):
        call_id = call.id
        if not call_id or call_id in taken:
            call_id = f"{call_id or 'call'}_{run.number}_{position}"
        taken.add(call_id)
        unique.append(replace(call, id=call_id))
    return tuple(unique)
