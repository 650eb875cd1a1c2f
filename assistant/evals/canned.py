"""Canned tools: a case's prepared results behind real tools of the registry."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable

from assistant.evals.case import CannedTool
from assistant.messages import Json
from assistant.tools.definition import Tool, ToolFailed, tool

_TYPES: dict[str, type] = {"str": str, "int": int, "float": float, "bool": bool}


def canned_tool(canned: CannedTool) -> Tool:
    """Return a real tool whose results are those of the case, the first that fits."""

    def answer(**arguments: Json) -> str:
        for result in canned.results:
            if all(str(arguments.get(name)) == str(value) for name, value in result.given.items()):
                if result.error is not None:
                    raise ToolFailed(result.error)
                return (result.result or "").format(**arguments)
        raise ToolFailed(f"{canned.name} knows nothing of {arguments}.")

    types = {name: _TYPES[kind] for name, kind in canned.parameters.items()}
    parameters = [
        inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, annotation=kind)
        for name, kind in types.items()
    ]
    answer.__name__ = canned.name
    answer.__signature__ = inspect.Signature(parameters)  # pyright: ignore[reportFunctionMemberAccess]
    answer.__annotations__ = types
    return tool(
        description=canned.description,
        max_age=canned.max_age,
        live=canned.live,
        when=_searching(canned.when) if canned.when else None,
    )(answer)


def _searching(pattern: str) -> Callable[[str], bool]:
    compiled = re.compile(pattern, re.IGNORECASE)
    return lambda question: compiled.search(question) is not None
