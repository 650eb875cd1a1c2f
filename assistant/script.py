"""What a scripted model says: the steps of a script, and how they go over the wire."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace

from assistant.loopback import CUT, STALL, Part, Response
from assistant.messages import Json, ToolCall
from assistant.model.chat_model import Usage

FRAGMENT = 7
"""Characters a streamed fragment has, so that words and JSON are split in awkward places."""


@dataclass(frozen=True, slots=True)
class Reply:
    """What the model says: a good reply, unless `then` breaks it off.

    Attributes:
        finish: None means `tool_calls` where there are calls, else `stop`.
        usage: None means an estimate of four characters a token.
        then: what happens after the text in a stream: nothing, a stall, or a cut connection.
        headers: added to the response.
    """

    text: str = ""
    calls: tuple[ToolCall, ...] = ()
    finish: str | None = None
    usage: Usage | None = None
    then: Part = b""
    headers: Mapping[str, str] = field(default_factory=dict[str, str])


@dataclass(frozen=True, slots=True)
class Raw:
    """A response as it is: an error, a page of HTML, a broken stream."""

    response: Response


Step = Reply | Raw | str
"""One reply of the script; a text stands for `Reply(text)`."""

Rule = Callable[[dict[str, Json]], Step]
"""Answers each request from its body. What it raises fails the test."""


def says(text: str, **details: Json) -> Reply:
    """The model answers with `text`; `details` are the fields of `Reply`."""
    return Reply(text, **details)


def calls(*wanted: tuple[str, Mapping[str, Json] | str], text: str = "") -> Reply:
    """The model calls tools natively: pairs of a name and its arguments; a string goes as it is.

    The server gives each call an id of its own.
    """

    def written(arguments: Mapping[str, Json] | str) -> str:
        return arguments if isinstance(arguments, str) else json.dumps(arguments)

    return Reply(text, tuple(ToolCall("", name, written(args)) for name, args in wanted))


def fails(
    status: int,
    message: str = "scripted failure",
    *,
    code: str | None = None,
    param: str | None = None,
    retry_after: str | None = None,
) -> Raw:
    """The server answers an error, as OpenAI writes them."""
    headers = {"Retry-After": retry_after} if retry_after is not None else {}
    error = {"message": message, "type": "scripted", "code": code, "param": param}
    return Raw(json_response({"error": error}, status=status, headers=headers))


def sends(body: str | bytes, *, status: int = 200, content_type: str = "text/html") -> Raw:
    """The server answers `body` whatever was asked: an HTML page, broken JSON, a strange stream."""
    content = body.encode() if isinstance(body, str) else body
    return Raw(Response(status, {"Content-Type": content_type}, (content,)))


def streams(*events: Mapping[str, Json] | str) -> Raw:
    """The server streams these events as they are; a text need not be JSON."""
    lines = (event if isinstance(event, str) else json.dumps(event) for event in events)
    parts = tuple(f"data: {line}\n\n".encode() for line in (*lines, "[DONE]"))
    return Raw(Response(200, {"Content-Type": "text/event-stream"}, parts))


def stalls(after: str = "") -> Reply | Raw:
    """The server says `after` and then nothing more, until the client gives up."""
    return Reply(after, then=STALL) if after else Raw(Response(200, {}, (STALL,)))


def cuts(after: str = "") -> Reply | Raw:
    """The server says `after` and then cuts the connection."""
    return Reply(after, then=CUT) if after else Raw(Response(200, {}, (CUT,)))


def json_response(
    content: Json, *, status: int = 200, headers: Mapping[str, str] | None = None
) -> Response:
    """Write `content` as a JSON response."""
    all_headers = {"Content-Type": "application/json", **(headers or {})}
    return Response(status, all_headers, (json.dumps(content).encode(),))


def render(reply: Reply, body: dict[str, Json], number: int) -> Response:
    """Write a reply as the answer to the request `body`, the `number`th of the server."""
    finish = reply.finish or ("tool_calls" if reply.calls else "stop")
    said = reply.text + "".join(call.name + call.arguments for call in reply.calls)
    usage = reply.usage or Usage(len(json.dumps(body.get("messages"))) // 4, len(said) // 4 + 1)
    numbered = tuple(
        replace(call, id=call.id or f"call_{number}_{index}")
        for index, call in enumerate(reply.calls, start=1)
    )
    reply = replace(reply, finish=finish, usage=usage, calls=numbered)
    headers = {"X-Request-ID": f"server-{number}", **reply.headers}
    if body.get("stream"):
        headers["Content-Type"] = "text/event-stream"
        return Response(200, headers, tuple(_events(reply, body)))
    message: dict[str, Json] = {"role": "assistant", "content": reply.text}
    if reply.calls:
        message["tool_calls"] = [call.wire() for call in reply.calls]
    content = {
        "object": "chat.completion",
        "model": body.get("model"),
        "choices": [{"index": 0, "message": message, "finish_reason": finish}],
        "usage": _usage(usage),
    }
    return json_response(content, headers=headers)


def _events(reply: Reply, body: dict[str, Json]) -> Iterator[Part]:
    def event(delta: Mapping[str, Json], finish: str | None = None) -> bytes:
        return chunk(choices=[{"index": 0, "delta": dict(delta), "finish_reason": finish}])

    def chunk(**fields: Json) -> bytes:
        content = {"object": "chat.completion.chunk", "model": body.get("model"), **fields}
        return f"data: {json.dumps(content)}\n\n".encode()

    yield event({"role": "assistant", "content": ""})
    for piece in _pieces(reply.text):
        yield event({"content": piece})
    if reply.then:
        yield reply.then
        return
    for index, call in enumerate(reply.calls):
        start = {**call.wire(), "index": index, "function": {"name": call.name, "arguments": ""}}
        yield event({"tool_calls": [start]})
        for piece in _pieces(call.arguments):
            yield event({"tool_calls": [{"index": index, "function": {"arguments": piece}}]})
    yield event({}, reply.finish)
    options: dict[str, Json] = body.get("stream_options") or {}
    if reply.usage and options.get("include_usage"):
        yield chunk(choices=[], usage=_usage(reply.usage))
    yield b"data: [DONE]\n\n"


def _pieces(text: str) -> Iterator[str]:
    size = max(FRAGMENT, len(text) // 1000)
    return (text[start : start + size] for start in range(0, len(text), size))


def _usage(usage: Usage) -> dict[str, Json]:
    return {
        "prompt_tokens": usage.prompt,
        "completion_tokens": usage.completion,
        "total_tokens": usage.prompt + usage.completion,
        "prompt_tokens_details": {"cached_tokens": usage.cached},
    }
