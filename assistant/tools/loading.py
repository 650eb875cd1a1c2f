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
        raise ToolDefinitionError(f"the tools file {path} does not exist (setting: tools).")
    spec = importlib.util.spec_from_file_location(f"assistant_tools_{path.stem}", path)
    if spec is None or spec.loader is None:
        raise ToolDefinitionError(f"the tools file {path} is no Python file; name it *.py.")
    module = importlib.util.module_from_spec(spec)
    run = spec.loader.exec_module
    _load(lambda: run(module), f"the tools file {path}", seconds)
    found = tuple(_tools_in(module))
    if not found:
        raise ToolDefinitionError(
            f"the tools file {path} defines no tool; put @tool(description=…) above a function."
        )
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
        loaded = _load(point.load, f"entry point {point.name} ({point.value})", seconds)
        tools = list(_tools_in(loaded))
        if not tools:
            raise ToolDefinitionError(
                f"entry point {point.name} ({point.value}) offers no tool; name a tool, a sequence"
                " of tools or a module."
            )
        found += tools
    return tuple(found)


def _load(load: Callable[[], object], what: str, seconds: float) -> object:
    """Run code that is not ours; whatever it does, the program goes on."""
    try:
        with redirect_stdout(sys.stderr):  # standard output is the answer's alone
            return run_within(load, seconds)
    except AssistantError as error:
        raise ToolDefinitionError(f"{what}: {error}") from None
    except TimeoutError:
        problem = f"{what} is not loaded after {seconds:g} seconds; what waits belongs in a tool."
        raise ToolDefinitionError(problem) from None
    except Exception as error:
        raise ToolDefinitionError(f"{what} failed: {type(error).__name__}: {error}") from error


def _tools_in(loaded: object) -> Iterator[Tool]:
    if isinstance(loaded, Tool):
        yield loaded
    elif isinstance(loaded, ModuleType):
        # A tool holds its schema, which is not hashable; one tool may stand under two names.
        yield from {id(v): v for v in vars(loaded).values() if isinstance(v, Tool)}.values()
    elif isinstance(loaded, list | tuple):
        for item in cast("Iterable[object]", loaded):
            yield from _tools_in(item)
