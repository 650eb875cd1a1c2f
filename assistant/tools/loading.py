"""Loads a user's tools: from a Python file, and from installed packages' entry points."""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Iterable, Iterator
from contextlib import redirect_stdout
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from types import ModuleType
from typing import cast

from assistant.errors import AssistantError, ToolDefinitionError
from assistant.tools.definition import Tool

GROUP = "assistant.tools"


def tools_from_file(path: Path) -> tuple[Tool, ...]:
    """Run the Python file and return the tools that it defines, in their order.

    Raises:
        ToolDefinitionError: there is no such file, it fails, or it defines no tool.
    """
    if not path.is_file():
        raise ToolDefinitionError(f"the tools file {path} does not exist (setting: tools).")
    spec = importlib.util.spec_from_file_location(f"assistant_tools_{path.stem}", path)
    if spec is None or spec.loader is None:
        raise ToolDefinitionError(f"the tools file {path} is no Python file; name it *.py.")
    module = importlib.util.module_from_spec(spec)
    try:
        with redirect_stdout(sys.stderr):  # standard output is the answer's alone
            spec.loader.exec_module(module)
    except AssistantError as error:
        raise ToolDefinitionError(f"{path}: {error}") from None
    except (Exception, SystemExit) as error:
        raise ToolDefinitionError(
            f"the tools file {path} failed: {type(error).__name__}: {error}"
        ) from error
    found = tuple(_tools_in(module))
    if not found:
        raise ToolDefinitionError(
            f"the tools file {path} defines no tool; put @tool(description=…) above a function."
        )
    return found


def tools_from_packages(points: Iterable[EntryPoint] | None = None) -> tuple[Tool, ...]:
    """Return the tools that installed packages offer in the entry point group `assistant.tools`.

    An entry point names a tool, a sequence of tools, or a module.

    Raises:
        ToolDefinitionError: one of them fails to load, or is none of these.
    """
    found: list[Tool] = []
    for point in entry_points(group=GROUP) if points is None else points:
        try:
            loaded: object = point.load()
        except Exception as error:
            raise ToolDefinitionError(
                f"entry point {point.name} ({point.value}) failed: {type(error).__name__}: {error}"
            ) from error
        tools = list(_tools_in(loaded))
        if not tools:
            raise ToolDefinitionError(
                f"entry point {point.name} ({point.value}) offers no tool; name a tool, a sequence"
                " of tools or a module."
            )
        found += tools
    return tuple(found)


def _tools_in(loaded: object) -> Iterator[Tool]:
    if isinstance(loaded, Tool):
        yield loaded
    elif isinstance(loaded, ModuleType):
        # A tool holds its schema, which is not hashable; one tool may stand under two names.
        yield from {id(v): v for v in vars(loaded).values() if isinstance(v, Tool)}.values()
    elif isinstance(loaded, list | tuple):
        for item in cast("Iterable[object]", loaded):
            yield from _tools_in(item)
