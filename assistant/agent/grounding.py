"""Whether a call's arguments stand in what the user said, or were made up by the model."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import cast

from assistant.messages import Json
from assistant.months import MONTHS, month_number
from assistant.tools import Tool

_PART = re.compile(r"[\W_]+")
_DIGITS = re.compile(r"\d+")
_CHINESE = re.compile(r"[㐀-鿿]")
_MONTH = re.compile(rf"\b(?:{'|'.join(MONTHS)})(?=[a-z]*\b)", re.IGNORECASE)
_TODAY = re.compile(r"^(?:today|now|tomorrow|yesterday|今天|现在|明天|昨天)$", re.IGNORECASE)


def ungrounded(tool: Tool, arguments: Mapping[str, Json], said: str) -> list[str]:
    """Return the names of those arguments whose values do not stand in `said`.

    A value counts as said when its words or all of its numbers are; so does one of a fixed set,
    and one that is a translation (in the other script).
    """
    properties = cast("Mapping[str, Mapping[str, Json]]", tool.parameters.get("properties", {}))
    return [
        name
        for name, value in arguments.items()
        if not _stands(value, said, properties.get(name, {}), name in _required(tool))
    ]


def _required(tool: Tool) -> list[str]:
    return cast("list[str]", tool.parameters.get("required", []))


def _stands(value: Json, said: str, schema: Mapping[str, Json], required: bool) -> bool:
    if value is None or isinstance(value, bool | dict | list) or "enum" in schema:
        return True
    text = str(value).strip()
    low = said.lower()
    if text.lower() in low or _TODAY.match(text):
        return True
    if numbers := _DIGITS.findall(text):
        known = {number.lstrip("0") for number in _DIGITS.findall(said)}
        known |= {str(month_number(name)) for name in _MONTH.findall(said)}
        if len(numbers) > 1:  # 17% of 80 is worked out as 0.17 * 80, or 17 / 100 * 80
            known |= {"", "1", "100"}
        return all(number.lstrip("0") in known for number in numbers)
    words = [word for word in _PART.split(text.lower()) if len(word) > 1]
    if any(word in low for word in words):
        return True
    return required and bool(_CHINESE.search(text)) != bool(_CHINESE.search(said))
