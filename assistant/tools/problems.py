"""Says what is wrong with a call's arguments: the field, its value, and what is allowed."""

from __future__ import annotations

import json
from typing import cast

from pydantic import ValidationError

from assistant.messages import Json
from assistant.tools.definition import Tool

_LONGEST_VALUE = 80


def describe(tool: Tool, error: ValidationError) -> str:
    """Return one observation for the model about arguments that do not fit the tool."""
    lines = [_problem(tool, dict(problem)) for problem in error.errors(include_url=False)]
    return f"The call of {tool.name} was not run. {' '.join(lines)} {form_of(tool)}"


def form_of(tool: Tool) -> str:
    """Return one sentence that shows how the tool is called."""
    properties = cast("dict[str, dict[str, Json]]", tool.parameters.get("properties", {}))
    required = cast("list[str]", tool.parameters.get("required", []))
    parts = [
        f"{key} ({_allowed(schema)}{'' if key in required else ', optional'})"
        for key, schema in properties.items()
    ]
    return f"{tool.name} takes {', '.join(parts)}." if parts else f"{tool.name} takes no arguments."


def _problem(tool: Tool, problem: dict[str, Json]) -> str:
    path = [str(part) for part in problem["loc"]]
    field = ".".join(path) or "arguments"
    if problem["type"] == "missing":
        return f"{field} is missing."
    if problem["type"] == "extra_forbidden":
        known = ", ".join(tool.arguments.model_fields) or "none"
        return f"There is no parameter {field}; the parameters are: {known}."
    shown = json.dumps(problem.get("input"), ensure_ascii=False, default=str)
    if len(shown) > _LONGEST_VALUE:
        shown = shown[:_LONGEST_VALUE] + "…"
    return f"{field} is {shown}: {problem['msg']}."


def _allowed(schema: dict[str, Json]) -> str:
    if "enum" in schema:
        return "one of " + ", ".join(json.dumps(v, ensure_ascii=False) for v in schema["enum"])
    if "anyOf" in schema:
        options = cast("list[dict[str, Json]]", schema["anyOf"])
        return " or ".join(_allowed(option) for option in options)
    kind = str(schema.get("type", "any value"))
    return f"{kind}, {schema['format']}" if "format" in schema else kind
