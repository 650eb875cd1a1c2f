"""The one seam to a model: a request goes in; text as it comes and one reply come out."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Protocol

from assistant.messages import Json, Message, ToolCall, ToolSchema


@dataclass(frozen=True, slots=True)
class ModelRequest:
    """One request to a model.

    Attributes:
        reply_tokens: the most tokens that the reply may have.
        response_schema: a JSON Schema that the reply must follow, for the `schema` protocol.
        stop: texts before which the model is stopped.
    """

    messages: tuple[Message, ...]
    reply_tokens: int
    tools: tuple[ToolSchema, ...] = ()
    response_schema: Mapping[str, Json] | None = None
    temperature: float = 0.1
    stop: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens as the server counted them; `cached` is the part of `prompt` it had cached."""

    prompt: int
    completion: int
    cached: int = 0


@dataclass(frozen=True, slots=True)
class ModelReply:
    """A whole reply.

    Attributes:
        finish: the server's finish reason: stop, length, tool_calls, content_filter …
        usage: None where the server reports none.
        request_id: what the logs know the call by.
        seconds: from the request to the reply's end.
    """

    text: str
    calls: tuple[ToolCall, ...]
    finish: str
    usage: Usage | None
    request_id: str
    seconds: float = 0.0


class ChatModel(Protocol):
    """A model behind an address.

    Attributes:
        name: the model's own name.
        address: where it is, without secrets; with the name it says which model this is.
    """

    name: str
    address: str

    def complete(self, request: ModelRequest) -> Iterator[str | ModelReply]:
        """Yield pieces of the reply's text as they come, then the whole `ModelReply`, last.

        Raises:
            ModelError: see `assistant.errors` for its kinds.
        """
        ...

    def close(self) -> None:
        """Release the connection, and stop the server if it was started here."""
        ...
