"""The `schema` protocol, for small models that follow a JSON schema but not `tools`.

Code carries what such a model cannot: it shortlists the tools by
the question, has the model fill in the arguments only, under a schema, checks that these were
said and not made up, makes a refresh call itself where a stale memory names it, withholds stale
values, and asks for the answer in plain words, from memories and results only.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import cast

from assistant.agent.addressing import to_user
from assistant.agent.claim_words import UNKNOWN
from assistant.agent.claims import claims_action, sentences
from assistant.agent.grounding import ungrounded
from assistant.agent.intent import Intent, intent_of
from assistant.agent.moment import today
from assistant.agent.orders import harmless, without_orders
from assistant.agent.protocols.protocol import (
    Answer,
    Ask,
    Calls,
    Frame,
    Nothing,
    Reading,
    Unreadable,
)
from assistant.agent.reading import read_object, without_thinking
from assistant.agent.run import Run
from assistant.agent.shortlist import Similarity, part_for, shortlist
from assistant.agent.support import asks_about_self, speaks_of, supported
from assistant.context.cutting import cut
from assistant.context.memories import quote
from assistant.context.request import ContextRequest
from assistant.context.window import reading
from assistant.context.wording import Language
from assistant.messages import Json, Message, ToolCall
from assistant.model.chat_model import ModelReply
from assistant.prompts import prompt
from assistant.tools import Tool, ToolRegistry, calls
from memory_store import Hit
from memory_store.store import estimate_tokens

Known = Callable[[str], Hit | None]
"""Returns the memory of a subject, if it is current."""

MOST_CALLS = 4
"""Calls of one tool that a reply may ask for at once."""
MOST_MEMORIES = 6
"""Memories that such a model is shown; more slow it down and lead it astray."""
RESULT_SHARE = 0.3
"""Share of the context that the results of the run may take."""

_FILL = {
    "en": "(Fill in the arguments of the tool {name}, only from what the user says: {about})",
    "zh": "（只根据用户所说，填写工具 {name} 的参数：{about}）",
}
_SAID: dict[Language, dict[Intent, str]] = {
    "en": {
        "question": "User: {}",
        "statement": "{}",
        "small_talk": "{}\n\n(Reply kindly, in one sentence.)",
    },
    "zh": {
        "question": "用户：{}",
        "statement": "{}",
        "small_talk": "{}\n\n（用一句话友好回应。）",
    },
}
_ASKED = {"en": "The user asks now: {}", "zh": "用户现在问：{}"}
_MISSING = {
    "en": "(To look this up, {names} must be known and was not said. Ask the user for it.)",
    "zh": "（要查这个，需要知道 {names}，但用户没有说。请向用户询问。）",
}
_CALLED = {"en": "Tool called: {}", "zh": "调用了工具：{}"}
_RETURNED = {
    "en": "Tool result of {}, true now:\n{}",
    "zh": "工具 {} 的结果，现在有效：\n{}",
}
_FAILED = {"en": "The tool {} failed:\n{}", "zh": "工具 {} 失败：\n{}"}
_PAST = {"en": "Tool result:\n{}", "zh": "工具结果：\n{}"}
_TAKEN_IN = {"en": "All right.", "zh": "好的。"}
_UNKNOWN = {"en": "I don't know that yet.", "zh": "我还不知道。"}
_EMPTY = {"en": "Your reply was empty. Answer.", "zh": "你的回复是空的。请回答。"}


@dataclass(slots=True)
class SchemaProtocol:
    """Asks a small model, for one run."""

    tools: ToolRegistry
    similarity: Similarity
    known: Known
    name: str = field(default="schema", init=False)
    _queue: list[Tool] | None = field(default=None, init=False)
    _filling: Tool | None = field(default=None, init=False)
    _missing: list[str] = field(default_factory=list[str], init=False)
    _again: bool = field(default=False, init=False)
    _several: bool = field(default=False, init=False)
    _language: Language = field(default="en", init=False)

    def frame(self, language: Language) -> Frame:
        """Return a short system prompt; tools are shown when their turn comes."""
        self._language = language
        system = prompt("schema", language)
        return Frame(
            system, withhold_stale=True, repeat_window=True, adapt=self._adapt, tells_date=True
        )

    def plan(self, run: Run) -> Ask | Calls:
        """Make a refresh call, have arguments filled in, or ask for the answer."""
        if self._queue is None:
            self._queue = self._shortlisted(run.question)
            self._several = len(self._queue) > 1
        while self._queue:
            tool = self._queue.pop(0)
            refresh = self._refresh(tool, run)
            if refresh is not None:
                return Calls((_as_call(tool, refresh, run, 1),))
            if not tool.arguments.model_fields:
                return Calls((_as_call(tool, {}, run, 1),))
            self._filling = tool
            return self._ask_arguments(tool, run)
        return self._ask_answer(run)

    def read(self, reply: ModelReply, run: Run) -> Reading:
        """Take the arguments that the model filled in, or its answer."""
        text = without_thinking(reply.text)
        if self._filling is None:
            answer = self._modest(text, run)
            if not self._again and UNKNOWN.search(answer) and self._telling(run):
                self._again = True
                return Nothing()
            return Answer(answer) if answer else Unreadable("", _EMPTY[run.language])
        tool, self._filling = self._filling, None
        read = read_object(text) or {}
        found = cast("Sequence[Json]", read.get("calls", []))
        asked = [cast("dict[str, Json]", each) for each in found if isinstance(each, dict)]
        wanted = self._worth_calling(tool, asked, run)
        if not wanted:
            return Nothing()
        return Calls(
            tuple(_as_call(tool, each, run, at) for at, each in enumerate(wanted, start=1))
        )

    def _modest(self, text: str, run: Run) -> str:
        """Return an answer without what such a model says it did, or makes up about the user."""
        kept = [each for each in sentences(text) if not claims_action(each, run.succeeded)]
        answer = to_user("".join(kept).strip(), run.question, self._said(run))
        if UNKNOWN.search(answer) is not None and (done := _done(run)):
            return done
        if answer and not run.gathered and (self._again or asks_about_self(run.question)):
            told = [*self._said(run), *(turn.answer or "" for turn in run.request.window)]
            told += [hit.text for hit in self._shown(run)]
            told += [run.request.summary.text] if run.request.summary is not None else []
            if UNKNOWN.search(answer) is None and not supported(answer, told, run.question):
                return _UNKNOWN[run.language]
        return answer or (_TAKEN_IN[run.language] if text else "")

    def _said(self, run: Run) -> list[str]:
        """Return what the user said earlier, as far as it stands before the model."""
        hits = (hit.text for hit in self._shown(run) if hit.chunk.kind in ("question", "fact"))
        return [*hits, *(turn.question for turn in run.request.window)]

    def _shown(self, run: Run) -> tuple[Hit, ...]:
        """Return the memories that such a model is shown."""
        hits = run.request.recall.hits
        told = {hit.chunk.scope.turn for hit in hits if _only_tells(hit)}
        return tuple(
            harmless(hit, run.language)
            for hit in hits
            # An answer to what was only told ("I see") would be given again.
            if _useful(hit) and not (hit.chunk.kind == "answer" and hit.chunk.scope.turn in told)
        )[:MOST_MEMORIES]

    def _telling(self, run: Run) -> tuple[Hit, ...]:
        """Return the memories that speak of what is asked; none where a tool has told it.

        Such a model says of one that stands alone that it does not know: it is asked once more,
        of these only, and without the leave to say so.
        """
        if run.gathered or intent_of(run.question) != "question":
            return ()
        current = (hit for hit in self._shown(run) if hit.verdict.current)
        return tuple(hit for hit in current if speaks_of(hit.text, run.question))

    def _shortlisted(self, question: str) -> list[Tool]:
        intent = intent_of(question)
        if intent == "small_talk":
            return []
        found = shortlist(question, self.tools, self.similarity)
        # What is only told needs no tool, but for one that says that it applies.
        return found if intent == "question" else [tool for tool in found if tool.when is not None]

    def _refresh(self, tool: Tool, run: Run) -> dict[str, Json] | None:
        """Return the arguments of the call that a stale memory names, if the question means it."""
        judged = [hit.judgement for hit in run.request.recall.hits]
        judged += [each.judgement for each in run.request.recall.dropped]
        judged += run.request.judgements.values()
        current = {judgement.call for judgement in judged if judgement.verdict.current}
        for text in (judgement.call for judgement in judged if not judgement.verdict.current):
            call = calls.parse(text or "")
            if text in current or call is None or call[0] != tool.name or not call[1]:
                continue
            if not ungrounded(tool, call[1], run.question):
                return call[1]
        return None

    def _ask_arguments(self, tool: Tool, run: Run) -> Ask:
        about = f"{tool.description} {_parameters(tool)}"
        told = _FILL[run.language].format(name=tool.name, about=about)
        schema: dict[str, Json] = {
            "type": "object",
            "properties": {
                "calls": {
                    "type": "array",
                    "items": _strict(tool.parameters),
                    "minItems": 1,
                    "maxItems": MOST_CALLS,
                }
            },
            "required": ["calls"],
            "additionalProperties": False,
        }
        # What does not age is worked out from the question alone; other tools may need a memory.
        kept = () if tool.max_age is None else self._shown(run)
        request = _with_memories(run.request, kept)
        asked = part_for(tool, run.question) if self._several else run.question
        question = f"{today(run)}\n\n{asked}\n\n{told}"
        return Ask(replace(request, question=question, response_schema=schema), shown=False)

    def _ask_answer(self, run: Run) -> Ask:
        intent = intent_of(run.question)
        form = _SAID[run.language][intent]
        if intent == "question" and not run.gathered:  # set apart from what was said earlier
            form = _ASKED[run.language]
        said = form.format(run.question)
        if self._missing and not run.made:
            names = ", ".join(dict.fromkeys(self._missing))
            said = f"{said}\n\n{_MISSING[run.language].format(names=names)}"
        # What a tool has told is the answer; memories beside it lead such a model astray. What is
        # only told is not asked, and the rule to say "I don't know" would be applied to it.
        if intent != "question" and not run.gathered:
            system = prompt("schema_chat", run.language)
            question = "\n\n".join((*self._results(run), said))
            return Ask(replace(_with_memories(run.request, ()), system=system, question=question))
        kept = () if run.gathered else self._shown(run)
        request = _with_memories(run.request, kept)
        if self._again:
            system = prompt("schema_again", run.language)
            request = replace(_with_memories(request, self._telling(run)), system=system)
        question = "\n\n".join((today(run), *self._results(run), said))
        nudges = tuple(s for s in run.steps if s.message.role != "tool" and not s.message.calls)
        # What is told from memory is turned to the user before it is shown.
        return Ask(replace(request, question=question, steps=nudges), shown=not kept)

    def _results(self, run: Run) -> Iterator[str]:
        """Yield what the calls told, before the question, where such a model reads it best."""
        most = int(run.room * RESULT_SHARE) // max(len(run.made), 1)
        for made in run.made:
            told = without_orders(made.outcome.text, run.language)
            text = cut(told, most, estimate_tokens, rest=reading(made.chunk_id))
            form = _RETURNED if made.outcome.ok else _FAILED
            yield form[run.language].format(made.outcome.call or made.call.name, quote(text))

    def _worth_calling(
        self, tool: Tool, found: list[dict[str, Json]], run: Run
    ) -> list[dict[str, Json]]:
        """Return the calls that are valid, said by the user, and not known already."""
        wanted: dict[str, dict[str, Json]] = {}
        today = run.context.now.date()  # was told to the model, beside the question
        year = f"{today.year} {today.year + 1}"
        said = "\n".join((run.question, year, *(t.question for t in run.request.window[-3:])))
        for arguments in found:
            made_up = ungrounded(tool, arguments, said)
            made_up = [name for name in made_up if arguments[name] != today.isoformat()]
            required = cast("list[str]", tool.parameters.get("required", []))
            if missing := [name for name in made_up if name in required]:
                self._missing += missing
                continue
            kept = {name: value for name, value in arguments.items() if name not in made_up}
            read = self.tools.read(tool.name, kept)
            if isinstance(read, str):
                continue
            text = tool.canonical(read[1])
            if tool.max_age is not None and self._is_known(tool.subject_of(read[1]), run):
                continue
            wanted[text] = kept
        return list(wanted.values())

    def _is_known(self, subject: str, run: Run) -> bool:
        """Whether a current memory of that subject stands before the model; recalled if need be."""
        recall = run.request.recall
        if any(hit.chunk.subject == subject and hit.verdict.current for hit in recall.hits):
            return True
        hit = self.known(subject)
        if hit is None:
            return False
        shown = {chunk for turn in run.request.window for chunk in turn.chunk_ids}
        if hit.chunk.id not in shown:
            run.request = replace(run.request, recall=replace(recall, hits=(hit, *recall.hits)))
        return True

    def _adapt(self, message: Message) -> Message:
        """Say calls and results in words, as such a model's template has no place for them."""
        if message.calls:
            texts = (calls.canonical(c.name, read_object(c.arguments) or {}) for c in message.calls)
            return Message("user", _CALLED[self._language].format(", ".join(texts)))
        if message.role == "tool":
            return Message("user", _PAST[self._language].format(quote(message.content)))
        return message


