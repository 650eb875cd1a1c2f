"""A scripted OpenAI-compatible server on loopback, for tests without a model.

A real HTTP server in a thread of this process. Its script is a sequence of steps, one a request,
or a rule, a function from the request's body to the reply:

    with ScriptedServer([calls(("get_stock", {"sku": "42"})), says("There are 7.")]) as server:
        model = OpenAIChatModel("scripted", base_url=server.url, api_key="test")

Leaving the block fails the test when a request came that the script does not have, and when steps
are left over.
"""

from __future__ import annotations

import json
import threading
import traceback
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Self

from assistant.loopback import CUT, STALL, Loopback, Part, Request, Response
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
    return Raw(_json_response({"error": error}, status=status, headers=headers))


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


class ScriptedServer:
    """An OpenAI-compatible server that follows a script. Safe for requests from many threads.

    Attributes:
        requests: the body of every chat request, in the order in which they came.
        headers: the headers of each, with lower-case names.
    """

    def __init__(
        self,
        script: Sequence[Step] | Rule,
        *,
        name: str = "scripted",
        rejects: Sequence[str] = (),
        api_key: str | None = None,
    ) -> None:
        """Start listening.

        Args:
            name: the model's name; a request for another one gets 404.
            rejects: parameters (`tools`, `response_format` …) that are answered with 400.
            api_key: the only key that is accepted; None accepts any.
        """
        self.requests: list[dict[str, Json]] = []
        self.headers: list[dict[str, str]] = []
        self._rule = script if callable(script) else None
        self._steps = [] if callable(script) else list(script)
        self._name = name
        self._rejects = tuple(rejects)
        self._api_key = api_key
        self._problems: list[str] = []
        self._lock = threading.Lock()
        self._loopback = Loopback(self._answer)
        self.url = f"{self._loopback.url}/v1"

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        self.close()
        problem = self.problem()
        if problem and error is None:
            raise AssertionError(problem)
        if problem and error is not None:
            error.add_note(f"The scripted server says: {problem}")

    def problem(self) -> str:
        """What went against the script so far; empty when all went as written."""
        left = f"{len(self._steps)} steps left over: {self._steps}" if self._steps else ""
        return "\n".join([*self._problems, *([left] if left else [])])

    def close(self) -> None:
        """Stop listening and end every response that is under way."""
        self._loopback.close()

    def _answer(self, request: Request) -> Response:
        if request.path.endswith("/models"):
            return _json_response({"object": "list", "data": [{"id": self._name}]})
        if not request.path.endswith("/chat/completions"):
            return _error(404, f"no such path: {request.path}")
        if self._api_key and request.headers.get("authorization") != f"Bearer {self._api_key}":
            return _error(401, f"Incorrect API key: {request.headers.get('authorization')}")
        return self._chat(request)

    def _chat(self, request: Request) -> Response:
        body: dict[str, Json] = json.loads(request.body)
        if body.get("model") != self._name:
            message = f"The model `{body.get('model')}` does not exist"
            return _error(404, message, code="model_not_found")
        for parameter in self._rejects:
            if body.get(parameter):
                message = f"This model does not support {parameter}."
                return _error(400, message, param=parameter)
        with self._lock:
            self.requests.append(body)
            self.headers.append(dict(request.headers))
            number = len(self.requests)
            step = self._steps.pop(0) if self._steps else None
        step = self._ruled(body, number) if self._rule else step
        if step is None:
            with self._lock:
                self._problems.append(f"unexpected request {number}: {body.get('messages')}")
            return _error(400, f"the script has no step for request {number}")
        if isinstance(step, Raw):
            return step.response
        return _render(Reply(step) if isinstance(step, str) else step, body, number)

    def _ruled(self, body: dict[str, Json], number: int) -> Step:
        assert self._rule is not None
        try:
            return self._rule(body)
        except Exception as error:
            with self._lock:
                self._problems.append(f"request {number}: {traceback.format_exc()}")
            return fails(400, f"the rule failed: {error!r}")


def _error(
    status: int, message: str, *, code: str | None = None, param: str | None = None
) -> Response:
    return fails(status, message, code=code, param=param).response


def _json_response(
    content: Json, *, status: int = 200, headers: Mapping[str, str] | None = None
) -> Response:
    all_headers = {"Content-Type": "application/json", **(headers or {})}
    return Response(status, all_headers, (json.dumps(content).encode(),))


def _render(reply: Reply, body: dict[str, Json], number: int) -> Response:
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
    return _json_response(content, headers=headers)


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
