"""Loads a user's tools: from a Python file, and from installed packages' entry points."""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import redirect_stdout
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from types import ModuleType
from typing import cast

from assistant.errors import AssistantError, ToolDefinitionError
from assistant.phrases import Phrase, phrase
from assistant.tools.definition import Tool
from assistant.tools.running import run_within

GROUP = "assistant.tools"
LOADING_SECONDS = 30.0
"""After these a file that hangs is given up; importing the largest packages takes less."""


def tools_from_file(path: Path, *, seconds: float = LOADING_SECONDS) -> tuple[Tool, ...]:
    """Run the Python file and return the tools that it defines, in their order.

    Raises:
        ToolDefinitionError: there is no such file, it fails or hangs, or it defines no tool.
    """
    if not path.is_file():
        raise ToolDefinitionError(phrase("tool.no_file", path=path))
    spec = importlib.util.spec_from_file_location(f"assistant_tools_{path.stem}", path)
    if spec is None or spec.loader is None:
        raise ToolDefinitionError(phrase("tool.not_python", path=path))
    module = importlib.util.module_from_spec(spec)
    run = spec.loader.exec_module
    _load(lambda: run(module), phrase("tool.in_file", path=path), seconds)
    found = tuple(_tools_in(module))
    if not found:
        raise ToolDefinitionError(phrase("tool.none_in_file", path=path))
    return found


def tools_from_packages(
    points: Iterable[EntryPoint] | None = None, *, seconds: float = LOADING_SECONDS
) -> tuple[Tool, ...]:
    """Return the tools that installed packages offer in the entry point group `assistant.tools`.

    An entry point names a tool, a sequence of tools, or a module.

    Raises:
        ToolDefinitionError: one of them fails or hangs, or is none of these.
    """
    found: list[Tool] = []
    for point in entry_points(group=GROUP) if points is None else points:
        named = {"name": point.name, "value": point.value}
        loaded = _load(point.load, phrase("tool.in_package", **named), seconds)
        tools = list(_tools_in(loaded))
        if not tools:
            raise ToolDefinitionError(phrase("tool.none_in_package", **named))
        found += tools
    return tuple(found)


def _load(load: Callable[[], object], what: Phrase, seconds: float) -> object:
    """Run code that is not ours; whatever it does, the program goes on."""
    try:
        with redirect_stdout(sys.stderr):  # standard output is the answer's alone
            return run_within(load, seconds)
    except AssistantError as error:
        raise ToolDefinitionError(phrase("tool.within", what=what, problem=error.said)) from None
    except TimeoutError:
        raise ToolDefinitionError(phrase("tool.slow", what=what, seconds=seconds)) from None
    except Exception as error:
        problem = f"{type(error).__name__}: {error}"
        raise ToolDefinitionError(phrase("tool.failed", what=what, problem=problem)) from error


def _tools_in(loaded: object) -> Iterator[Tool]:
    if isinstance(loaded, Tool):
        yield loaded
    elif isinstance(loaded, ModuleType):
        # A tool holds its schema, which is not hashable; one tool may stand under two names.
        yield from {id(v): v for v in vars(loaded).values() if isinstance(v, Tool)}.values()
    elif isinstance(loaded, list | tuple):
        for item in cast("Iterable[object]", loaded):
            yield from _tools_in(item)
