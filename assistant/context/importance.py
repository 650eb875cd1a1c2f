"""Which turns are still in use: their results are kept in the window longer than small talk."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from assistant.context.mentions import holds, mentions
from assistant.phrases import Phrase, phrase
from assistant.sessions import Turn
from memory_store import Judgement

RECENT = 8
"""A result is in use when one of so many last turns names something that only it told."""


@dataclass(frozen=True, slots=True)
class InUse:
    """A turn whose result later turns use: their numbers, and what they name of it."""

    turn: int
    by: tuple[int, ...]
    names: tuple[str, ...]

    @property
    def told(self) -> Phrase:
        """Which turn is kept, and why."""
        return phrase("budget.in_use", turn=self.turn, users=self.by, names=self.names)


def in_use(turns: Sequence[Turn], judgements: Mapping[str, Judgement]) -> list[InUse]:
    """Return the turns with a current tool result that one of the last turns uses.

    A result that is out of date is not in use, whoever names it. A name that the turn's own
    question told already is no sign of use.
    """
    found: list[InUse] = []
    last = turns[-RECENT:]
    for turn in turns:
        told = _told(turn, judgements)
        later = [user for user in last if user.number > turn.number]
        if not told or not later:
            continue
        used = {user.number: [name for name in told if holds(_said(user), name)] for user in later}
        names = dict.fromkeys(name for number in used for name in used[number])
        if names:
            by = tuple(number for number, shared in used.items() if shared)
            found.append(InUse(turn.number, by, tuple(names)[:4]))
    return found


def _told(turn: Turn, judgements: Mapping[str, Judgement]) -> list[str]:
    """Return what only the turn's current results tell, and is long enough to be a sign."""
    names: list[str] = []
    for step in turn.steps:
        judgement = judgements.get(step.chunk_id or "")
        expired = judgement is not None and not judgement.verdict.current
        if step.message.role == "tool" and step.ok and not expired:
            names.extend(mentions(step.message.content[:4_000])[:40])
    return [name for name in dict.fromkeys(names) if _is_sign(name, turn.question)]


def _is_sign(name: str, question: str) -> bool:
    return len(name) > 1 and not holds(question, name)


def _said(turn: Turn) -> str:
    calls = (call.arguments for step in turn.steps for call in step.message.calls)
    return "\n".join((turn.question, *calls, turn.answer or ""))
