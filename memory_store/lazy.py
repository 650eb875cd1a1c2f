"""A value that is costly to load: loaded at its first use, once, also when several threads ask."""

from __future__ import annotations

from collections.abc import Callable
from threading import Lock
from typing import Generic, TypeVar

T = TypeVar("T")


class Lazy(Generic[T]):
    """Holds what `load` returns, from the first `get` on. A failed load is tried again."""

    def __init__(self, load: Callable[[], T]) -> None:
        self._load = load
        self._lock = Lock()
        self._loaded: list[T] = []

    def get(self) -> T:
        """The value."""
        with self._lock:
            if not self._loaded:
                self._loaded.append(self._load())
            return self._loaded[0]
