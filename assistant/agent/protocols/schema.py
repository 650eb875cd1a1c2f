"""The turns of the `schema` protocol, for small models that follow a JSON schema but not `tools`.

Code carries what such a model cannot: it shortlists the tools by the question, makes a refresh
call itself where a stale memory names it, has the model fill in the arguments only, checks that
these were said, withholds stale values, and asks for the answer in plain words.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import partial

from assistant.agent.claim_words import UNKNOWN
from assistant.agent.intent import intent_of
from assistant.agent.protocols.protocol import (
    Answer,
    Ask,
    Calls,
    Frame,
    Nothing,
    Reading,
    Unreadable,
)
from assistant.agent.protocols.schema_answer import ask_answer, modest
from assistant.agent.protocols.schema_arguments import (
    Known,
    ask_arguments,
    filled_in,
    refreshing,
    worth_calling,
)
from assistant.agent.protocols.schema_memories import telling_memories
from assistant.agent.reading import read_object, without_thinking
from assistant.agent.run import Run
from assistant.agent.shortlist import Similarity, part_for, shortlist
from assistant.context.memories import quote
from assistant.context.wording import Language
from assistant.messages import Json, Message, ToolCall
from assistant.model.chat_model import ModelReply
from assistant.prompts import prompt
from assistant.tools import Tool, ToolRegistry, calls

_CALLED = {"en": "Tool called: {}", "zh": "调用了工具：{}"}
_PAST = {"en": "Tool result:\n{}", "zh": "工具结果：\n{}"}
_EMPTY = {"en": "Your reply was empty. Answer.", "zh": "你的回复是空的。请回答。"}


@dataclass(slots=True)
class SchemaProtocol:
    """Asks a small model, for one run."""

    tools: ToolRegistry
    similarity: Similarity
    known: Known
    name: str = field(default="schema", init=False)
    _queue: list[Tool] | None = field(default=None, init=False)
    _taken: int = field(default=0, init=False)
    _filling: Tool | None = field(default=None, init=False)
    _missing: list[str] = field(default_factory=list[str], init=False)
    _again: bool = field(default=False, init=False)

    def frame(self, language: Language) -> Frame:
        """Return a short system prompt; tools are shown when their turn comes."""
        return Frame(
            prompt("schema", language),
            withhold_stale=True,
            repeat_window=True,
            adapt=partial(_in_words, language),
            tells_date=True,
        )

    def plan(self, run: Run) -> Ask | Calls:
        """Make a refresh call, have arguments filled in, or ask for the answer."""
        if self._queue is None:
            self._queue = self._shortlisted(run.question)
        if self._taken == len(self._queue):
            return ask_answer(run, missing=self._missing, again=self._again)
        tool = self._queue[self._taken]
        self._taken += 1
        refresh = refreshing(tool, run)
        if refresh is not None or not tool.arguments.model_fields:
            return _calls(tool, [refresh or {}], run)
        self._filling = tool
        part = part_for(tool, run.question) if len(self._queue) > 1 else run.question
        return ask_arguments(tool, part, run)

    def read(self, reply: ModelReply, run: Run) -> Reading:
        """Take the arguments that the model filled in, or its answer."""
        text = without_thinking(reply.text)
        if self._filling is None:
            answer = modest(text, run, again=self._again)
            if not self._again and UNKNOWN.search(answer) and telling_memories(run):
                self._again = True
                return Nothing()
            return Answer(answer) if answer else Unreadable("", _EMPTY[run.language])
        tool, self._filling = self._filling, None
        wanted, missing = worth_calling(tool, filled_in(text), run, self.known)
        self._missing += missing
        return _calls(tool, wanted, run) if wanted else Nothing()

    def _shortlisted(self, question: str) -> list[Tool]:
        intent = intent_of(question)
        if intent == "small_talk":
            return []
        found = shortlist(question, self.tools, self.similarity)
        # What is only told needs no tool, but for one that says that it applies.
        return found if intent == "question" else [tool for tool in found if tool.when is not None]


def _calls(tool: Tool, wanted: Iterable[dict[str, Json]], run: Run) -> Calls:
    texts = (json.dumps(arguments, ensure_ascii=False) for arguments in wanted)
    return Calls(
        tuple(
            ToolCall(f"call_{run.number}_{number}", tool.name, text)
            for number, text in enumerate(texts, start=1)
        )
    )


def _in_words(language: Language, message: Message) -> Message:
    """Say calls and results in words, as such a model's template has no place for them."""
    if message.calls:
        texts = (calls.canonical(c.name, read_object(c.arguments) or {}) for c in message.calls)
        return Message("user", _CALLED[language].format(", ".join(texts)))
    if message.role == "tool":
        return Message("user", _PAST[language].format(quote(message.content)))
    return message
