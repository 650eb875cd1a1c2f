"""The canonical text of a call, `get_stock(sku="42")`, and back. The one place that knows it."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping

from assistant.messages import Json

_NAME = re.compile(r"\s*([A-Za-z_]\w*)\s*\(\s*")
_KEY = re.compile(r"\s*([A-Za-z_]\w*)\s*=\s*")


def canonical(name: str, arguments: Mapping[str, Json]) -> str:
    """Return the call as text; values are written as JSON, in the mapping's order."""
    inside = ", ".join(
        f"{key}={json.dumps(value, ensure_ascii=False)}" for key, value in arguments.items()
    )
    return f"{name}({inside})"


def parse(text: str) -> tuple[str, dict[str, Json]] | None:
    """Read what `canonical` wrote; None where the text is no such call."""
    opening = _NAME.match(text)
    if opening is None:
        return None
    arguments: dict[str, Json] = {}
    decoder, position = json.JSONDecoder(), opening.end()
    while not text.startswith(")", position):
        key = _KEY.match(text, position)
        if key is None:
            return None
        try:
            arguments[key[1]], position = decoder.raw_decode(text, key.end())
        except ValueError:
            return None
        if text.startswith(",", position):
            position += 1
        elif not text.startswith(")", position):
            return None
    return (opening[1], arguments) if not text[position + 1 :].strip() else None
