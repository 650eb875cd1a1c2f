"""The text protocol: THOUGHT / ACTION: name({json}) / OBSERVATION / FINAL ANSWER.

For models with neither tool calls nor response schemas (ReAct, Yao et al. 2022). What such models
write in place of it is read with tolerance; what cannot be read is answered by an observation that
says what was wrong.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import cast

from assistant.agent.protocols.text_calls import CallReader, Found
from assistant.agent.reading import read_value, visible, without_thinking
from assistant.messages import Json
from assistant.tools import Tool

_KEYWORDS = {
    "thought": r"thoughts?|thinking|reasoning|思考|想法|思路",
    "input": r"action[ _]?input|(?:tool[ _]?)?arguments|[动行]?[作动]?(?:输入|参数)|操作输入",
    "action": r"actions?|tool[ _]?call|行动|动作|操作|调用工具",
    "observation": r"observations?|tool[ _]?result|观察结果|观察|观测|工具结果",
    "answer": r"final[ _]?answer|最终答案|最终回答|最后答案|最终答复|答案|回答|answer",
}
_GROUPS = "|".join(f"(?P<{name}>{words})" for name, words in _KEYWORDS.items())
_LOUD = (
    r"(?P<thought>THOUGHT|思考)|(?P<input>ACTION INPUT)|(?P<action>ACTION|行动)"
    r"|(?P<observation>OBSERVATION|观察)|(?P<answer>FINAL ANSWER|最终答案)"
)
"""Within a line only the exact keywords count, and not their everyday cousins."""
_AT_LINE = re.compile(
    rf"^[ \t>#*_\-\d.【\[]*(?:{_GROUPS})[ \t\]】*_]*(?:\s?\d+)?[ \t*_]*[:：][ \t*_]*",
    re.IGNORECASE | re.MULTILINE,
)
_INLINE = re.compile(rf"(?<=[\s.。!！?？;；,，)）}}\]])\**(?:{_LOUD})\**\s?[:：]\**[ \t]*")
_NO_COLON = re.compile(r"^[ \t>#*_]*(?:FINAL ANSWER|最终答案)[ \t*_]*\n", re.MULTILINE)
_FULL_WIDTH_LETTERS = {
    code: code - 0xFEE0 for code in (*range(0xFF21, 0xFF3B), *range(0xFF41, 0xFF5B))
}
_ATTEMPT = re.compile(
    r"^[^\w\n]*\w{3,8}\s*[:：]\s*[\w.\-]{1,60}\s*[（({｛]"
    r"|^[^\w\n]*[\w.\-]{1,60}\s*[（(]\s*[{｛\"'“]"
    r"|^[^\w\n]*(?:FINAL ANSWER|ACTION|最终答案|行动)[^\w\n]*$",
    re.MULTILINE,
)
MOST_PARTS = 50
"""Parts of one reply that are read; a model that writes more repeats itself."""
LONGEST_CALL = 20_000
"""Characters of one call that are read."""
_FENCE_LINE = re.compile(r"^[ \t]*```[\w-]*[ \t]*$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class TextCall:
    """A call that can be run: a registered tool's name, and arguments that fit its schema."""

    name: str
    arguments: dict[str, Json]


@dataclass(frozen=True, slots=True)
class TextReply:
    """What a reply in the text protocol says. Exactly one of call, answer and problem is given.

    Attributes:
        call: the first action of the reply.
        answer: the final answer, where no action comes before it.
        problem: what the model is told where there is neither: what was wrong, and the right form.
        thought: what stands before the action or answer.
        remark: told beside the call's result: what of the reply was passed over (further actions,
            an answer given before the result, an observation that the model made up).
    """

    call: TextCall | None = None
    answer: str | None = None
    problem: str = ""
    thought: str = ""
    remark: str = ""


@dataclass(frozen=True, slots=True)
class _Keyword:
    kind: str
    at: int
    after: int


@dataclass(slots=True)
class _Read:
    """What has been found in a reply so far, in its order."""

    thoughts: list[str] = field(default_factory=list[str])
    actions: list[tuple[int, Found]] = field(default_factory=list[tuple[int, Found]])
    answer: tuple[int, str] | None = None
    invented: bool = False


def read_reply(text: str, tools: Iterable[Tool]) -> TextReply:
    """Read a reply in the text protocol. Never raises.

    Args:
        text: the whole reply, as the model wrote it.
        tools: the tools that it may call: a `ToolRegistry`, or any `Tool`s.
    """
    plain = without_thinking(visible(text)).translate(_FULL_WIDTH_LETTERS)
    plain = _NO_COLON.sub("FINAL ANSWER:\n", _FENCE_LINE.sub("", plain))
    reader = CallReader(tools)
    if not plain.strip():
        return TextReply(problem=_told("Your reply was empty.", reader))
    read = _scan(plain, reader)
    return _without_keywords(plain, reader) if read is None else _decided(read, reader)


