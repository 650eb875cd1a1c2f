"""Asks a small model for its answer, and leaves out of it what such a model makes up."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from assistant.agent.addressing import to_user
from assistant.agent.claim_words import UNKNOWN
from assistant.agent.claims import claims_action, sentences
from assistant.agent.intent import Intent, intent_of
from assistant.agent.moment import today
from assistant.agent.orders import without_orders
from assistant.agent.protocols.protocol import Ask
from assistant.agent.protocols.schema_memories import (
    said_earlier,
    shown_memories,
    telling_memories,
    with_memories,
)
from assistant.agent.run import Run
from assistant.agent.support import asks_about_self, supported
from assistant.context.cutting import cut
from assistant.context.memories import quote
from assistant.context.window import reading
from assistant.context.wording import Language
from assistant.prompts import prompt
from memory_store.store import estimate_tokens

RESULT_SHARE = 0.3
"""Share of the context that the results of the run may take."""

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
_RETURNED = {
    "en": "Tool result of {}, true now:\n{}",
    "zh": "工具 {} 的结果，现在有效：\n{}",
}
_FAILED = {"en": "The tool {} failed:\n{}", "zh": "工具 {} 失败：\n{}"}
_TAKEN_IN = {"en": "All right.", "zh": "好的。"}
_UNKNOWN = {"en": "I don't know that yet.", "zh": "我还不知道。"}


def ask_answer(run: Run, *, missing: Sequence[str], again: bool) -> Ask:
    """Ask for the answer in plain words, from memories and results only.

    Args:
        missing: the arguments that calls lacked, for which the user is to be asked.
        again: the model said that it does not know what memories tell; it is asked of these.
    """
    intent = intent_of(run.question)
    form = _SAID[run.language][intent]
    if intent == "question" and not run.gathered:  # set apart from what was said earlier
        form = _ASKED[run.language]
    said = form.format(run.question)
    if missing and not run.made:
        names = ", ".join(dict.fromkeys(missing))
        said = f"{said}\n\n{_MISSING[run.language].format(names=names)}"
    # What a tool has told is the answer; memories beside it lead such a model astray. What is
    # only told is not asked, and the rule to say "I don't know" would be applied to it.
    if intent != "question" and not run.gathered:
        system = prompt("schema_chat", run.language)
        question = "\n\n".join((*_results(run), said))
        return Ask(replace(with_memories(run.request, ()), system=system, question=question))
    kept = () if run.gathered else shown_memories(run)
    request = with_memories(run.request, kept)
    if again:
        system = prompt("schema_again", run.language)
        request = replace(with_memories(request, telling_memories(run)), system=system)
    question = "\n\n".join((today(run), *_results(run), said))
    nudges = tuple(s for s in run.steps if s.message.role != "tool" and not s.message.calls)
    # What is told from memory is turned to the user before it is shown.
    return Ask(replace(request, question=question, steps=nudges), shown=not kept)


def modest(text: str, run: Run, *, again: bool) -> str:
    """Return an answer without what such a model says it did, or makes up about the user."""
    kept = [each for each in sentences(text) if not claims_action(each, run.succeeded)]
    said = said_earlier(run)
    answer = to_user("".join(kept).strip(), run.question, said)
    if UNKNOWN.search(answer) is not None and (done := _done(run)):
        return done
    if answer and not run.gathered and (again or asks_about_self(run.question)):
        told = [*said, *(turn.answer or "" for turn in run.request.window)]
        told += [hit.text for hit in shown_memories(run)]
        told += [run.request.summary.text] if run.request.summary is not None else []
        if UNKNOWN.search(answer) is None and not supported(answer, told, run.question):
            return _UNKNOWN[run.language]
    return answer or (_TAKEN_IN[run.language] if text else "")


def _results(run: Run) -> Iterator[str]:
    """Yield what the calls told, before the question, where such a model reads it best."""
    most = int(run.room * RESULT_SHARE) // max(len(run.made), 1)
    for made in run.made:
        told = without_orders(made.outcome.text, run.language)
        text = cut(told, most, estimate_tokens, rest=reading(made.chunk_id))
        form = _RETURNED if made.outcome.ok else _FAILED
        yield form[run.language].format(made.outcome.call or made.call.name, quote(text))


def _done(run: Run) -> str:
    """What tools have done or worked out: such a model may not take it as an answer."""
    worked_out = {tool.name for tool in run.tools if tool.when is not None and not tool.live}
    return "\n".join(
        made.outcome.text
        for made in run.made
        if made.outcome.ok and (made.outcome.subject is None or made.call.name in worked_out)
    )
