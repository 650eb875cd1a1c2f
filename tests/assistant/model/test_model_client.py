"""The model client, by the real openai library against the scripted server."""

import logging
import threading
from collections.abc import Callable
from typing import Any

import pytest

from assistant.errors import (
    ContextOverflow,
    ModelError,
    ModelRefused,
    ModelUnreachable,
    ModelUnsupported,
)
from assistant.messages import Message, ToolCall, ToolSchema
from assistant.model.chat_model import ModelReply, ModelRequest, Usage
from assistant.model.client import OpenAIChatModel
from assistant.model.retry import RetryPolicy
from assistant.testing import (
    Reply,
    ScriptedServer,
    Step,
    calls,
    cuts,
    fails,
    says,
    sends,
    stalls,
    streams,
)

KEY = "sk-very-secret-0123456789"
STOCK = ToolSchema("get_stock", "Tells the stock.", {"type": "object", "properties": {}})


def question(text: str = "How many are left?", **details: Any) -> ModelRequest:
    return ModelRequest((Message("user", text),), details.pop("reply_tokens", 200), **details)


def connect(server: ScriptedServer, **details: Any) -> OpenAIChatModel:
    """A client that does not wait between attempts."""
    settings: dict[str, Any] = {"api_key": KEY, "sleep": lambda _seconds: None, **details}
    return OpenAIChatModel("scripted", base_url=server.url, **settings)


def ask(script: list[Step], request: ModelRequest | None = None, **details: Any) -> ModelReply:
    """The whole reply to one request, with the script used up."""
    with ScriptedServer(script) as server:
        return last(connect(server, **details), request or question())


def last(model: OpenAIChatModel, request: ModelRequest) -> ModelReply:
    *pieces, reply = model.complete(request)
    assert isinstance(reply, ModelReply)
    assert "".join(map(str, pieces)) == reply.text
    return reply


def test_text_comes_in_pieces_and_then_whole() -> None:
    """The pieces of a streamed reply are its text, in both languages; usage and finish are kept."""
    usage = Usage(prompt=30, completion=9, cached=20)
    reply = ask([says("还剩七个。 Seven are left.", usage=usage)])
    assert reply.text == "还剩七个。 Seven are left."
    assert (reply.finish, reply.usage, reply.calls) == ("stop", usage, ())


def test_parallel_calls_are_assembled_from_fragments_with_their_ids() -> None:
    """Two calls of one message, streamed in pieces that split words, come whole and in order."""
    first = ToolCall("call_a", "get_stock", '{"sku": "四十二"}')
    second = ToolCall("call_b", "get_stock", '{"sku": "43"}')
    reply = ask([Reply("Let me look.", (first, second))], question(tools=(STOCK,)))
    assert reply.calls == (first, second)
    assert reply.finish == "tool_calls"
    assert reply.text == "Let me look."


def test_duplicated_call_ids_are_told_apart() -> None:
    """Two calls with one id get two, so that each result finds its call."""
    double = (ToolCall("same", "get_stock", "{}"), ToolCall("same", "get_time", "{}"))
    reply = ask([streams(*_whole_message(double))])
    ids = [call.id for call in reply.calls]
    assert [call.name for call in reply.calls] == ["get_stock", "get_time"]
    assert len(set(ids)) == 2


def _whole_message(whole: tuple[ToolCall, ...]) -> list[dict[str, Any]]:
    wires = [{**call.wire(), "index": index} for index, call in enumerate(whole)]
    delta = {"role": "assistant", "content": None, "tool_calls": wires}
    return [{"choices": [{"index": 0, "delta": delta, "finish_reason": "tool_calls"}]}]


