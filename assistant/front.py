"""How the parts reach the user while they work: what they wait for, what to know, what to ask."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from memory_store.waiting import Waiting, silent

if TYPE_CHECKING:
    from assistant.tools.definition import Confirm


@dataclass(frozen=True, slots=True)
class Front:
    """What a user sees and is asked between a question and its answer; by default nothing.

    Attributes:
        words: what the user typed, in whose language they are spoken to.
        notify: told one line that the user should know.
        confirm: asks the user whether to do something; None where nobody can be asked.
    """

    waiting: Waiting = silent
    notify: Callable[[str], None] = lambda _line: None
    confirm: Confirm | None = None
    words: str = ""
