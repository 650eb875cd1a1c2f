"""What is said to a model and by it: messages, tool calls and tool schemas, in openai's terms."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

Role = Literal["system", "user", "assistant", "tool"]
Json = Any
"""A value that `json` can write."""


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A call that the model asks for. `arguments` is the model's own text, perhaps broken JSON."""

    id: str
    name: str
    arguments: str

    def wire(self) -> dict[str, Json]:
        """Return the call as the chat completions API writes it."""
        function = {"name": self.name, "arguments": self.arguments}
        return {"id": self.id, "type": "function", "function": function}


@dataclass(frozen=True, slots=True)
class Message:
    """One message of a request.

    Attributes:
        calls: the tool calls of an assistant message.
        call_id: the call that a tool message answers.
    """

    role: Role
    content: str
    calls: tuple[ToolCall, ...] = ()
    call_id: str | None = None

    def wire(self) -> dict[str, Json]:
        """Return the message as the chat completions API writes it."""
        wire: dict[str, Json] = {"role": self.role, "content": self.content}
        if self.calls:
            wire["tool_calls"] = [call.wire() for call in self.calls]
        if self.call_id is not None:
            wire["tool_call_id"] = self.call_id
        return wire


@dataclass(frozen=True, slots=True)
class ToolSchema:
    """A tool as the model sees it: `parameters` is a JSON Schema object."""

    name: str
    description: str
    parameters: Mapping[str, Json]

    def wire(self) -> dict[str, Json]:
        """Return the tool as the chat completions API writes it."""
        function = {
            "name": self.name,
            "description": self.description,
            "parameters": dict(self.parameters),
        }
        return {"type": "function", "function": function}