def test_the_request_is_what_the_api_expects() -> None:
    """Messages, tools, schema, stop and bounds are sent as the chat completions API writes them."""
    request = ModelRequest(
        messages=(
            Message("system", "Be brief."),
            Message("assistant", "", calls=(ToolCall("c1", "get_stock", "{}"),)),
            Message("tool", "7", call_id="c1"),
        ),
        reply_tokens=99,
        tools=(STOCK,),
        response_schema={"type": "object"},
        stop=("OBSERVATION",),
    )
    with ScriptedServer(["Seven."], api_key=KEY) as server:
        last(connect(server, extra={"cache_prompt": True}), request)
        (body,) = server.requests
    assert [message["role"] for message in body["messages"]] == ["system", "assistant", "tool"]
    assert body["messages"][1]["tool_calls"][0]["id"] == body["messages"][2]["tool_call_id"]
    assert body["tools"][0]["function"]["name"] == "get_stock"
    assert body["response_format"]["json_schema"]["schema"] == {"type": "object"}
    expected = {"max_tokens": 99, "temperature": 0.1, "stop": ["OBSERVATION"], "stream": True}
    assert {name: body[name] for name in expected} == expected
    assert body["cache_prompt"] is True


@pytest.mark.parametrize(
    ("text", "sent"),
    [("half \ud800 a pair", "half ? a pair"), ("nul \0 and 🙂", "nul \0 and 🙂")],
)
def test_any_text_can_be_asked(text: str, sent: str) -> None:
    """Text that UTF-8 cannot write does not stand in the way of a question."""
    with ScriptedServer(["Fine."]) as server:
        assert last(connect(server), question(text)).text == "Fine."
        assert server.requests[0]["messages"][0]["content"] == sent


@pytest.mark.parametrize(
    "failure",
    [
        fails(408),
        fails(409),
        fails(429),
        fails(500),
        fails(503, "overloaded"),
        cuts(),
        streams("{broken"),
        streams({"choices": []}),
        streams({"error": {"message": "overloaded", "code": 503}}),
        sends("{broken", content_type="application/json"),
        sends("<html>Bad gateway</html>", status=502),
    ],
    ids=[
        "408",
        "409",
        "429",
        "500",
        "503",
        "cut",
        "broken event",
        "empty choices",
        "error in the stream",
        "broken JSON",
        "502 page",
    ],
)
def test_a_passing_failure_is_tried_again(failure: Step) -> None:
    """Whatever may pass is asked again, and the reply comes as if nothing had been."""
    assert ask([failure, failure, "Seven."]).text == "Seven."


def test_a_server_that_stalls_is_asked_again() -> None:
    """Silence beyond the bound counts as a failure."""
    assert ask([stalls(), "Seven."], silence_seconds=1).text == "Seven."


def test_calls_that_break_off_are_asked_again() -> None:
    """Fragments of a call were passed on to nobody, so that another attempt may replace them."""
    start = {"index": 0, "id": "c", "function": {"name": "get_stock", "arguments": '{"sk'}}
    half = streams({"choices": [{"index": 0, "delta": {"tool_calls": [start]}}]})
    reply = ask([half, calls(("get_stock", {"sku": "42"}))], question(tools=(STOCK,)))
    assert [call.arguments for call in reply.calls] == ['{"sku": "42"}']


@pytest.mark.parametrize("breaks", [cuts, stalls])
def test_a_reply_that_breaks_off_is_reported(breaks: Callable[[str], Step]) -> None:
    """Once text was passed on, nothing is asked again: the error says that the reply broke off."""
    with ScriptedServer([breaks("There are seven and")]) as server:
        pieces: list[object] = []
        with pytest.raises(ModelUnreachable, match="broke off"):
            pieces.extend(connect(server, silence_seconds=1).complete(question()))
        assert len(server.requests) == 1


def test_retries_end_with_what_went_wrong() -> None:
    """A server that keeps failing is one clear line that says how often it was tried."""
    waits: list[float] = []
    with ScriptedServer([fails(500, "out of order")] * 5) as server:
        model = connect(server, sleep=waits.append)
        with pytest.raises(ModelUnreachable, match=r"out of order.*5 times") as raised:
            last(model, question())
    assert len(waits) == 4
    assert raised.value.hint
    assert raised.value.exit_code == 1


def test_retry_after_is_honoured() -> None:
    """The wait is the server's, not ours, and the user is told of it."""
    waits: list[float] = []
    told: list[str] = []
    ask([fails(429, retry_after="7"), "Seven."], sleep=waits.append, notify=told.append)
    assert waits == [7.0]
    assert "Trying again in 7.0 s" in str(told[0])


