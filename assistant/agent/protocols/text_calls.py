"""Finds a tool call in what a model wrote: `name({json})` and all that is written in its place."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from difflib import get_close_matches
from typing import cast

from pydantic import ValidationError

from assistant.agent.nearly_json import closing
from assistant.agent.reading import fitted, read_object, read_value
from assistant.messages import Json
from assistant.tools import Tool
from assistant.tools.problems import describe, form_of

_DECORATION = re.compile(
    r"[\s*_`>#\-]*(?:```[\w-]*\s*)?(?:<[\w_]+>\s*)?(?:call(?:ing)?\s+|调用\s*)?[*_`\"'“「]*"
)
_NAME = re.compile(
    r"(?:(?:functions?|tools?)[.:/]\s*)?([A-Za-z_][\w.\-]*)[*_`\"'”」]*[ \t]*", re.ASCII
)
_KEYWORDS = re.compile(r"\s*[\"'“‘]?([A-Za-z_]\w*)[\"'”’]?\s*[=＝:：]")
_ONE_KEYWORD = re.compile(r"\s*([A-Za-z_]\w*)\s*[=＝]\s*([^\"'“‘「\[{].*)", re.DOTALL)
_SEPARATOR = re.compile(r"[:：]?\s*(?:with|参数)?\s*")
_BRACKET = re.compile(rf"{_SEPARATOR.pattern}[（({{｛\[［]")
_OBJECT = re.compile(r"[{｛(（][^\n]*[\"'“”‘’:：=][^\n]*")
_NAME_KEYS = ("name", "tool", "action", "function", "tool_name", "工具", "名称")
_ARGUMENT_KEYS = (
    "arguments", "args", "parameters", "params", "input", "action_input", "tool_input", "kwargs",
    "参数",
)  # fmt: skip
_NO_TOOL = {"none", "null", "na", "noaction", "nothing", "无", "没有", "不需要"}


@dataclass(frozen=True, slots=True)
class Found:
    """What stands where a call is expected.

    Attributes:
        name: the tool as written, or as registered where it is one of ours.
        arguments: checked and of the right types; None where there is a problem.
        problem: what is wrong, for the model; empty where nothing is.
        end: where the call ends in the text.
        none: the model says that it wants no tool.
        closed: whether its brackets close where it ends, so that nothing can belong to it beyond.
    """

    name: str
    arguments: dict[str, Json] | None
    problem: str
    end: int
    none: bool = False
    closed: bool = False


class CallReader:
    """Reads calls of these tools."""

    def __init__(self, tools: Iterable[Tool]) -> None:
        self._tools = {tool.name: tool for tool in tools}
        self._letters = {_letters(name): tool for name, tool in self._tools.items()}

    def tool(self, name: str) -> Tool | None:
        """Return the tool that a name as written means: case and separators do not matter."""
        return self._tools.get(name) or self._letters.get(_letters(name))

    def read(self, text: str, start: int, until: int, given: str | None = None) -> Found:
        """Read the call that begins at `start` and ends before `until` at the latest.

        Args:
            given: the arguments, where they stand elsewhere (`Action Input:`).
        """
        decoration = _DECORATION.match(text, start, until)
        at = decoration.end() if decoration else start
        if text[at : at + 1] in ("{", "｛", "["):
            return self._object(text, at, until)
        named = _NAME.match(text, at, until)
        written = text[start:until].strip()[:80]
        none = _letters(written.partition("\n")[0]) in _NO_TOOL
        if named is None or none:
            return Found(written, None, self._not_a_call(written), until, none=none)
        name, after = named[1].strip(".-"), named.end()
        tool = self.tool(name)
        if tool is None and _letters(name) in _NO_TOOL:
            return Found(name, None, "", until, none=True)
        inner, end = _inside(text, after, until)
        if given is not None:
            inner = given
        if tool is None:
            return Found(name, None, self.unknown(name), end)
        found = self._checked(tool, _arguments(tool, inner), inner, end)
        return replace(found, closed=given is None and _closes(text, after, end))

    def anywhere(self, text: str) -> Found | None:
        """Return the first call in a text without keywords, None where there is none."""
        for match in re.finditer(
            r"[{｛\[]|[A-Za-z_][\w.\-]*(?=[*_`\"]*\s*[（(｛{])", text, re.ASCII
        ):
            start = match.start()
            if match[0] in "{｛[":
                found = self._object(text, start, len(text)) if _is_call(text, start) else None
            else:
                found = self.read(text, start, len(text)) if self.tool(match[0]) else None
            if found is not None:
                return found
        return None

    def hints(self, text: str) -> bool:
        """Whether a short text without any readable call was probably meant as one."""
        if len(text) > 500 or _OBJECT.search(text) is None:
            return False
        words = {_letters(word) for word in re.findall(r"[A-Za-z_\-]{4,}", text)}
        wanted = [*self._letters, "action", "arguments", "thought"]
        return any(get_close_matches(word, wanted, n=1, cutoff=0.75) for word in words)

    def unknown(self, name: str) -> str:
        """Return what a model is told that names a tool which there is not."""
        known = ", ".join(self._tools) or "none"
        return f"There is no tool named {name!r}. The tools are: {known}."

    @property
    def example(self) -> str:
        """The right form of a call, shown on one of the tools."""
        tool = next(iter(self._tools.values()), None)
        if tool is None:
            return "(there are no tools)"
        required = cast("list[str]", tool.parameters.get("required", []))
        return f"{tool.name}({json.dumps(dict.fromkeys(required, '…'), ensure_ascii=False)})"

    def _not_a_call(self, written: str) -> str:
        return f"{written!r} is no call of a tool."

    def _object(self, text: str, at: int, until: int) -> Found:
        """Read a call that is written as one JSON object."""
        end = closing(text, at) or until
        value = read_value(text[at:end])
        if isinstance(value, list):
            items = cast("Sequence[Json]", value)
            value = items[0] if items else None
        if not isinstance(value, dict):
            return Found("", None, self._not_a_call(text[at:end].strip()[:80]), end)
        name, arguments = self._parts(cast("Mapping[str, Json]", value))
        tool = self.tool(name)
        if tool is None:
            none = _letters(name) in _NO_TOOL
            return Found(name, None, self.unknown(name), end, none=none)
        return self._checked(tool, arguments, text[at:end], end)

    def _parts(self, value: Mapping[str, Json]) -> tuple[str, dict[str, Json] | None]:
        inner = value.get("function", value.get("tool_call"))
        if isinstance(inner, dict):
            return self._parts(cast("Mapping[str, Json]", inner))
        if len(value) == 1:  # {"get_weather": {"city": "A"}}
            ((key, only),) = value.items()
            if self.tool(key) and isinstance(only, dict):
                return key, cast("dict[str, Json]", only)
        low = {key.lower(): each for key, each in value.items()}
        name_key = next((key for key in _NAME_KEYS if isinstance(low.get(key), str)), "")
        name = str(low.get(name_key, ""))
        given = next((low[key] for key in _ARGUMENT_KEYS if key in low), None)
        if isinstance(given, str):
            given = read_object(given)
        if isinstance(given, dict):
            return name, cast("dict[str, Json]", given)
        rest = {key: each for key, each in value.items() if key.lower() != name_key}
        return name, rest if given is None else None

    def _checked(
        self, tool: Tool, arguments: dict[str, Json] | None, written: str, end: int
    ) -> Found:
        if arguments is None:
            shown = written.strip()[:80]
            problem = f"The arguments {shown!r} of {tool.name} cannot be read. {form_of(tool)}"
            return Found(tool.name, None, problem, end)
        arguments = fitted(tool, arguments)
        try:
            tool.arguments.model_validate(arguments)
        except ValidationError as error:
            return Found(tool.name, None, describe(tool, error), end)
        return Found(tool.name, arguments, "", end)


def _closes(text: str, after: int, end: int) -> bool:
    opening = _BRACKET.match(text, after)
    return opening is not None and closing(text, opening.end() - 1) == end


def _inside(text: str, at: int, until: int) -> tuple[str, int]:
    """Return what stands in the brackets at `at`, or on the rest of the line, and where it ends."""
    separator = _SEPARATOR.match(text, at, until)
    opened = separator.end() if separator else at
    sign = text[opened : opened + 1]
    if sign in ("(", "（", "[", "［") and (text[opened : opened + 2] not in ("[{",)):
        end = closing(text, opened)
        if end is not None and end <= until:
            return text[opened + 1 : end - 1], end
        return text[opened + 1 : until].rstrip().rstrip(")）]"), until
    if sign in ("{", "｛"):
        end = closing(text, opened)
        return (
            (text[opened:end], end)
            if end is not None and end <= until
            else (text[opened:until], until)
        )
    line = text.find("\n", at, until)
    line = until if line < 0 else line
    return text[at:line].strip(" \t:：`*"), line


def _arguments(tool: Tool, inner: str) -> dict[str, Json] | None:
    inner = inner.strip().removeprefix("**")
    names = list(tool.arguments.model_fields)
    if not inner or inner[0] in "{｛":
        return read_object(inner)
    if len(names) == 1:
        one = _ONE_KEYWORD.fullmatch(inner)
        if one is not None and one[1] == names[0]:
            return {names[0]: one[2].strip()}
    if _KEYWORDS.match(inner):
        return read_object("{" + inner + "}")
    if len(names) == 1 and inner[0] not in "\"'“‘「":
        return {names[0]: inner}
    return _by_position(names, read_value(f"[{inner}]"))


def _by_position(names: Sequence[str], values: Json) -> dict[str, Json] | None:
    if not isinstance(values, list) or len(cast("Sequence[Json]", values)) > len(names):
        return None
    items = cast("Sequence[Json]", values)
    while len(items) == 1 and isinstance(items[0], list) and len(names) > 1:
        items = cast("Sequence[Json]", items[0])
    if len(items) == 1 and (given := _as_object(items[0])) is not None:
        return given
    return dict(zip(names, items, strict=False))


def _as_object(value: Json) -> dict[str, Json] | None:
    if isinstance(value, str):
        return read_object(value) if value.lstrip().startswith("{") else None
    return cast("dict[str, Json]", value) if isinstance(value, dict) else None


def _is_call(text: str, start: int) -> bool:
    """Whether the object at `start` looks like a call: it has a key that names a tool."""
    head = text[start : start + 60].lower()
    keys = "|".join(_NAME_KEYS[:-2])
    return re.match(rf"[\[{{｛\s]*[\"'“]?(?:{keys})[\"'”]?\s*[:：]", head) is not None


def _letters(name: str) -> str:
    return re.sub(r"[^\w]|_", "", name).lower()
