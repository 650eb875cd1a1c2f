"""Reads what models write in place of what they should: arguments that are nearly JSON."""

from __future__ import annotations

import json
import re
from typing import cast

from assistant.messages import Json

_THINKING = re.compile(r"<(think|thinking|reasoning)>.*?</\1>", re.DOTALL | re.IGNORECASE)
_CLOSED_ONLY = re.compile(r"^.*</(?:think|thinking|reasoning)>", re.DOTALL | re.IGNORECASE)
_OPEN_ONLY = re.compile(r"<(?:think|thinking|reasoning)>.*$", re.DOTALL | re.IGNORECASE)


def without_thinking(text: str) -> str:
    """Return a reply without its reasoning blocks, also those that were left open."""
    text = _THINKING.sub("", text)
    text = _CLOSED_ONLY.sub("", text)
    return _OPEN_ONLY.sub("", text).strip()


def read_object(text: str) -> dict[str, Json] | None:
    """Read a JSON object, repairing it where it must be; None where there is none."""
    if not text.strip():
        return {}
    try:
        value: Json = json.loads(text)
    except ValueError:
        import json_repair

        value = json_repair.loads(text)
    return cast("dict[str, Json]", value) if isinstance(value, dict) else None