def _done(run: Run) -> str:
    """What tools have done or worked out: such a model may not take it as an answer."""
    worked_out = {tool.name for tool in run.tools if tool.when is not None and not tool.live}
    return "\n".join(
        made.outcome.text
        for made in run.made
        if made.outcome.ok and (made.outcome.subject is None or made.call.name in worked_out)
    )


def _as_call(tool: Tool, arguments: Mapping[str, Json], run: Run, number: int) -> ToolCall:
    text = json.dumps(arguments, ensure_ascii=False)
    return ToolCall(f"call_{run.number}_{number}", tool.name, text)


def _with_memories(request: ContextRequest, hits: tuple[Hit, ...]) -> ContextRequest:
    return replace(request, recall=replace(request.recall, hits=hits))


def _only_tells(hit: Hit) -> bool:
    chunk = hit.chunk
    return bool(chunk.scope.turn) and chunk.kind == "question" and intent_of(hit.text) != "question"


def _useful(hit: Hit) -> bool:
    """Whether a memory can hold an answer: a bare question and an "I don't know" cannot."""
    text = hit.text.strip()
    if hit.chunk.kind == "question":
        return len(sentences(text)) > 1 or intent_of(text) != "question"
    return hit.chunk.kind != "answer" or UNKNOWN.search(text) is None


def _parameters(tool: Tool) -> str:
    properties = cast("Mapping[str, Mapping[str, Json]]", tool.parameters.get("properties", {}))
    return "; ".join(
        f"{name}: {schema['description']}"
        for name, schema in properties.items()
        if "description" in schema
    )


def _strict(parameters: Mapping[str, Json]) -> Mapping[str, Json]:
    """Return the schema without what a grammar cannot hold or a small model stumbles over."""
    return {key: value for key, value in parameters.items() if key not in ("description",)}