def test_a_wait_beyond_the_total_is_not_begun() -> None:
    """A server that asks to wait an hour is reported at once, with the bound."""
    with pytest.raises(ModelUnreachable, match="3600 s; we wait 60 s"):
        ask([fails(429, retry_after="3600")])


def test_all_waits_stay_within_the_total() -> None:
    """The sum of the waits is bounded, however many attempts are allowed."""
    waits: list[float] = []
    policy = RetryPolicy(attempts=100, total=30)
    with ScriptedServer(lambda _body: fails(500)) as server, pytest.raises(ModelUnreachable):
        last(connect(server, sleep=waits.append, retry=policy), question())
    assert 0 < sum(waits) <= 30


def test_the_wait_grows() -> None:
    """Backoff: each wait starts where the last one's least was, doubled."""
    waits: list[float] = []
    with ScriptedServer([fails(500)] * 5) as server, pytest.raises(ModelUnreachable):
        last(connect(server, sleep=waits.append), question())
    for wait, least in zip(waits, (0.5, 1, 2, 4), strict=True):
        assert least <= wait <= least + 0.5


def test_an_unreachable_server_is_one_clear_line() -> None:
    """Nothing listens: the address is named, with what to check."""
    model = OpenAIChatModel(
        "m", base_url="http://127.0.0.1:9/v1", api_key=KEY, sleep=lambda _seconds: None
    )
    with pytest.raises(ModelUnreachable, match=r"127\.0\.0\.1:9/v1 failed.*refused") as raised:
        last(model, question())
    assert "OPENAI_BASE_URL" in raised.value.hint


def test_a_refused_key_is_one_clear_line_and_not_tried_again() -> None:
    """A wrong key is refused once; neither the line nor the log holds the key."""
    with ScriptedServer([], api_key="another") as server, pytest.raises(ModelRefused) as raised:
        last(connect(server), question())
    assert "refused the API key" in str(raised.value)
    assert KEY not in str(raised.value) + raised.value.hint


def test_an_unknown_model_is_one_clear_line() -> None:
    """The model is named, and the server's own can be listed."""
    with ScriptedServer([], name="another") as server:
        model = connect(server)
        with pytest.raises(ModelRefused, match="no model 'scripted'"):
            last(model, question())
        assert model.names() == ["another"]


def test_a_web_page_instead_of_an_api_is_said() -> None:
    """An address that answers HTML is most likely a wrong base URL, and the line says so."""
    with pytest.raises(ModelRefused, match="web page") as raised:
        ask([sends("<html><body>Welcome</body></html>")])
    assert "/v1" in raised.value.hint


@pytest.mark.parametrize(
    ("parameter", "feature"), [("tools", "tools"), ("response_format", "response_schema")]
)
def test_a_rejected_feature_is_told_apart(parameter: str, feature: str) -> None:
    """A server that rejects tools or a schema raises what the fallback needs to know."""
    request = question(tools=(STOCK,) if feature == "tools" else ())
    if feature == "response_schema":
        request = question(response_schema={"type": "object"})
    with (
        ScriptedServer([], rejects=[parameter]) as server,
        pytest.raises(ModelUnsupported) as raised,
    ):
        last(connect(server), request)
    assert raised.value.feature == feature


@pytest.mark.parametrize("parameter", ["temperature", "stream_options", "max_tokens", "stop"])
def test_a_rejected_option_is_left_out_and_not_sent_again(parameter: str) -> None:
    """What the request can do without is dropped once, and the second call knows."""
    with ScriptedServer(["One.", "Two."], rejects=[parameter]) as server:
        model = connect(server)
        request = question(stop=("END",))
        assert [last(model, request).text, last(model, request).text] == ["One.", "Two."]
        assert all(parameter not in body for body in server.requests)
        if parameter == "max_tokens":
            assert server.requests[0]["max_completion_tokens"] == 200


