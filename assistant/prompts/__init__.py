"""Prompt templates, English and Chinese: one Markdown file a prompt and language."""

from __future__ import annotations

from importlib.resources import files
from string import Template

from assistant.context.wording import Language


def prompt(name: str, language: Language, **values: str) -> str:
    """Return the prompt of that name with its `$values` filled in.

    Raises:
        FileNotFoundError: there is no such prompt.
        KeyError: a value is missing.
    """
    text = (files(__name__) / f"{name}.{language}.md").read_text(encoding="utf-8")
    return Template(text.strip()).substitute(values)
