"""From a function's signature to the model of its arguments and their JSON Schema."""

from __future__ import annotations

import inspect
import typing
from collections.abc import Callable, Mapping
from typing import Any, cast

from pydantic import BaseModel, ConfigDict, create_model
from pydantic.errors import PydanticUserError

from assistant.errors import ToolDefinitionError
from assistant.messages import Json
from assistant.phrases import Phrase, phrase

_NAMED = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)


def arguments_of(
    function: Callable[..., object], injected: type
) -> tuple[type[BaseModel], str | None]:
    """Return the model of a function's arguments, and the name of its parameter of type `injected`.

    The injected parameter is filled by the loop and never shown to the language model.

    Raises:
        ToolDefinitionError: a parameter has no type, cannot be named, or has a type without
            a JSON Schema.
    """
    name = function.__name__
    try:
        hints = typing.get_type_hints(function, include_extras=True)
    except (NameError, TypeError) as error:
        said = phrase("tool.bad_hints", name=name, problem=error)
        raise ToolDefinitionError(said) from None
    fields: dict[str, Any] = {}
    context_parameter: str | None = None
    for parameter in inspect.signature(function).parameters.values():
        if parameter.kind not in _NAMED:
            raise ToolDefinitionError(phrase("tool.unnamed", name=name, parameter=parameter))
        if parameter.name not in hints:
            raise ToolDefinitionError(phrase("tool.untyped", name=name, parameter=parameter.name))
        if hints[parameter.name] is injected:
            context_parameter = parameter.name
            continue
        default = ... if parameter.default is inspect.Parameter.empty else parameter.default
        fields[parameter.name] = (hints[parameter.name], default)
    config = ConfigDict(extra="forbid", coerce_numbers_to_str=True, protected_namespaces=())
    try:
        model = create_model(f"{name}_arguments", __config__=config, **fields)
        model.model_json_schema()
    except (PydanticUserError, TypeError, NameError) as error:
        signature = inspect.signature(function)
        said = phrase("tool.no_schema", name=name, signature=signature, problem=error)
        raise ToolDefinitionError(said) from None
    return model, context_parameter


def schema_of(arguments: type[BaseModel]) -> dict[str, Json]:
    """Return the arguments' JSON Schema without the titles, which cost tokens and say nothing."""
    schema = _untitled(arguments.model_json_schema())
    schema.setdefault("properties", {})
    return schema


def check_schema(
    name: str, schema: Mapping[str, Json], arguments: type[BaseModel], signature: inspect.Signature
) -> None:
    """Refuse a hand-written schema whose parameters are not those of the function.

    Raises:
        ToolDefinitionError: names the schema's parameters and the function's signature.
    """
    own = schema_of(arguments)
    written = cast("Mapping[str, Json]", schema.get("properties", {}))
    problems: list[Phrase] = []
    if schema.get("type", "object") != "object":
        problems.append(phrase("tool.schema_type", type=schema["type"]))
    if extra := sorted(set(written) - set(own["properties"])):
        problems.append(phrase("tool.not_taken", names=", ".join(extra)))
    if missing := sorted(set(own.get("required", ())) - set(written)):
        problems.append(phrase("tool.not_in_schema", names=", ".join(missing)))
    if optional := sorted(
        set(own.get("required", ())) & set(written) - set(schema.get("required", ()))
    ):
        problems.append(phrase("tool.not_required", names=", ".join(optional)))
    for key in sorted(set(written) & set(own["properties"])):
        ours, theirs = own["properties"][key].get("type"), written[key].get("type")
        if ours is not None and theirs is not None and ours != theirs:
            problems.append(phrase("tool.other_type", name=key, theirs=theirs, ours=ours))
    if problems:
        said = phrase(
            "tool.bad_schema" if written else "tool.bad_schema_none",
            name=name,
            parameters=", ".join(sorted(written)),
            signature=f"{name}{signature}",
            problems=tuple(problems),
        )
        raise ToolDefinitionError(said)


def _untitled(schema: dict[str, Json]) -> dict[str, Json]:
    def clean(value: Json, names: bool) -> Json:
        if isinstance(value, dict):
            items = cast("dict[str, Json]", value).items()
            return {
                key: clean(inner, key in ("properties", "$defs") and not names)
                for key, inner in items
                if names or key != "title"
            }
        if isinstance(value, list):
            return [clean(inner, False) for inner in cast("list[Json]", value)]
        return value

    return cast("dict[str, Json]", clean(schema, False))
