"""Whatever a server answers, the client gives a reply or one of our errors."""

from collections.abc import Iterator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assistant.errors import ModelError
from assistant.loopback import Loopback, Request, Response
from assistant.messages import Message
from assistant.model.chat_model import ModelReply, ModelRequest
from assistant.model.client import OpenAIChatModel
from assistant.model.retry import RetryPolicy

KINDS = ("text/event-stream", "application/json", "text/html", "text/plain", "nonsense", "")

PIECES = (
    b"data: ", b"\n\n", b"[DONE]", b'{"choices": [', b'{"delta": {"content": "hi"}', b"null",
    b'"finish_reason": "stop"', b"}", b"]", b",", b": ping\n\n", b'{"error": {"message": "no"}}',
    b"<html>", b"event: error\n", b'{"delta": {"tool_calls": [{"index": 0}]}}', b"\xff\xfe",
)  # fmt: skip

bodies = st.one_of(
    st.binary(max_size=60),
    st.lists(st.sampled_from(PIECES), max_size=12).map(b"".join),
)


class Strange:
    """Answers what it was told last."""

    response = Response()

    def __call__(self, _request: Request) -> Response:
        return self.response


@pytest.fixture(scope="module")
def strange() -> Iterator[tuple[Strange, OpenAIChatModel]]:
    server = Strange()
    with Loopback(server) as loopback:
        yield (
            server,
            OpenAIChatModel(
                "m", base_url=loopback.url, api_key="test", retry=RetryPolicy(attempts=1)
            ),
        )


def ask(model: OpenAIChatModel) -> object:
    """The last thing that the model yields, or the error that it raises."""
    try:
        return list(model.complete(ModelRequest((Message("user", "Hello?"),), 50)))[-1]
    except ModelError as error:
        return error


@settings(max_examples=150, deadline=None)
@given(
    body=bodies,
    kind=st.sampled_from(KINDS),
    status=st.sampled_from((200, 200, 200, 204, 400, 404, 418, 429, 500)),
)
def test_no_answer_is_a_crash(
    strange: tuple[Strange, OpenAIChatModel], body: bytes, kind: str, status: int
) -> None:
    """Random bodies, kinds and codes: a whole reply at the end, or an error with a message."""
    server, model = strange
    headers = {"Content-Type": kind} if kind else {}
    server.response = Response(status, headers, (body,) if status != 204 else ())
    outcome = ask(model)
    if isinstance(outcome, ModelError):
        assert str(outcome)
        assert "\n" not in str(outcome)
    else:
        assert isinstance(outcome, ModelReply)
        assert outcome.finish
