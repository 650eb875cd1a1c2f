"""What a tool is: a typed function, a description for the model, and a freshness contract."""

from __future__ import annotations

import inspect
import re
import string
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, tzinfo
from typing import Any

from pydantic import BaseModel

from assistant.context.wording import Language
from assistant.errors import ToolDefinitionError
from assistant.messages import Json, ToolSchema
from assistant.phrases import phrase
from assistant.tools import calls
from assistant.tools.signature import arguments_of, check_schema, schema_of
from memory_store.protocols import Clock

Confirm = Callable[[str], bool]
"""Asks the user a yes-or-no question."""

TIMEOUT_SECONDS = 30.0
_AGE = re.compile(r"(\d+(?:\.\d+)?)\s*(s|m|min|h|d|w)")
_UNITS = {"s": 1, "m": 60, "min": 60, "h": 3600, "d": 86400, "w": 604800}


class ToolFailed(Exception):
    """Raised by a tool whose work failed; its message is told to the model as it stands."""


@dataclass(frozen=True, slots=True)
class ToolResult:
    """What a tool may return in place of a plain sentence.

    Attributes:
        sources: ids of the memories that the text was read from; their staleness is inherited.
        max_age: a shorter lifetime than the tool declares (a result that holds until midnight).
    """

    text: str
    sources: tuple[str, ...] = ()
    max_age: timedelta | None = None


def _utc_now() -> datetime:
    return datetime.now(UTC)


@dataclass(frozen=True, slots=True)
class RunContext:
    """What a tool may know of the run. A parameter of this type is filled by the loop.

    Attributes:
        language: the user's language; results are written in it.
        confirm: asks the user; None where nobody can be asked (a pipe, `--json`).
        said: what the user said before the question, as far as it stands in the window.
        told: what tools have told in this run.
        results: ids of the memories that these were kept in, or read from.
        seen: ids of the memories that stand before the model, recalled or in the window.
    """

    session: str = ""
    turn: str = ""
    question: str = ""
    language: Language = "en"
    clock: Clock = _utc_now
    zone: tzinfo = UTC
    confirm: Confirm | None = None
    said: tuple[str, ...] = ()
    told: tuple[str, ...] = ()
    results: tuple[str, ...] = ()
    seen: tuple[str, ...] = ()

    @property
    def now(self) -> datetime:
        """The current time in the user's zone."""
        return self.clock().astimezone(self.zone)


@dataclass(frozen=True, slots=True)
class Tool:
    """A tool as the registry holds it; calling it calls the function. Made by `tool`.

    Attributes:
        live: an answer that states what this tool tells must come from a call.
        when: says of a question whether the tool may apply; shortlists for weak models.
        remembered: whether its results become memories (what was read from memory must not).
        timeout: seconds until a call is given up.
    """

    name: str
    description: str
    function: Callable[..., object]
    arguments: type[BaseModel]
    parameters: Mapping[str, Json]
    context_parameter: str | None = None
    max_age: timedelta | None = None
    subject: str | Callable[..., str] | None = None
    validator: Callable[..., object] | None = None
    live: bool = False
    when: Callable[[str], bool] | None = None
    remembered: bool = True
    timeout: float = TIMEOUT_SECONDS

    def __call__(self, *args: Any, **kwargs: Any) -> object:
        """Call the function itself."""
        return self.function(*args, **kwargs)

    @property
    def schema(self) -> ToolSchema:
        """The tool as the model sees it."""
        return ToolSchema(self.name, self.description, self.parameters)

    def canonical(self, arguments: BaseModel) -> str:
        """Return the call's canonical text: in the signature's order, defaults left out."""
        return calls.canonical(self.name, arguments.model_dump(mode="json", exclude_defaults=True))

    def subject_of(self, arguments: BaseModel) -> str:
        """Return the key of what a result of this call is about."""
        values = {key: getattr(arguments, key) for key in type(arguments).model_fields}
        if callable(self.subject):
            return self.subject(**values)
        if self.subject is not None:
            return self.subject.format(**values)
        return self.canonical(arguments)


