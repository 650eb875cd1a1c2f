"""The body of a chat completions request, less what the server was seen to reject."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping

from assistant.messages import Json
from assistant.model.chat_model import ModelRequest


def body_of(
    model: str,
    request: ModelRequest,
    *,
    unwelcome: Collection[str] = (),
    extra: Mapping[str, Json] | None = None,
) -> dict[str, Json]:
    """Return the request as the API writes it; always a stream.

    Args:
        unwelcome: optional fields to leave out.
        extra: further fields.
    """
    body: dict[str, Json] = {
        "model": model,
        "messages": [message.wire() for message in request.messages],
        "stream": True,
        **optional_fields(request, unwelcome),
        **(extra or {}),
    }
    if request.tools:
        body["tools"] = [tool.wire() for tool in request.tools]
    if request.response_schema is not None:
        schema = {"name": "reply", "strict": True, "schema": dict(request.response_schema)}
        body["response_format"] = {"type": "json_schema", "json_schema": schema}
    return body


def optional_fields(request: ModelRequest, unwelcome: Collection[str] = ()) -> dict[str, Json]:
    """Return the fields that a request can do without, less the `unwelcome` ones."""
    optional: dict[str, Json] = {
        "max_tokens": request.reply_tokens,
        "temperature": request.temperature,
        "stream_options": {"include_usage": True},
    }
    if request.stop:
        optional["stop"] = list(request.stop)
    # OpenAI's newer models reject max_tokens, and older servers know nothing else.
    if "max_tokens" in unwelcome:
        optional["max_completion_tokens"] = optional.pop("max_tokens")
    return {name: value for name, value in optional.items() if name not in unwelcome}


def written(body: Mapping[str, Json]) -> bytes:
    """Return a body as JSON. Lone surrogates, which UTF-8 has no way to write, become `?`."""
    return json.dumps(body, ensure_ascii=False).encode("utf-8", "replace")
