"""How the parts reach the user while they work: what they wait for, what to know, what to ask."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from typing import TYPE_CHECKING

from memory_store.protocols import Progress

if TYPE_CHECKING:
    from assistant.tools.definition import Confirm

Waiting = Callable[[str], AbstractContextManager[Progress]]
"""Wraps work that may take long: told what it is, it tells the user, and yields a callback."""


def silent(_what: str) -> AbstractContextManager[Progress]:
    """Tell nobody about long work."""
    return nullcontext(lambda _done, _total: None)


@dataclass(frozen=True, slots=True)
class Front:
    """What a user sees and is asked between a question and its answer; by default nothing.

    Attributes:
        notify: told one line that the user should know.
        confirm: asks the user whether to do something; None where nobody can be asked.
    """

    waiting: Waiting = silent
    notify: Callable[[str], None] = lambda _line: None
    confirm: Confirm | None = None
