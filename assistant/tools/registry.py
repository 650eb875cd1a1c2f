"""The registry of tools: finds them, reads their arguments, runs them, asks their validators."""

from __future__ import annotations

import json
import logging
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import timedelta

from pydantic import BaseModel, ValidationError

from assistant.errors import ToolDefinitionError
from assistant.messages import Json, ToolSchema
from assistant.phrases import phrase
from assistant.tools import calls
from assistant.tools.definition import RunContext, Tool, ToolFailed, ToolResult
from assistant.tools.problems import describe
from assistant.tools.running import run_within
from memory_store import Chunk, Freshness

LONGEST_RESULT = 200_000
"""Characters of a result that are kept; no source that a person reads is longer."""
VALIDATOR_SECONDS = 10.0
_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of one call.

    Attributes:
        text: the result, or what went wrong, as the model is told it.
        subject: the key of what the result is about; None where nothing is to be remembered.
        sources: ids of the memories that the result was read from.
        call: the canonical call; empty where there was no valid one.
    """

    text: str
    ok: bool
    call: str = ""
    subject: str | None = None
    freshness: Freshness = field(default_factory=Freshness)
    sources: tuple[str, ...] = ()


class ToolRegistry:
    """The tools of one assistant, by name. It never changes after it is made."""

    def __init__(self, tools: Iterable[Tool] = ()) -> None:
        """Take the tools.

        Raises:
            ToolDefinitionError: two of them have one name.
        """
        self._tools: dict[str, Tool] = {}
        for each in tools:
            if each.name in self._tools:
                one, other = _place(self._tools[each.name]), _place(each)
                twice = phrase("tool.twice", name=each.name, one=one, other=other)
                raise ToolDefinitionError(twice)
            self._tools[each.name] = each

    def __iter__(self) -> Iterator[Tool]:
        return iter(self._tools.values())

    def __len__(self) -> int:
        return len(self._tools)

    def __contains__(self, name: object) -> bool:
        return name in self._tools

    def get(self, name: str) -> Tool | None:
        """Return the tool of that name, or None."""
        return self._tools.get(name)

    def schemas(self) -> tuple[ToolSchema, ...]:
        """Return every tool as a model sees it."""
        return tuple(tool.schema for tool in self)

    def read(self, name: str, arguments: Mapping[str, Json]) -> tuple[Tool, BaseModel] | str:
        """Return the tool and its checked arguments, or what is wrong with them, for the model."""
        tool = self._tools.get(name)
        if tool is None:
            known = ", ".join(self._tools) or "none"
            return f"There is no tool named {name!r}. The tools are: {known}."
        try:
            return tool, tool.arguments.model_validate(arguments)
        except ValidationError as error:
            return describe(tool, error)

    def call_text(self, name: str, arguments: Mapping[str, Json]) -> str:
        """Return the canonical text of a call, also of one that cannot be run."""
        read = self.read(name, arguments)
        return (
            calls.canonical(name, arguments)
            if isinstance(read, str)
            else read[0].canonical(read[1])
        )

    def run(self, name: str, arguments: Mapping[str, Json], context: RunContext) -> Outcome:
        """Run a call. Whatever goes wrong is said in the outcome; nothing is raised."""
        read = self.read(name, arguments)
        if isinstance(read, str):
            return Outcome(read, ok=False)
        tool, checked = read
        call = tool.canonical(checked)
        # RFC 9110, 13.1: the tag is read before the data, so that a change between the two shows.
        tag = self._tag(tool, checked)
        try:
            result = run_within(
                lambda: tool.function(**_keywords(tool, checked, context)), tool.timeout
            )
        except ToolFailed as error:
            return Outcome(str(error) or f"{name} failed.", ok=False, call=call)
        except TimeoutError as error:
            return Outcome(f"{name} was given up: {error}.", ok=False, call=call)
        except Exception as error:
            _log.info("tool %s failed", name, exc_info=True)
            return Outcome(f"{name} failed: {_reason(error)}", ok=False, call=call)
        return _outcome(tool, checked, call, tag, result)

    def validator(self, chunk: Chunk) -> str | None:
        """Return the version tag that the chunk's source has now.

        None where that cannot be told: the tool is gone, has no validator, or the validator fails.
        """
        call = calls.parse(chunk.freshness.call or "")
        if call is None:
            return None
        read = self.read(*call)
        return None if isinstance(read, str) else self._tag(*read)

    def _tag(self, tool: Tool, checked: BaseModel) -> str | None:
        validator = tool.validator
        if validator is None:
            return None
        try:
            tag = run_within(lambda: validator(**_values(checked)), VALIDATOR_SECONDS)
        except Exception:
            _log.warning("the validator of %s failed", tool.name, exc_info=True)
            return None
        return None if tag is None else str(tag)


def _outcome(tool: Tool, checked: BaseModel, call: str, tag: str | None, result: object) -> Outcome:
    sources: tuple[str, ...] = ()
    max_age = tool.max_age
    if isinstance(result, ToolResult):
        sources = result.sources
        max_age = _shorter(max_age, result.max_age)
        result = result.text
    text = _sentence(tool.name, result)
    if len(text) > LONGEST_RESULT:
        text = f"{text[:LONGEST_RESULT]}\n(cut: {LONGEST_RESULT} of {len(text)} characters kept)"
    contract = Freshness(max_age, tool.name if tag is not None else None, tag, call)
    try:
        subject = tool.subject_of(checked) if tool.remembered else None
    except Exception:
        _log.warning("the subject of %s failed; its call is used", tool.name, exc_info=True)
        subject = call
    return Outcome(text, ok=True, call=call, subject=subject, freshness=contract, sources=sources)


def _shorter(one: timedelta | None, other: timedelta | None) -> timedelta | None:
    if one is None or other is None:
        return other if one is None else one
    return min(one, other)


def _sentence(name: str, result: object) -> str:
    if result is None:
        return f"{name} is done."
    if isinstance(result, str):
        # What cannot be written as UTF-8 (half of a surrogate pair) would be refused downstream.
        return result.encode("utf-8", "replace").decode() or f"{name} returned nothing."
    if isinstance(result, BaseModel):
        return result.model_dump_json()
    try:
        return json.dumps(result, ensure_ascii=False)
    except (TypeError, ValueError):
        return str(result)


def _values(checked: BaseModel) -> dict[str, object]:
    return {key: getattr(checked, key) for key in type(checked).model_fields}


def _keywords(tool: Tool, checked: BaseModel, context: RunContext) -> dict[str, object]:
    keywords = _values(checked)
    if tool.context_parameter is not None:
        keywords[tool.context_parameter] = context
    return keywords


def _reason(error: Exception) -> str:
    return f"{type(error).__name__}: {error}" if str(error) else type(error).__name__


def _place(tool: Tool) -> str:
    code = getattr(tool.function, "__code__", None)
    return f"{code.co_filename}:{code.co_firstlineno}" if code is not None else repr(tool.function)
