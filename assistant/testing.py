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
from collections.abc import Sequence
from typing import Self

from assistant.loopback import Loopback, Request, Response
from assistant.messages import Json
from assistant.script import (
    Raw,
    Reply,
    Rule,
    Step,
    calls,
    cuts,
    fails,
    json_response,
    render,
    says,
    sends,
    stalls,
    streams,
)

__all__ = [
    "Raw",
    "Reply",
    "Rule",
    "ScriptedServer",
    "Step",
    "calls",
    "cuts",
    "fails",
    "says",
    "sends",
    "stalls",
    "streams",
]


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
            return json_response({"object": "list", "data": [{"id": self._name}]})
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
        return render(Reply(step) if isinstance(step, str) else step, body, number)

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