def tool(
    *,
    description: str,
    max_age: str | timedelta | None = None,
    subject: str | Callable[..., str] | None = None,
    validator: Callable[..., object] | None = None,
    live: bool = False,
    when: Callable[[str], bool] | None = None,
    name: str | None = None,
    parameters: Mapping[str, Json] | None = None,
    remembered: bool = True,
    timeout: float = TIMEOUT_SECONDS,
) -> Callable[[Callable[..., object]], Tool]:
    """Make a tool of a typed function.

    Args:
        description: what the tool does, written for the model.
        max_age: how long a result may be used as current: "30s", "15min", "1h", "1d", "2w";
            "0s" for what must be asked anew each time; None for what does not age. A `live` tool
            that declares none has "0s".
        subject: the key of what a result is about: a template over the arguments, such as
            "stock of {sku}", or a callable that takes them. By default the canonical call.
        validator: takes the tool's arguments and returns the source's current version tag.
        live: what the tool tells must never be answered without a call.
        when: says of a question whether the tool may apply; shortlists for weak models.
        parameters: a JSON Schema in place of the one that the signature gives.

    Raises:
        ToolDefinitionError: something here does not match the function; names both.
    """
    lifetime = _parse_age(name or "?", max_age)
    if live and lifetime is None:
        lifetime = timedelta(0)

    def make(function: Callable[..., object]) -> Tool:
        own_name = name or function.__name__
        if not description.strip():
            raise ToolDefinitionError(phrase("tool.no_description", name=own_name))
        arguments, context_parameter = arguments_of(function, RunContext)
        signature = inspect.signature(function)
        if parameters is not None:
            check_schema(own_name, parameters, arguments, signature)
        _check_takers(own_name, signature, arguments, subject, validator)
        return Tool(
            name=own_name,
            description=description.strip(),
            function=function,
            arguments=arguments,
            parameters=parameters if parameters is not None else schema_of(arguments),
            context_parameter=context_parameter,
            max_age=lifetime,
            subject=subject,
            validator=validator,
            live=live,
            when=when,
            remembered=remembered,
            timeout=timeout,
        )

    return make


def _parse_age(name: str, max_age: str | timedelta | None) -> timedelta | None:
    if max_age is None:
        return None
    if isinstance(max_age, timedelta):
        age = max_age
    else:
        match = _AGE.fullmatch(max_age.strip().lower())
        if match is None:
            raise ToolDefinitionError(phrase("tool.bad_age", name=name, age=max_age))
        age = timedelta(seconds=float(match[1]) * _UNITS[match[2]])
    if age < timedelta(0):
        raise ToolDefinitionError(phrase("tool.negative_age", name=name, age=max_age))
    return age


def _check_takers(
    name: str,
    signature: inspect.Signature,
    arguments: type[BaseModel],
    subject: str | Callable[..., str] | None,
    validator: Callable[..., object] | None,
) -> None:
    """Refuse a subject or validator that does not take the tool's arguments."""
    names = dict.fromkeys(arguments.model_fields)
    for what, taker in (("validator", validator), ("subject", subject)):
        if not callable(taker):
            continue
        try:
            inspect.signature(taker).bind(**names)
        except TypeError as error:
            shown = f"{getattr(taker, '__name__', what)}{inspect.signature(taker)}"
            said = phrase(
                "tool.bad_taker",
                name=name,
                what=what,
                shown=shown,
                signature=f"{name}{signature}",
                problem=error,
            )
            raise ToolDefinitionError(said) from None
    if isinstance(subject, str):
        fields = {
            field for _, field, _, _ in string.Formatter().parse(subject) if field is not None
        }
        if unknown := sorted(fields - set(names)):
            said = phrase(
                "tool.bad_subject",
                name=name,
                subject=subject,
                unknown=", ".join(unknown),
                signature=f"{name}{signature}",
            )
            raise ToolDefinitionError(said)
