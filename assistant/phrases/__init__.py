"""What study, reminders and jobs say to people: one table a language, with `{values}` filled in."""

from __future__ import annotations

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


@cache
def table(language: str) -> Mapping[str, str]:
    """Return every message of a language by its key."""
    text = (files(__name__) / f"{language}.toml").read_text(encoding="utf-8")
    sections = cast("dict[str, dict[str, str]]", tomllib.loads(text))
    return {
        f"{name}.{key}": words for name, keys in sections.items() for key, words in keys.items()
    }


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
