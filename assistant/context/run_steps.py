"""The steps of the run itself: kept whole while they fit, the old ones compacted in place."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from assistant.context.window import View, groups, show_group
from assistant.context.wording import Language
from assistant.messages import Message
from assistant.sessions import TurnMessage

_SHORT_RESULT = 64
"""Tokens of an old step's result once it is compacted."""

_BATCH = 4
"""Steps are compacted in batches, so that the prefix does not change at every step."""


@dataclass(frozen=True, slots=True)
class FittedSteps:
    """The run's messages as they fit, with how many steps were shortened and left out."""

    messages: tuple[Message, ...]
    tokens: int
    shortened: int = 0
    left_out: int = 0


def fit_steps(
    steps: Sequence[TurnMessage],
    room: int,
    view: View,
    language: Language,
    size: Callable[[Message], int],
) -> FittedSteps:
    """Return the run's messages in at most `room` tokens, calls and results always together."""
    all_groups = groups(steps)

    def shown(group: Sequence[TurnMessage], result_tokens: int | None = None) -> list[Message]:
        return show_group(group, view, language, result_tokens=result_tokens)

    whole = [shown(group) for group in all_groups]
    sizes = [sum(map(size, messages)) for messages in whole]
    if sum(sizes) <= room:
        return FittedSteps(tuple(m for messages in whole for m in messages), sum(sizes))
    short = [shown(group, _SHORT_RESULT) for group in all_groups]
    short_sizes = [sum(map(size, messages)) for messages in short]
    last = len(all_groups) - 1
    compacted = 0
    while compacted < last and sum(short_sizes[:compacted]) + sum(sizes[compacted:]) > room:
        compacted = min(compacted + _BATCH, last)
    kept = short[:compacted] + whole[compacted:]
    kept_sizes = short_sizes[:compacted] + sizes[compacted:]
    dropped = 0
    while dropped < last and sum(kept_sizes[dropped:]) > room:
        dropped = min(dropped + _BATCH, last)
    kept, kept_sizes = kept[dropped:], kept_sizes[dropped:]
    if sum(kept_sizes) > room:  # the last step alone is too long: cut its results
        kept, kept_sizes = _cut_last(all_groups[-1], room, shown, size)
        dropped = dropped if kept else last + 1
    messages = tuple(message for group in kept for message in group)
    return FittedSteps(messages, sum(kept_sizes), compacted, dropped)


def _cut_last(
    group: Sequence[TurnMessage],
    room: int,
    shown: Callable[[Sequence[TurnMessage], int | None], list[Message]],
    size: Callable[[Message], int],
) -> tuple[list[list[Message]], list[int]]:
    results = max(len(group) - 1, 1)
    tokens = room // results
    while tokens > 0:
        messages = shown(group, tokens)
        total = sum(map(size, messages))
        if total <= room:
            return [messages], [total]
        tokens //= 2
    return [], []