def test_a_request_that_is_too_long_gives_the_limit() -> None:
    """The limit that the server names is there to be learned."""
    message = "This model's maximum context length is 4096 tokens. You requested 9000 tokens."
    with pytest.raises(ContextOverflow) as raised:
        ask([fails(400, message, code="context_length_exceeded")])
    assert raised.value.limit == 4096


def test_another_rejection_repeats_the_servers_words() -> None:
    """An error of no known kind is passed on in one line and not tried again."""
    with pytest.raises(ModelError, match=r"rejected the request \(400\): messages must alternate"):
        ask([fails(400, "messages must\nalternate")])


def test_a_huge_reply_is_cut() -> None:
    """Two megabytes for a bound of 100 tokens: what no reply of that length has is not taken."""
    reply = ask([says("x" * 2_000_000)], question(reply_tokens=100))
    assert len(reply.text) == 6400
    assert reply.finish == "length"


def test_a_huge_reply_that_was_allowed_comes_whole() -> None:
    """Two megabytes are no problem where the bound allows them."""
    reply = ask([says("x" * 2_000_000)], question(reply_tokens=1_000_000))
    assert len(reply.text) == 2_000_000


@pytest.mark.parametrize("finish", ["length", "content_filter"])
def test_the_finish_reason_is_kept(finish: str) -> None:
    """Why the model ended is passed on."""
    assert ask([says("Seven", finish=finish)]).finish == finish


def test_a_server_that_does_not_stream_is_read() -> None:
    """A whole JSON reply to a streaming request is taken as it is."""
    body = (
        '{"choices": [{"message": {"role": "assistant", "content": "Seven."},'
        ' "finish_reason": "stop"}], "usage": {"prompt_tokens": 3, "completion_tokens": 2}}'
    )
    reply = ask([sends(body, content_type="application/json")])
    assert (reply.text, reply.usage) == ("Seven.", Usage(3, 2))


def test_a_server_that_reports_no_usage_is_taken_as_it_is() -> None:
    """Usage is None where the server says nothing of it."""
    event = {"choices": [{"index": 0, "delta": {"content": "Seven."}, "finish_reason": "stop"}]}
    assert ask([streams(event)]).usage is None


def test_every_call_has_an_id_that_the_logs_show(caplog: pytest.LogCaptureFixture) -> None:
    """Our id goes to the server and stands in the log beside the server's own; no key does."""
    with caplog.at_level(logging.DEBUG), ScriptedServer([fails(500, KEY), "Seven."]) as server:
        model = connect(server)
        reply = last(model, question())
        sent = [headers["x-request-id"] for headers in server.headers]
    assert sent == [reply.request_id] * 2
    ours = [record.getMessage() for record in caplog.records if "assistant" in record.name]
    assert all(reply.request_id in line for line in ours)
    assert any("server-2" in line for line in ours)
    assert KEY not in caplog.text
    assert KEY not in repr(model)


def test_a_reader_that_stops_leaves_the_client_usable() -> None:
    """Closing the stream midway releases its connection; the next call works."""
    with ScriptedServer([says("one two three " * 50), "Seven."]) as server:
        model = connect(server)
        stream = model.complete(question())
        next(stream)
        stream.close()  # type: ignore[attr-defined]
        assert last(model, question()).text == "Seven."


def test_one_client_serves_many_threads() -> None:
    """Twenty threads on one client each get the reply to their own question."""

    def echo(body: dict[str, Any]) -> Step:
        return f"You said {body['messages'][0]['content']}"

    replies: dict[str, str] = {}
    with ScriptedServer(echo) as server:
        model = connect(server)
        threads = [
            threading.Thread(
                target=lambda word: replies.update({word: last(model, question(word)).text}),
                args=(f"word {number}",),
            )
            for number in range(20)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert replies == {f"word {number}": f"You said word {number}" for number in range(20)}


def test_a_closed_client_opens_again() -> None:
    """Closing releases the connections and does not end the client's life."""
    with ScriptedServer(["One.", "Two."]) as server:
        model = connect(server)
        last(model, question())
        model.close()
        assert last(model, question()).text == "Two."
