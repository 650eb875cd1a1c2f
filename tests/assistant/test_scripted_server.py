"""The scripted server itself: it fails the test where the script and the requests differ."""

from typing import Any

import pytest

from assistant.errors import ModelError
from assistant.messages import Message
from assistant.model.chat_model import ModelRequest
from assistant.model.client import OpenAIChatModel
from assistant.testing import ScriptedServer, Step, says


def ask(server: ScriptedServer, text: str = "Hello?") -> str:
    model = OpenAIChatModel("scripted", base_url=server.url, api_key="test")
    *_pieces, reply = model.complete(ModelRequest((Message("user", text),), 100))
    assert not isinstance(reply, str)
    return reply.text


def test_steps_left_over_fail_the_test() -> None:
    """A script that was not used up is an error that names the rest."""
    with (
        pytest.raises(AssertionError, match="1 steps left over"),
        ScriptedServer(["One.", "Two."]) as server,
    ):
        ask(server)


def test_an_unexpected_request_fails_the_test() -> None:
    """A request beyond the script is an error, also where the code under test swallows it."""
    server = ScriptedServer(["One."])
    ask(server)
    with pytest.raises(ModelError):
        ask(server)
    with pytest.raises(AssertionError, match="unexpected request 2"):
        server.__exit__(None, None, None)


def test_a_failing_test_keeps_its_own_error() -> None:
    """What went against the script is added to the test's error and does not hide it."""
    with pytest.raises(KeyError) as raised, ScriptedServer(["One."]):
        raise KeyError("the test's own")
    assert "left over" in raised.value.__notes__[0]


def test_a_rule_answers_every_request() -> None:
    """In the rule-based mode any number of requests is answered from their bodies."""

    def count(body: dict[str, Any]) -> Step:
        return says(body["messages"][-1]["content"].upper())

    with ScriptedServer(count) as server:
        assert [ask(server, f"word {number}") for number in range(3)] == [
            "WORD 0",
            "WORD 1",
            "WORD 2",
        ]
        assert len(server.requests) == 3


def test_a_rule_that_raises_fails_the_test() -> None:
    """An error in a rule reaches the test with its traceback."""

    def broken(_body: dict[str, Any]) -> Step:
        raise ZeroDivisionError("in the rule")

    server = ScriptedServer(broken)
    with pytest.raises(ModelError):
        ask(server)
    with pytest.raises(AssertionError, match="in the rule"):
        server.__exit__(None, None, None)
