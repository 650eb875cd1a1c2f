"""A property that is computed at its first use, once, also when several threads ask first.

`functools.cached_property` holds no lock since Python 3.12.
"""

from __future__ import annotations

from collections.abc import Callable
from threading import RLock
from typing import Any, Generic, Self, TypeVar, overload

Value = TypeVar("Value")


class once(Generic[Value]):  # noqa: N801 (a decorator)
    """Computes the property's value at its first use and keeps it with the object.

    One lock for all objects of a class: threads wait for each other only while values are made.
    """

    def __init__(self, make: Callable[[Any], Value]) -> None:
        self._make = make
        self._lock = RLock()
        self._name = make.__name__
        self.__doc__ = make.__doc__

    @overload
    def __get__(self, owner: None, kind: type) -> Self: ...
    @overload
    def __get__(self, owner: object, kind: type) -> Value: ...
    def __get__(self, owner: object | None, kind: type) -> Self | Value:
        if owner is None:
            return self
        with self._lock:
            if self._name not in owner.__dict__:
                owner.__dict__[self._name] = self._make(owner)
            return owner.__dict__[self._name]

    def __set__(self, owner: object, value: Value) -> None:
        """Give the value in place of the one that would be made."""
        owner.__dict__[self._name] = value
