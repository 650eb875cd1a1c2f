"""Packages of the `notebooks` extra: imported where they are used, and named where they miss."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from memory_store.errors import ExtraMissing


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
