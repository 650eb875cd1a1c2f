"""Writes nearly-JSON as JSON as far as its signs go: quotes, full-width signs, Python's words.

What models write in place of JSON differs from it mostly in signs. Broken structure (a missing
brace, a trailing comma) is left to json-repair, which comes after.
"""

from __future__ import annotations

import json
import re

_CLOSERS = {
    '"': '"“”＂',
    "'": "'‘’",
    "“": '”“"＂',
    "”": '”“"＂',
    "‘": "’‘'",
    "’": "’‘'",
    "「": "」",
    "『": "』",
    "`": "`",
    "＂": '＂"',
    "«": "»",
}
"""For each sign that opens a text, those that may close it."""

_SIGNS = str.maketrans("：，｛｝［］（）＝、", ":,{}[]()=,")
_END = set(",:}])=，：｝］）＝、;；")
_KEY = re.compile(r"\s*[\"'“”‘’「`]?[\w\u4e00-\u9fff.\- ]{1,60}?[\"'“”‘’」`]?\s*[:：=＝]")
_NO_ESCAPE = re.compile(r"(?<!\\)(?:\\\\)*\\(?![\"\\/bfnrtu'])")
_AHEAD = 200
"""Characters that are looked ahead to tell whether a sign closes a text."""
_LEFT_OPEN = re.compile(r"[}｝][)）]*[ \t]*\n")
"""The end of a call at the end of a line: a text that runs on over it was never closed."""
_BARE = re.compile(r"[^\s,:{}\[\]()=\"，：｛｝［］（）＝、][^,:{}\[\]()=\"\n，：｛｝［］（）＝]*")
_WORDS = {
    "true": "true",
    "false": "false",
    "none": "null",
    "null": "null",
    "nil": "null",
    "undefined": "null",
}
_NUMBER = re.compile(r"-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][-+]?\d+)?")


def as_json(text: str) -> str:
    """Return `text` with JSON's own signs; every text in it is quoted as JSON quotes."""
    written: list[str] = []
    stack: list[str] = []
    position = 0
    while position < len(text):
        sign = text[position]
        if sign in _CLOSERS:
            content, position = _quoted(text, position, in_list=bool(stack) and stack[-1] == "[")
            written.append(json.dumps(content, ensure_ascii=False))
            continue
        plain = sign.translate(_SIGNS)
        if plain in "{[(":
            stack.append(plain)
        elif plain in "}])" and stack:
            stack.pop()
        if plain in ",}" and _last(written) == ":":
            written.append("null")  # a key without its value
        if plain in "{}[](),:=" or plain.isspace():
            # Key and value are parted by a colon, also where Python's calls have "=".
            written.append(":" if plain == "=" else plain)
            position += 2 if text.startswith("=>", position) else 1
            continue
        bare = _BARE.match(text, position)
        if bare is None:
            position += 1
            continue
        written.append(_word(bare[0].rstrip()))
        position = bare.end()
    return "".join(written)


def closing(text: str, start: int) -> int | None:
    """Return where the bracket at `start` is closed, one past it; None where it never is."""
    stack: list[str] = []
    position = start
    while position < len(text):
        sign = text[position]
        if sign in _CLOSERS and _before(text, position) in ("", *"({[,:="):
            position = _quoted(text, position, in_list=bool(stack) and stack[-1] == "[")[1]
            continue
        plain = sign.translate(_SIGNS)
        if plain in "{[(":
            stack.append(plain)
        elif plain in "}])":
            if not stack or stack.pop() + plain not in ("{}", "[]", "()"):
                return None
            if not stack:
                return position + 1
        position += 1
    return None


def _before(text: str, position: int) -> str:
    """Return the last sign before `position` that is no space."""
    while position > 0 and text[position - 1].isspace():
        position -= 1
    return text[position - 1 : position].translate(_SIGNS)


def _last(written: list[str]) -> str:
    return next((part for part in reversed(written) if not part.isspace()), "")


def _word(word: str) -> str:
    """Return a word without quotes as JSON: a number, a constant, or a text."""
    if _NUMBER.fullmatch(word):
        return word
    return _WORDS.get(word.lower(), json.dumps(word, ensure_ascii=False))


def _quoted(text: str, start: int, *, in_list: bool) -> tuple[str, int]:
    """Return the text quoted from `start` on, and where it ends.

    A sign closes it only where what follows can follow a text, so that quotes inside a value stay.
    """
    opening = text[start]
    triple = opening * 3
    if opening in "\"'" and text.startswith(triple, start):
        end = text.find(triple, start + 3)
        if end > 0:
            return text[start + 3 : end], end + 3
    closers = _CLOSERS[opening]
    position = start + 1
    while position < len(text):
        if text[position] == "\\":
            position += 2
            continue
        if text[position] in closers and _can_end(text, position + 1, in_list=in_list):
            if _LEFT_OPEN.search(text, start, position):
                break
            return _unescaped(text[start + 1 : position]), position + 1
        position += 1
    # It is never closed: it goes to the brackets at the end, of its line or of all.
    left_open = _LEFT_OPEN.search(text, start)
    end = left_open.start() if left_open else len(text.rstrip(" \n\t}])｝］）"))
    end = max(end, start + 1)
    return _unescaped(text[start + 1 : end]), end


def _can_end(text: str, after: int, *, in_list: bool) -> bool:
    rest = text[after : after + _AHEAD]
    stripped = rest.lstrip()
    if not stripped:
        return True
    if stripped[0] in _CLOSERS and not in_list and stripped != rest:
        return _KEY.match(stripped) is not None  # the comma before the next key is missing
    if stripped[0] not in _END:
        return False
    if stripped[0] not in ",，、;；" or in_list:
        return True
    following = stripped[1:].lstrip()
    return not following or following[0] in ",}])，｝］）" or _KEY.match(following) is not None


def _unescaped(content: str) -> str:
    """Return a text's content with JSON's escapes read, and everything else as it stands."""
    if "\\" not in content:
        return content
    if _NO_ESCAPE.search(content):  # backslashes that are meant, as in a path
        return content.replace('\\"', '"')
    safe = re.sub(r'(?<!\\)((?:\\\\)*)"', r'\1\\"', content)
    try:
        return str(json.loads(f'"{safe}"', strict=False))
    except ValueError:
        return content
