"""The summary without a model: the sentences that name most, in order, with their dates."""

from __future__ import annotations

from collections.abc import Sequence

from assistant.context.mentions import Clause, clauses
from assistant.context.retelling import Retelling
from memory_store.protocols import TokenCounter

OLD_SHARE = 0.6
"""Of the room, the most that the summary before takes: it is shortened, never blanked."""

_CHARACTERS = 200


def extract(old: str, turns: Sequence[Retelling], *, room: int, count: TokenCounter) -> str:
    """Return `old` with the most telling clause of each line, in at most `room` tokens."""
    lines: list[tuple[float, str]] = []
    for turn in turns:
        for number, said in enumerate(turn.said):
            speaker, _, text = said.partition(": ")
            chosen = max(clauses(text), key=_worth, default=None)
            if chosen is not None:
                line = f"- {turn.date} {speaker}: {chosen.text[:_CHARACTERS]}"
                # What the user says matters more than what the assistant made of it.
                lines.append((_worth(chosen) + (number == 0), line))
    kept = old if count(old) <= OLD_SHARE * room else _shortened(old, OLD_SHARE * room, count)
    new = _best(lines, room - count(kept) - 1, count)
    return "\n".join((*([kept] if kept else []), *new))


def _shortened(old: str, room: float, count: TokenCounter) -> str:
    lines = [(sum(map(_worth, clauses(line))), line) for line in old.splitlines() if line.strip()]
    return "\n".join(_best(lines, room, count))


def _worth(clause: Clause) -> float:
    return len(clause.mentions) + 2.0 * clause.task


def _best(lines: Sequence[tuple[float, str]], room: float, count: TokenCounter) -> list[str]:
    """Return the lines of most worth that fit, the newer of equal ones, in their own order."""
    order = sorted(range(len(lines)), key=lambda at: (-lines[at][0], -at))
    kept: list[int] = []
    for at in order:
        tokens = count(lines[at][1]) + 1
        if tokens <= room:
            room -= tokens
            kept.append(at)
    return [lines[at][1] for at in sorted(kept)]