def _scan(text: str, reader: CallReader) -> _Read | None:
    """Go through the keywords in their order; None where there is none."""
    keyword = _next(text, 0)
    if keyword is None:
        return None
    read = _Read([text[: keyword.at]])
    for _ in range(MOST_PARTS):
        if keyword is None:
            break
        if keyword.kind == "observation":
            read.invented = True  # what follows is the model's own invention
            break
        if keyword.kind == "answer":
            following = _next(text, keyword.after, inline=False)
            end = len(text) if following is None else following.at
            if read.answer is None and text[keyword.after : end].strip():
                read.answer = (keyword.at, text[keyword.after : end].strip())
        elif keyword.kind == "action":
            found = _action(text, keyword, reader)
            read.actions.append((keyword.at, found))
            following = _next(text, found.end)
        else:
            following = _next(text, keyword.after)
            end = len(text) if following is None else following.at
            read.thoughts.append(text[keyword.after : end])
        keyword = following
    return read


def _action(text: str, keyword: _Keyword, reader: CallReader) -> Found:
    text = text[: keyword.after + LONGEST_CALL]
    following = _next(text, keyword.after, inline=False)
    end = len(text) if following is None else following.at
    if following is not None and following.kind == "input":
        last = _next(text, following.after, inline=False)
        end = len(text) if last is None else last.at
        found = reader.read(text, keyword.after, following.at, text[following.after : end])
        return replace(found, end=end)
    # A value may hold what looks like a keyword: the whole text is tried first.
    whole = reader.read(text, keyword.after, len(text))
    whole_is_meant = whole.arguments is not None and whole.closed
    return whole if whole_is_meant else reader.read(text, keyword.after, end)


def _decided(read: _Read, reader: CallReader) -> TextReply:
    thought = " ".join(part.strip() for part in read.thoughts if part.strip())
    actions = [(at, found) for at, found in read.actions if not found.none]
    if actions and (read.answer is None or actions[0][0] < read.answer[0]):
        first = actions[0][1]
        if first.arguments is None:
            return TextReply(problem=_told(first.problem, reader), thought=thought)
        remark = _remark([found.name for _, found in actions[1:]], read)
        return TextReply(TextCall(first.name, first.arguments), thought=thought, remark=remark)
    if read.answer is not None:
        return TextReply(answer=read.answer[1], thought=thought)
    missing = "Your reply has neither an ACTION nor a FINAL ANSWER."
    return TextReply(problem=_told(missing, reader), thought=thought)


def _without_keywords(text: str, reader: CallReader) -> TextReply:
    """Read a reply that keeps to no form: a call without its keyword, or plain words."""
    found = reader.anywhere(text[:LONGEST_CALL])
    if found is not None and not found.none:
        if found.arguments is not None:
            return TextReply(TextCall(found.name, found.arguments))
        return TextReply(problem=_told(found.problem, reader))
    value = read_value(text) if text.lstrip()[:1] in "{｛" else None
    if isinstance(value, dict) and len(cast("dict[str, Json]", value)) == 1:
        ((key, only),) = cast("dict[str, Json]", value).items()
        if re.fullmatch(_KEYWORDS["answer"] + "|response", key, re.IGNORECASE) and only:
            return TextReply(answer=str(only))
    if _ATTEMPT.search(text) or reader.hints(text):
        return TextReply(problem=_told("Your reply looks like a call but cannot be read.", reader))
    return TextReply(answer=text.strip())


def _remark(others: list[str], read: _Read) -> str:
    remarks: list[str] = []
    if others:
        remarks.append(f"Only the first ACTION was run, not {', '.join(others)}: one at a time.")
    if read.answer is not None:
        remarks.append("Your FINAL ANSWER was passed over: it came before this result.")
    if read.invented:
        remarks.append("The OBSERVATION that you wrote yourself was cut; this is the real one.")
    return " ".join(remarks)


def _told(problem: str, reader: CallReader) -> str:
    return f"{problem} Write either\nACTION: {reader.example}\nor\nFINAL ANSWER: your answer"


def _next(text: str, position: int, *, inline: bool = True) -> _Keyword | None:
    patterns = (_AT_LINE, _INLINE) if inline else (_AT_LINE,)
    matches = [match for each in patterns if (match := each.search(text, position))]
    if not matches:
        return None
    first = min(matches, key=lambda match: match.start())
    return _Keyword(str(first.lastgroup), first.start(), first.end())
