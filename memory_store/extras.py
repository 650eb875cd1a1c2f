"""Packages of the `notebooks` extra: imported where they are used, and named where they miss."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib import import_module
from typing import TYPE_CHECKING, Any

from memory_store.errors import ExtraMissing

if TYPE_CHECKING:
    from pandas import DataFrame


def needs(module: str) -> Any:
    """Return an optional module such as `pandas` or `matplotlib.figure`.

    Raises:
        ExtraMissing: it is not installed; the message says how to install it.
    """
    try:
        return import_module(module)
    except ImportError as error:
        raise ExtraMissing(
            f"This needs {module.partition('.')[0]} ({error}). Install it with:"
            " pip install 'memory-assistant[notebooks]'"
        ) from error


def frame(rows: Sequence[Mapping[str, Any]]) -> DataFrame:
    """Return rows as a data frame: the one conversion that every `to_pandas` uses.

    Raises:
        ExtraMissing: pandas is not installed.
    """
    return needs("pandas").DataFrame(list(rows))
