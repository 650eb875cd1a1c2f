"""Claims that an answer may not make unproven: a promise, an action done, a live value.

Found by their form in both languages. What is doubtful passes: an honest answer must not be
refused, so "I don't know", questions and conditions are no claims.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass
from typing import Literal

from assistant.agent import claim_words as words
from assistant.context.wording import Language
from assistant.tools import Tool, ToolRegistry

Kind = Literal["promise", "action", "live"]

CLOCK = "get_current_time"
_SENTENCES = re.compile(r"[^.!?。！？\n]*(?:[.!?]+(?=\s|$)|[。！？\n]|$)|[^\n]*")
_DOERS = (
    # what the words claim, and the tools that may have done it
    (words.SAVED, words.SAVERS),
    (words.DELETED, words.DELETERS),
    (words.DONE, words.ANY_TOOL),
)


@dataclass(frozen=True, slots=True)
class Claim:
    """A claim without its proof: the sentence that makes it, and the tool that would prove it."""

    kind: Kind
    sentence: str
    tool: str = ""


def sentences(text: str) -> list[str]:
    """Divide a text into sentences; joined they are the text again."""
    return [match[0] for match in _SENTENCES.finditer(text) if match[0]]


def holds_nothing(answer: str) -> bool:
    """Whether an answer only says that nothing is known, perhaps asking to be told."""
    said = [each for each in sentences(answer) if each.strip()]
    admitted = [each for each in said if words.ADMISSION.search(each)]
    return bool(admitted) and all(
        each in admitted or each.rstrip().endswith(("?", "？")) or words.OFFER.search(each)
        for each in said
    )


def find_claim(
    answer: str,
    *,
    question: str,
    tools: ToolRegistry,
    succeeded: Collection[str],
    known: Callable[[Tool], bool],
    told: str = "",
) -> Claim | None:
    """Return the first claim of an answer that nothing in the run proves.

    Args:
        succeeded: the names of the tools of which a call has succeeded in this run.
        known: whether a current memory of that tool's results stands before the model.
        told: what tools have told in this run; a sentence with these figures tells it again.
    """
    figures = set(words.NUMBER.findall(told))
    for sentence in sentences(answer):
        claim = _live(sentence, question, tools, succeeded, known)
        if claim is not None and claim.tool != CLOCK and _tells_again(sentence, figures):
            claim = None
        if claims_action(sentence, succeeded):
            claim = Claim("action", sentence)
        if claim is not None:
            return claim
    return _promise(answer)


def _tells_again(sentence: str, figures: Collection[str]) -> bool:
    numbers = words.NUMBER.findall(sentence)
    return bool(numbers) and all(number in figures for number in numbers)


def doubtful(sentence: str, question: str, tools: ToolRegistry) -> bool:
    """Whether a sentence makes a claim, or an admission, that may yet prove to be without cause."""
    return (
        words.ADMISSION.search(sentence) is not None
        or words.PROMISE.search(sentence) is not None
        or claims_action(sentence, ())
        or _live(sentence, question, tools, (), lambda _tool: False) is not None
    )


def _promise(answer: str) -> Claim | None:
    """A promise counts where nothing comes of it: the answer ends with it."""
    said = [sentence for sentence in sentences(answer) if sentence.strip()]
    if not said:
        return None
    last = said[-1]
    if (
        words.PROMISE.search(last)
        and not words.OFFER.search(last)
        and "?" not in last
        and "？" not in last
    ):
        return Claim("promise", last)
    return None


def claims_action(sentence: str, succeeded: Collection[str]) -> bool:
    """Whether a sentence says that something was done which none of these tools can have done."""
    if words.OFFER.search(sentence) or words.UNSURE.search(sentence):
        return False
    return any(
        claimed.search(sentence.strip()) and not any(doers.search(name) for name in succeeded)
        for claimed, doers in _DOERS
    )


def _live(
    sentence: str,
    question: str,
    tools: ToolRegistry,
    done: Collection[str],
    known: Callable[[Tool], bool],
) -> Claim | None:
    if words.UNSURE.search(sentence):
        return None
    for tool in tools:
        if not tool.live or tool.name in done or known(tool):
            continue
        if tool.name == CLOCK and words.TODAY.search(sentence):
            return Claim("live", sentence, tool.name)
        if words.VALUE.search(sentence) and _asks_for(tool, question):
            return Claim("live", sentence, tool.name)
    return None


def _asks_for(tool: Tool, question: str) -> bool:
    if tool.when is not None:
        try:
            return bool(tool.when(question))
        except Exception:  # a user's predicate that fails says nothing
            return False
    own = _words(f"{tool.name.replace('_', ' ')} {tool.description}")
    return len(own & _words(question)) >= 2


def _words(text: str) -> set[str]:
    latin = {word.lower().rstrip("s") for word in re.findall(r"[A-Za-z]{3,}", text)}
    chinese = re.findall(r"[㐀-鿿]{2,}", text)
    return (latin - words.COMMON) | {
        run[at : at + 2] for run in chinese for at in range(len(run) - 1)
    }


_NUDGES: dict[Language, dict[Kind, str]] = {
    "en": {
        "promise": "You said what you would do, but called no tool. Call it now, or answer.",
        "action": "You said that something was done ({sentence}), but no tool did it in this run."
        " Call the tool that does it, or answer without that claim.",
        "live": "You stated what only the tool {tool} can tell ({sentence}), without calling it."
        " Call it, or say that you don't know.",
    },
    "zh": {
        "promise": "你说了要做什么，但没有调用工具。请现在调用，或直接回答。",
        "action": "你说事情已经做了（{sentence}），但本轮没有工具做过。"
        "请调用相应的工具，或去掉这句话再回答。",
        "live": "你说了只有工具 {tool} 才知道的内容（{sentence}），但没有调用它。"
        "请调用它，或说你不知道。",
    },
}
_HONEST: dict[Language, dict[Kind, str]] = {
    "en": {
        "promise": "I could not look that up: no tool was called.",
        "action": "(No tool did this in this run.)",
        "live": "I don't know the current value: {tool} was not called.",
    },
    "zh": {
        "promise": "我没能查到：没有调用任何工具。",
        "action": "（本轮没有工具做过这件事。）",
        "live": "我不知道现在的情况：没有调用 {tool}。",
    },
}


def nudge(claim: Claim, language: Language) -> str:
    """Return what the model is told about a claim, once."""
    return _NUDGES[language][claim.kind].format(sentence=claim.sentence.strip(), tool=claim.tool)


def without(answer: str, claims: Iterable[Claim], language: Language) -> str:
    """Return the answer without these claims' sentences, and what is true in their place."""
    remarks: list[str] = []
    for claim in claims:
        answer = answer.replace(claim.sentence, "", 1)
        remark = _HONEST[language][claim.kind].format(tool=claim.tool)
        if remark not in remarks:
            remarks.append(remark)
    return "\n".join(part for part in (answer.strip(), *remarks) if part)
