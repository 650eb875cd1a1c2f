"""Where a chat's lines come from: the terminal, with history and completion, or a pipe."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from prompt_toolkit import PromptSession
from prompt_toolkit.completion import WordCompleter
from prompt_toolkit.history import History
from prompt_toolkit.key_binding import KeyBindings, KeyPressEvent

from assistant.cli.reading import decoded
from assistant.phrases import phrase

if TYPE_CHECKING:
    from assistant.cli.conversation import Conversation

RECALLED_LINES = 500


def piped_lines() -> Iterator[str]:
    """Yield each line of standard input that is not blank."""
    for line in sys.stdin.buffer:
        if line.strip():
            yield decoded(line, phrase("input.line"))


def typed_lines(conversation: Conversation) -> Iterator[str]:
    """Yield what the user enters: Enter sends, Alt-Enter begins a new line, Ctrl-D ends.

    Ctrl-C gives up what is being typed. A paste may have many lines.
    """
    prompt: PromptSession[str] = PromptSession(
        "> ",
        history=AskedBefore(conversation.questions),
        completer=WordCompleter(list(conversation.commands), sentence=True),
        complete_while_typing=False,
        key_bindings=_keys(),
        multiline=True,
        prompt_continuation="  ",
    )
    while True:
        try:
            line = prompt.prompt()
        except KeyboardInterrupt:
            continue
        except EOFError:
            return
        if line.strip():
            yield line


class AskedBefore(History):
    """The questions of earlier turns, read from the ledger: what is forgotten is gone here too."""

    def __init__(self, questions: Iterable[str]) -> None:
        super().__init__()
        self._questions = questions

    def load_history_strings(self) -> Iterable[str]:
        """Yield questions, the newest first."""
        for count, question in enumerate(self._questions):
            if count >= RECALLED_LINES:
                return
            yield question

    def store_string(self, string: str) -> None:
        """Do nothing: the run writes the question into the ledger."""


def _keys() -> KeyBindings:
    keys = KeyBindings()

    @keys.add("enter")
    def _send(event: KeyPressEvent) -> None:  # pyright: ignore[reportUnusedFunction]
        event.current_buffer.validate_and_handle()

    @keys.add("escape", "enter")
    def _new_line(event: KeyPressEvent) -> None:  # pyright: ignore[reportUnusedFunction]
        event.current_buffer.insert_text("\n")

    return keys
