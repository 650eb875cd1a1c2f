"""Turns as they are told to whoever summarises them: values that age are not among it.

A summary outlives the values in it, so it says that one was asked for, and how to get it anew.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass
from datetime import tzinfo
from typing import cast

from assistant.context.cutting import cut
from assistant.context.wording import Language, language_of
from assistant.messages import Json, ToolCall
from assistant.sessions import Turn
from assistant.tools.calls import canonical
from memory_store import Chunk
from memory_store.errors import NotFound
from memory_store.protocols import TokenCounter

_RESULT_TOKENS = 200
_WORDS = {
    "en": ("User", "Assistant", "Tool", "(a value that ages: call {call} to get it)"),
    "zh": ("用户", "助手", "工具", "（这个值会过时：要用时调用 {call}）"),
}


@dataclass(frozen=True, slots=True)
class Retelling:
    """A turn as lines, each with its speaker; `said` are the lines without the tools' results."""

    date: str
    lines: tuple[str, ...]
    said: tuple[str, ...]

    def __str__(self) -> str:
        return "\n".join((f"[{self.date}]", *self.lines))


def perishable(ids: Iterable[str], get: Callable[[str], Chunk]) -> frozenset[str]:
    """Return those of the chunks whose text ages, or was made from one that does."""
    known: dict[str, bool] = {}

    def ages(chunk_id: str) -> bool:
        if chunk_id not in known:
            known[chunk_id] = False  # ends a circle
            try:
                chunk = get(chunk_id)
            except NotFound:
                return False
            own = chunk.freshness.max_age is not None
            known[chunk_id] = own or any(map(ages, chunk.derived_from))
        return known[chunk_id]

    return frozenset(chunk_id for chunk_id in ids if ages(chunk_id))


def retell(turn: Turn, aging: Collection[str], zone: tzinfo, count: TokenCounter) -> Retelling:
    """Tell a turn, without the values of chunks in `aging`."""
    language: Language = language_of(turn.question)
    user, assistant, tool, ages = _WORDS[language]
    said = [f"{user}: {turn.question}"]
    lines = list(said)
    calls = {call.id: call for step in turn.steps for call in step.message.calls}
    last_call = ""
    for step in turn.steps:
        call = calls.get(step.message.call_id or "")
        if call is None:
            continue
        text = step.message.content
        if step.chunk_id in aging:
            last_call = _written(call)
            text = ages.format(call=last_call)
        lines.append(f"{tool} {_written(call)}: {cut(text, _RESULT_TOKENS, count)}")
    if turn.answer is not None:
        aged = turn.answer_chunk in aging or last_call
        answer = ages.format(call=last_call or "…") if aged else turn.answer
        said.append(f"{assistant}: {answer}")
        lines.append(said[-1])
    return Retelling(turn.asked_at.astimezone(zone).date().isoformat(), tuple(lines), tuple(said))


def _written(call: ToolCall) -> str:
    try:
        arguments = json.loads(call.arguments or "{}")
    except ValueError:
        arguments = None
    if not isinstance(arguments, dict):
        return f"{call.name}(…)"
    return canonical(call.name, cast("dict[str, Json]", arguments))
