"""Reads what models write in place of what they should: arguments that are nearly JSON."""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Mapping
from typing import cast

from assistant.agent.nearly_json import as_json
from assistant.agent.numerals import number_in_words
from assistant.messages import Json
from assistant.tools import Tool

LONGEST = 20_000
"""Characters of broken JSON that are repaired; more takes too long."""
DEEPEST = 60
"""Brackets within brackets in broken JSON that is repaired; each costs a look at all the rest."""

_OPENED = re.compile(r"<(?:think|thinking|reasoning)>", re.IGNORECASE)
_CLOSED = re.compile(r"</(?:think|thinking|reasoning)>", re.IGNORECASE)
_INVISIBLE = re.compile("[\u00ad\u200b\u200c\u200e\u200f\u2060\ufeff\u0000]")
_BRACKETS = re.compile(r"[{}\[\]()]")
_FENCE = re.compile(r"^\s*```[\w-]*\s*|\s*```\s*$")
_ESCAPED = re.compile(r'[{\[]\s*\\"')
_WRAPPERS = ("arguments", "args", "parameters", "params", "input", "kwargs", "action_input")
_TRUTH = {"是": True, "对": True, "真": True, "否": False, "不": False, "不是": False, "假": False}


def without_thinking(text: str) -> str:
    """Return a reply without its reasoning blocks, also those that were left open."""
    kept: list[str] = []
    position = 0
    while (closed := _CLOSED.search(text, position)) is not None:
        opened = _OPENED.search(text, position, closed.start())
        # Some templates write the opening tag themselves: then all before the end is reasoning.
        kept = [*kept, text[position : opened.start()]] if opened else []
        position = closed.end()
    opened = _OPENED.search(text, position)
    kept.append(text[position : opened.start()] if opened else text[position:])
    return "".join(kept).strip()


def visible(text: str) -> str:
    """Return a text without the characters that nobody sees."""
    return _INVISIBLE.sub("", text)


def read_value(text: str) -> Json | None:
    """Read one JSON value: strictly, with its signs put right, then repaired; None: none there."""
    text = _FENCE.sub("", visible(text)).strip()
    try:
        return json.loads(text, strict=False)
    except (ValueError, RecursionError):
        text = text[:LONGEST]
    if not text or _depth(text) > DEEPEST:
        return None
    if _ESCAPED.match(text):  # an object that was escaped as if it stood in a text
        text = text.replace('\\"', '"')
    written = as_json(text)
    try:
        return json.loads(written, strict=False)
    except (ValueError, RecursionError):
        import json_repair
    try:
        value = json_repair.loads(written)
    except (ValueError, RecursionError):
        return None
    return None if value == "" else cast("Json", value)


def _depth(text: str) -> int:
    """How deep the brackets go, those in texts too."""
    deepest = depth = 0
    for sign in _BRACKETS.findall(text):
        depth = depth + 1 if sign in "{[(" else max(depth - 1, 0)
        deepest = max(deepest, depth)
    return deepest


def read_object(text: str) -> dict[str, Json] | None:
    """Read a JSON object; empty text is an empty one; None where there is none."""
    if not text.strip():
        return {}
    value = read_value(text)
    if isinstance(value, str):  # an object that was written as a text
        value = read_value(value)
    return cast("dict[str, Json]", value) if isinstance(value, dict) else None


def fitted(tool: Tool, arguments: Mapping[str, Json]) -> dict[str, Json]:
    """Return arguments with the names and types that the tool means, where there is no doubt."""
    properties = cast("Mapping[str, Mapping[str, Json]]", tool.parameters.get("properties", {}))
    arguments = _unwrapped(arguments, properties)
    names = {_letters(name): name for name in properties}
    found: dict[str, Json] = {}
    for key, value in arguments.items():
        name = key if key in properties else names.get(_letters(key), key)
        found.setdefault(name, _value(value, properties.get(name, {})))
    return {
        name: value
        for name, value in found.items()
        if value is not None or name not in properties or "null" in _types(properties[name])
    }


def _unwrapped(arguments: Mapping[str, Json], properties: Mapping[str, Json]) -> Mapping[str, Json]:
    if len(arguments) == 1:
        ((key, value),) = arguments.items()
        if key in _WRAPPERS and key not in properties:
            inner = read_object(value) if isinstance(value, str) else value
            if isinstance(inner, dict):
                return cast("dict[str, Json]", inner)
    return arguments


def _letters(name: str) -> str:
    return re.sub(r"[\W_]+", "", unicodedata.normalize("NFKC", name)).lower()


def _types(schema: Mapping[str, Json]) -> list[str]:
    options = cast("list[Mapping[str, Json]]", schema.get("anyOf", [schema]))
    return [str(option["type"]) for option in options if "type" in option]


def _value(value: Json, schema: Mapping[str, Json]) -> Json:
    kinds = _types(schema)
    if isinstance(value, str):
        return _from_text(value, kinds, cast("list[Json]", schema.get("enum", [])))
    if isinstance(value, float) and "integer" in kinds and value.is_integer():
        return int(value)
    if kinds == ["string"] and isinstance(value, int | float) and not isinstance(value, bool):
        return str(value)
    scalar = isinstance(value, int | float | bool)
    return [value] if scalar and kinds == ["array"] else value


def _from_text(value: str, kinds: list[str], allowed: list[Json]) -> Json:
    if allowed and value not in allowed:
        return next((a for a in allowed if str(a).lower() == value.strip().lower()), value)
    if "string" in kinds or not kinds:
        return value
    read: Json | None = None
    if "integer" in kinds or "number" in kinds:
        read = number_in_words(value)
    elif "boolean" in kinds:
        read = _TRUTH.get(value.strip())
    elif "object" in kinds or "array" in kinds:
        read = read_value(value)
        if not isinstance(read, dict | list):
            read = [value] if "array" in kinds else None
    if read is None and "null" in kinds and value.strip().lower() in ("", "null", "none"):
        return None
    return value if read is None else cast("Json", read)
