"""Evaluation cases: what a suite's YAML file may say."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Annotated, Literal

from pydantic import AwareDatetime, BaseModel, ConfigDict, Field, field_validator

from assistant.events import Stopped
from assistant.messages import Json
from memory_store.chunk import Kind, Origin

Category = Literal[
    "normal",
    "missing_arguments",
    "several_tools",
    "long_context",
    "freshness",
    "knowledge_update",
    "abstention",
    "injection",
    "malformed_output",
    "study",
]
Some = Annotated[str, Field(min_length=1)]


class _Part(BaseModel):
    """Refuses unknown keys, so that a misspelt check never passes silently."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class GivenMemory(_Part):
    """A memory that exists before the case begins. `max_age` in seconds or ISO 8601 (P1D)."""

    text: Some
    at: AwareDatetime
    kind: Kind = "question"
    origin: Origin = "user"
    session: str = "earlier"
    subject: str | None = None
    max_age: timedelta | None = None
    call: str | None = None
    repeat: int = Field(1, ge=1, le=5000)
    """Stored this often, `{n}` in the text replaced: what makes a long context."""


class CannedResult(_Part):
    """What a canned tool answers when its arguments hold `given`."""

    given: dict[str, Json] = {}
    result: str | None = None
    error: str | None = None


class CannedTool(_Part):
    """A tool with prepared results. `parameters` are names and simple types."""

    name: Some
    description: Some
    parameters: dict[str, Literal["str", "int", "float", "bool"]] = {}
    max_age: str | None = None
    live: bool = False
    when: str | None = None
    """A regular expression over the question: the tool may apply."""
    results: tuple[CannedResult, ...]


class ScriptedCall(_Part):
    """A tool call of the scripted model; `raw` is its arguments' text as it is, however broken."""

    tool: str
    arguments: dict[str, Json] = {}
    raw: str | None = None


class ScriptedStep(_Part):
    """What the scripted model says at one request, so that the suite tests the loop alone."""

    say: str = ""
    calls: tuple[ScriptedCall, ...] = ()


class ExpectedCall(_Part):
    """A tool that must have been called, with at least these arguments."""

    tool: str
    arguments: dict[str, Json] = {}


class ExpectedNumber(_Part):
    """A number that the answer must hold, at most `within` away."""

    value: float
    within: float = 0.0


class ExpectedVerdict(_Part):
    """A memory that holds `text` must have been judged so, used or dropped."""

    text: Some
    verdict: Literal["fresh", "revalidated", "stale", "changed", "superseded"]


class Expectation(_Part):
    """The checks of one turn; all must hold. In a list of words, one of an inner list is enough."""

    contains: tuple[str | tuple[str, ...], ...] = ()
    excludes: tuple[str, ...] = ()
    matches: tuple[str, ...] = ()
    numbers: tuple[ExpectedNumber, ...] = ()
    called: tuple[ExpectedCall, ...] = ()
    not_called: tuple[str, ...] = ()
    order: tuple[str, ...] = ()
    memory_used: tuple[str, ...] = ()
    verdicts: tuple[ExpectedVerdict, ...] = ()
    stopped: Stopped | None = None
    tokens_at_most: int | None = None
    steps_at_most: int | None = None
    judge: str | None = None
    """A rubric that a model judges the answer by, where a judge is given."""

    @field_validator("matches")
    @classmethod
    def _compiles(cls, patterns: tuple[str, ...]) -> tuple[str, ...]:
        import re

        for pattern in patterns:
            try:
                re.compile(pattern)
            except re.error as error:
                raise ValueError(f"{pattern!r} is not a regular expression: {error}") from None
        return patterns


class CaseTurn(_Part):
    """One question of a case, asked at `now` (default: the case's)."""

    ask: Some
    now: AwareDatetime | None = None
    session: str = "eval"
    script: tuple[ScriptedStep, ...] = ()
    expect: Expectation = Expectation()


class Case(_Part):
    """One case: what is given, what is asked, what must come of it."""

    id: Some
    category: Category
    language: Literal["en", "zh"]
    now: AwareDatetime
    memories: tuple[GivenMemory, ...] = ()
    tools: tuple[CannedTool, ...] = ()
    context_limit: int | None = Field(None, ge=256)
    local: bool = False
    """Whether the case is one of those for the packaged local model."""
    turns: Annotated[tuple[CaseTurn, ...], Field(min_length=1)]

    def time_of(self, turn: CaseTurn) -> datetime:
        """When a turn is asked."""
        return turn.now or self.now
