"""Control characters, which command a terminal: no text that is typed or shown needs them."""

from __future__ import annotations

import re

_CONTROLS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")


def without_controls(text: str) -> str:
    """Return `text` without them; lines and tabs stay."""
    return _CONTROLS.sub("", text.replace("\r\n", "\n"))
