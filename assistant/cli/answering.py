"""Shows a run as it happens: the answer on standard output, everything about it on stderr."""

from __future__ import annotations

import logging
import sys
from collections.abc import Iterable, Iterator
from dataclasses import asdict
from typing import TextIO

from assistant.cli.controls import without_controls
from assistant.context.wording import Language
from assistant.events import Answered, Event, ModelCalled, Notice, Observed, TextDelta, ToolCalled
from assistant.front import Waiting
from assistant.phrases import phrase, say

_log = logging.getLogger(__name__)

DIM, PLAIN = "\x1b[2m", "\x1b[0m"


class Screen:
    """Prints the events of one run.

    The answer is streamed to a terminal; to a pipe it goes in one piece, when it is final.
    """

    def __init__(
        self,
        waiting: Waiting,
        language: Language,
        *,
        out: TextIO | None = None,
        trace: bool = False,
    ) -> None:
        self._waiting = waiting
        self._language: Language = language
        self._out = out or sys.stdout
        self._err = sys.stderr
        self._trace = trace
        self._streamed = ""

    def follow(self, events: Iterator[Event]) -> Iterator[Event]:
        """Pass the events on, each after it is shown, up to the answer.

        What is left of `events` then is the run's work after the answer.
        """
        while (event := self._next(events)) is not None:
            self._show(event)
            yield event
            if isinstance(event, Answered):
                return

    def _next(self, events: Iterator[Event]) -> Event | None:
        if self._streamed:
            return next(events, None)
        with self._waiting(say("waiting.thinking", self._language)):
            return next(events, None)

    def _show(self, event: Event) -> None:
        match event:
            case TextDelta(text) if self._out.isatty():
                text = without_controls(text)
                self._out.write(text)
                self._out.flush()
                self._streamed += text
            case Answered(text=text):
                self._end(text)
            case Notice(text):
                self._aside(text)
            case ToolCalled(call=call) if self._trace or self._err.isatty():
                self._aside(f"· {call.name} {call.arguments}")
            case Observed(text=text) if self._trace:
                self._aside(f"  = {text}")
            case ModelCalled() if self._trace:
                self._aside(trace_line(event, self._language))
            case _:
                pass

    def _end(self, answer: str) -> None:
        """Print what of the answer has not been streamed, or all of it where it has changed."""
        if self._out.isatty():
            answer = without_controls(answer)
        if answer.startswith(self._streamed):
            self._out.write(answer[len(self._streamed) :] + "\n")
        else:
            self._out.write(f"\n{answer}\n")
        self._out.flush()

    def _aside(self, text: str) -> None:
        if self._streamed and not self._streamed.endswith("\n"):
            self._out.write("\n")
            self._out.flush()
            self._streamed += "\n"
        text = without_controls(text)
        styled = f"{DIM}{text}{PLAIN}" if self._err.isatty() else text
        print(styled, file=self._err, flush=True)


def drain(events: Iterable[Event]) -> None:
    """Do a run's work after its answer. The answer stands, whatever goes wrong in it."""
    try:
        for _ in events:
            pass
    except KeyboardInterrupt:
        _log.info("the user did not wait for the work after the answer; it is done again later")
    except Exception:
        _log.exception("the work after the answer failed; it is done again later")


def trace_line(call: ModelCalled, language: Language) -> str:
    """Return one line on a model call: step, id, messages, tokens by part, cached, seconds."""
    parts = [
        phrase("chat.trace_part", part=phrase(f"budget.{name}"), tokens=tokens)
        for name, tokens in call.parts.items()
    ]
    counted = phrase("chat.trace_counted", **asdict(call.usage)) if call.usage else ""
    return say(
        "chat.trace",
        language,
        step=call.step,
        id=call.request_id,
        messages=call.messages,
        tokens=call.tokens,
        parts=tuple(parts),
        counted=counted,
        seconds=call.seconds,
    )
