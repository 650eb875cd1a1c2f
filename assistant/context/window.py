"""The window: recent turns as messages, with calls and results paired and aged values marked."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import tzinfo

from assistant.context.cutting import cut
from assistant.context.wording import Language, caveat, language_of, out_of_date
from assistant.messages import Message
from assistant.sessions import Turn, TurnMessage
from memory_store import Judgement, Verdict
from memory_store.protocols import TokenCounter

_NO_ANSWER = {"en": "(No answer was given.)", "zh": "（没有给出回答。）"}
_NO_RESULT = {"en": "(No result: the run was interrupted.)", "zh": "（没有结果：运行被中断。）"}


@dataclass(frozen=True, slots=True)
class View:
    """How turns are shown.

    Attributes:
        judgements: how current each chunk is that a turn's texts are kept in.
        withhold_stale: show only that a stale value is known, and the call that refreshes it.
        result_tokens: the most tokens of one tool result; longer ones are cut.
    """

    count: TokenCounter
    zone: tzinfo
    result_tokens: int
    judgements: Mapping[str, Judgement]
    withhold_stale: bool


def show_turn(turn: Turn, view: View) -> tuple[Message, ...]:
    """Return a finished turn as messages: question, calls with their results, answer."""
    language = language_of(turn.question)
    messages = [Message("user", turn.question)]
    for group in groups(turn.steps):
        messages.extend(show_group(group, view, language))
    if turn.answer is None:
        answer = _NO_ANSWER[language]
    else:
        answer = _as_of(turn.answer, turn.answer_chunk, view, language)
    messages.append(Message("assistant", answer))
    return tuple(messages)


def groups(steps: Sequence[TurnMessage]) -> list[tuple[TurnMessage, ...]]:
    """Divide a run's messages into what must stay together: calls and all of their results."""
    found: list[list[TurnMessage]] = []
    for step in steps:
        if step.message.role == "assistant" or not found:
            found.append([])
        found[-1].append(step)
    return [tuple(group) for group in found]


def show_group(
    group: Sequence[TurnMessage],
    view: View,
    language: Language,
    *,
    result_tokens: int | None = None,
) -> list[Message]:
    """Return calls and results as messages, each call with exactly one result."""
    first = group[0].message
    if not first.calls:
        return [step.message for step in group if step.message.role != "tool"]
    results = {step.message.call_id: step for step in group[1:]}
    shown = [first]
    for call in first.calls:
        step = results.get(call.id)
        if step is None:
            shown.append(Message("tool", _NO_RESULT[language], call_id=call.id))
            continue
        content = _as_of(step.message.content, step.chunk_id, view, language)
        limit = result_tokens or view.result_tokens
        content = cut(content, limit, view.count, rest=reading(step.chunk_id))
        shown.append(replace(step.message, content=content))
    return shown


def reading(chunk_id: str | None) -> str:
    """Return the call that reads a whole chunk, page by page."""
    return f'read_memory(id="{chunk_id}")' if chunk_id is not None else ""


def chunk_ids(turns: Iterable[Turn]) -> frozenset[str]:
    """Return the ids of the chunks whose texts stand in these turns."""
    return frozenset(chunk_id for turn in turns for chunk_id in turn.chunk_ids)


def _as_of(text: str, chunk_id: str | None, view: View, language: Language) -> str:
    """Return `text`, marked if it is not current any more, or what there is to say in its place."""
    judgement = view.judgements.get(chunk_id or "")
    if judgement is None or judgement.verdict.current:
        return text
    if view.withhold_stale or judgement.verdict in (Verdict.CHANGED, Verdict.SUPERSEDED):
        return f"({out_of_date(judgement, view.zone, language)})"
    return f"({caveat(judgement, view.zone, language)})\n{text}"
