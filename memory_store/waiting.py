"""How the user is told of work that takes long: by default not at all."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext

from memory_store.protocols import Progress

Waiting = Callable[[str], AbstractContextManager[Progress]]
"""Wraps work that may take long: told what it is, it tells the user, and yields a callback."""


def silent(_what: str) -> AbstractContextManager[Progress]:
    """Tell nobody about long work."""
    return nullcontext(lambda _done, _total: None)
