"""Guards: what ends a run that goes nowhere. Pure bookkeeping over calls, time and tokens."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from difflib import SequenceMatcher

from assistant.context.wording import Language
from assistant.errors import SettingsError
from assistant.events import Stopped
from assistant.phrases import phrase

SIMILAR = 0.8
"""From this share of equal characters on, two calls of one tool count as variations."""


@dataclass(frozen=True, slots=True)
class Limits:
    """The bounds of one run.

    Attributes:
        steps: the most model calls.
        same_call: how often one call, with the same arguments, is run.
        variations: how many steps in a row may call one tool with slightly changed arguments.
        seconds: the most wall-clock seconds.
        tokens: the most tokens of all requests and replies together.
    """

    steps: int = 8
    same_call: int = 2
    variations: int = 5
    seconds: float = 300.0
    tokens: int = 200_000

    def __post_init__(self) -> None:
        for name in ("steps", "same_call", "variations", "seconds", "tokens"):
            if getattr(self, name) <= 0:
                raise SettingsError(phrase("run.limit", name=name, value=getattr(self, name)))


@dataclass(slots=True)
class Guards:
    """Watches one run. `started` and the times given are seconds of one monotonic clock."""

    limits: Limits
    started: float
    tokens: int = 0
    calls: list[tuple[int, str]] = field(default_factory=list[tuple[int, str]])

    def before_model(self, step: int, now: float) -> Stopped | None:
        """Return why the model may not be called again, or None."""
        if step > self.limits.steps:
            return "steps"
        if now - self.started >= self.limits.seconds:
            return "time"
        return "tokens" if self.tokens >= self.limits.tokens else None

    def before_call(self, step: int, call: str) -> Stopped | None:
        """Note a canonical call of that step; return why it may not be run, or None."""
        self.calls.append((step, call))
        if self._count(call) > self.limits.same_call:
            return "repeated"
        if _alternates([text for _, text in self.calls]):
            return "repeated"
        return "repeated" if self._variations() > self.limits.variations else None

    def remark(self, call: str, language: Language) -> str:
        """Return what is told with the result of a call that brings nothing new; else empty."""
        if self._count(call) > 1:
            if language == "zh":
                return f"（提醒：本轮刚刚调用过 {call}。请根据已有的结果回答。）"
            return f"(Note: {call} was called recently in this run. Answer from what you have.)"
        if self._variations() > self.limits.variations - 2:
            tool = _tool(call)
            if language == "zh":
                return f"（提醒：{tool} 已经反复调用，只是参数略有不同。请根据已有的结果回答。）"
            return (
                f"(Note: {tool} is called over and over with slightly changed arguments. Answer"
                " from what you have.)"
            )
        return ""

    def _count(self, call: str) -> int:
        return sum(text == call for _, text in self.calls)

    def _variations(self) -> int:
        """Return how many steps in a row have called one tool with much the same arguments."""
        last_step, last = self.calls[-1]
        steps = {last_step}
        for step, call in reversed(self.calls[:-1]):
            same = _tool(call) == _tool(last)
            if not same or SequenceMatcher(None, call, last).ratio() < SIMILAR:
                break
            steps.add(step)
            last = call
        return len(steps)


def _tool(call: str) -> str:
    return call.partition("(")[0]


def _alternates(calls: Sequence[str]) -> bool:
    """Whether the last four calls go A-B-A-B."""
    if len(calls) < 4:
        return False
    one, other, third, fourth = calls[-4:]
    return one == third and other == fourth and one != other


_REASONS: dict[Language, dict[str, str]] = {
    "en": {
        "steps": "the step limit was reached",
        "repeated": "the same calls were repeated",
        "time": "the time limit was reached",
        "tokens": "the token limit was reached",
        "interrupted": "it was interrupted",
    },
    "zh": {
        "steps": "达到了步数上限",
        "repeated": "重复了同样的调用",
        "time": "达到了时间上限",
        "tokens": "达到了token上限",
        "interrupted": "被中断",
    },
}


def ending(stopped: Stopped, gathered: Sequence[str], language: Language) -> str:
    """Return the answer of a run that was ended: by what, and what was found so far."""
    reason = _REASONS[language].get(stopped, stopped)
    if language == "zh":
        opening = f"我停了下来，还没有完成：{reason}。"
        found = "目前得到的结果：" if gathered else "还没有得到任何结果。"
    else:
        opening = f"I stopped before I was done: {reason}. "
        found = "What I found so far:" if gathered else "Nothing was found so far."
    return "\n".join((opening + found, *(f"- {text}" for text in gathered)))
