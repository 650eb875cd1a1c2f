"""Runs the text protocol: asks, stops the model before it invents a result, shows what it did."""

from __future__ import annotations

import json
from dataclasses import replace

from assistant.agent.moment import dated
from assistant.agent.protocols.protocol import Answer, Ask, Calls, Frame, Reading, Unreadable
from assistant.agent.protocols.text import read_reply
from assistant.agent.protocols.text_calls import CallReader
from assistant.agent.reading import read_object
from assistant.agent.run import Run
from assistant.context.wording import Language
from assistant.messages import Message, ToolCall
from assistant.model.chat_model import ModelReply
from assistant.prompts import prompt
from assistant.tools import Tool, ToolRegistry
from assistant.tools.problems import form_of

_FORM = ("ACTION", "FINAL ANSWER", "THOUGHT", "行动", "最终答案", "思考")
STOP = ("OBSERVATION:", "Observation:", "观察：", "观察:")


class TextProtocol:
    """THOUGHT / ACTION / OBSERVATION / FINAL ANSWER, for models with neither tools nor schemas."""

    name = "text"

    def __init__(self, tools: ToolRegistry) -> None:
        self._tools = tools

    def frame(self, language: Language) -> Frame:
        """Return the system prompt that tells the form and the tools."""
        listed = "\n".join(map(_listed, self._tools))
        example = CallReader(self._tools).example
        system = prompt("text", language, tools=listed, example=example)
        return Frame(system, adapt=_WORDS[language])

    def plan(self, run: Run) -> Ask:
        """Ask the model, stopped before it writes an observation of its own."""
        request = replace(run.request, question=dated(run), steps=tuple(run.steps))
        return Ask(request, stop=STOP, shown=False)

    def read(self, reply: ModelReply, run: Run) -> Reading:
        """Return the first action, the answer, or what was wrong with the reply."""
        if reply.calls:  # a model with native calls after all
            return Calls(reply.calls, reply.text)
        read = read_reply(reply.text, self._tools)
        if read.call is not None:
            text = json.dumps(read.call.arguments, ensure_ascii=False)
            call = ToolCall(f"call_{run.number}", read.call.name, text)
            return Calls((call,), read.thought, read.remark)
        if read.answer is not None:
            return Answer(read.answer)
        return Unreadable(reply.text, f"OBSERVATION: {read.problem}")


def _listed(tool: Tool) -> str:
    return f"- {tool.description} {form_of(tool)}"


def _english(message: Message) -> Message:
    return _in_words(message, "THOUGHT: ", "ACTION: ", "OBSERVATION: ", "FINAL ANSWER: ")


def _chinese(message: Message) -> Message:
    return _in_words(message, "思考：", "行动：", "观察：", "最终答案：")


_WORDS = {"en": _english, "zh": _chinese}


def _in_words(
    message: Message, thought: str, action: str, observation: str, answer: str
) -> Message:
    """Say a message in the protocol's own form, so that the model keeps to it."""
    if message.calls:
        lines = [f"{thought}{message.content}"] if message.content else []
        for call in message.calls:
            arguments = json.dumps(read_object(call.arguments) or {}, ensure_ascii=False)
            lines.append(f"{action}{call.name}({arguments})")
        return Message("assistant", "\n".join(lines))
    if message.role == "tool":
        return Message("user", f"{observation}{message.content}")
    if message.role == "assistant" and not _has_form(message.content):
        return Message("assistant", f"{answer}{message.content}")
    return message


def _has_form(text: str) -> bool:
    upper = text.upper()
    return any(
        word in upper for word in ("ACTION", "FINAL ANSWER", "THOUGHT", "行动", "最终答案", "思考")
    )
