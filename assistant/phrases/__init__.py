"""What the program says to people: one table a language, with `{values}` filled in."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import cast


@dataclass(frozen=True, slots=True)
class Phrase:
    """A message that is put into words where the reader's language is known.

    Attributes:
        key: its place in the tables, such as `study.no_plan_yet`.
        values: what it is about. Phrases among them are put into the same language, tuples become
            lists, and a number chooses its own plural: `{days:day|days}`.
    """

    key: str
    values: Mapping[str, object]

    def __str__(self) -> str:
        """Return the message in English, which logs and programs are told."""
        return self.text("en")

    def text(self, language: str) -> str:
        """Return the message in `en` or `zh`."""
        values = {name: _shown(value, language) for name, value in self.values.items()}
        return table(language)[self.key].format(**values)


def phrase(key: str, **values: object) -> Phrase:
    """Return the message of that key, to be put into words later."""
    return Phrase(key, values)


def say(key: str, language: str, **values: object) -> str:
    """Return the message of that key in `en` or `zh`."""
    return Phrase(key, values).text(language)


def in_words(said: object, language: str) -> str:
    """Return a phrase in `en` or `zh`, and anything else as it is written."""
    return said.text(language) if isinstance(said, Phrase) else str(said)


def recognised(text: str, *sections: str) -> Phrase | str:
    """Return the message of these sections that an English text is; a text that is none stays.

    So what a library says in English is said in the user's language. Its words stand in the
    English table alone; values are recognised in the same way, and a word by its key.
    """
    for key, words in table("en").items():
        section, _, name = key.partition(".")
        if section not in sections:
            continue
        if text == name:
            return phrase(key)
        if found := _pattern(words).fullmatch(text.rstrip(".")):
            values = {
                name: recognised(value, *sections) for name, value in found.groupdict().items()
            }
            return Phrase(key, values)
    return text


def sentences(*parts: str) -> str:
    """Return sentences one after another; after a Chinese one stands no space."""
    return re.sub(r"(?<=[。！？；：]) ", "", " ".join(filter(None, parts)))


@cache
def table(language: str) -> Mapping[str, str]:
    """Return every message of a language by its key."""
    messages: dict[str, str] = {}
    for file in files(__name__).iterdir():
        if file.name.endswith(f"{language}.toml"):
            text = file.read_text(encoding="utf-8")
            sections = cast("dict[str, dict[str, str]]", tomllib.loads(text))
            messages |= {
                f"{name}.{key}": words
                for name, keys in sections.items()
                for key, words in keys.items()
            }
    return messages


@cache
def _pattern(words: str) -> re.Pattern[str]:
    """A message as a pattern, with a group for each of its values."""
    escaped = re.escape(words.rstrip("."))
    return re.compile(re.sub(r"\\\{(\w+)\\\}", r"(?P<\1>.+?)", escaped), re.IGNORECASE)


class _Count(int):
    """A number that a message may have followed by its noun: `{n:day|days}`."""

    def __format__(self, spec: str) -> str:
        one, bar, many = spec.partition("|")
        if not bar:
            return int.__format__(self, spec)
        return f"{int(self)} {one if self == 1 else many}"


def _shown(value: object, language: str) -> object:
    if isinstance(value, Phrase):
        return value.text(language)
    if isinstance(value, tuple):
        parts = (str(_shown(part, language)) for part in cast("tuple[object, ...]", value))
        return ("、" if language == "zh" else ", ").join(parts)
    return _Count(value) if isinstance(value, int) else value
