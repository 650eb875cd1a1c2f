"""What servers' errors mean: a table of how they are written in the wild."""

from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import pytest

from assistant.errors import ContextOverflow, ModelError, ModelRefused, ModelUnsupported
from assistant.model.failures import (
    Asked,
    Unwelcome,
    detail,
    explain,
    read_error,
    retry_after,
)
from assistant.model.retry import Transient

NOW = datetime(2026, 11, 30, 8, 0, tzinfo=UTC)
ASKED = Asked(
    "m",
    "http://host/v1",
    secret="abcdef-123456",
    tools=True,
    response_schema=True,
    optional=frozenset({"temperature", "stop"}),
)


def meaning(status: int, body: str, asked: Asked = ASKED) -> Exception:
    return explain(read_error(status, body, {}, now=NOW), asked)


@pytest.mark.parametrize(
    ("status", "body", "limit"),
    [
        pytest.param(
            400,
            '{"error": {"message": "This model\'s maximum context length is 8192 tokens. However,'
            ' your messages resulted in 10042 tokens.", "code": "context_length_exceeded"}}',
            8192,
            id="openai",
        ),
        pytest.param(
            400,
            '{"error": {"code": 400, "message": "request (9030 tokens) exceeds the available'
            ' context size (4096 tokens), try increasing it", "type": "exceed_context_size_error",'
            ' "n_prompt_tokens": 9030, "n_ctx": 4096}}',
            4096,
            id="llama.cpp",
        ),
        pytest.param(
            400,
            '{"object": "error", "message": "This model\'s maximum context length is 4096 tokens.'
            ' However, you requested 5000 tokens (4000 in the messages, 1000 in the completion).",'
            ' "type": "BadRequestError", "code": 400}',
            4096,
            id="vllm",
        ),
        pytest.param(
            400,
            '{"error": {"message": "prompt is too long: 205000 tokens > 200000 maximum"}}',
            200000,
            id="anthropic",
        ),
        pytest.param(
            400,
            '{"message": "Prompt contains 40000 tokens, too large for model with 32768 maximum'
            ' context length"}',
            32768,
            id="mistral",
        ),
        pytest.param(
            400,
            '{"error": {"message": "The input token count (1200000) exceeds the maximum number of'
            ' tokens allowed (1048576)."}}',
            1048576,
            id="gemini",
        ),
        pytest.param(
            400,
            '{"error": {"message": "Range of input length should be [1, 30720]"}}',
            30720,
            id="dashscope",
        ),
        pytest.param(
            413,
            '{"error": {"message": "Please reduce the length of the messages or completion."}}',
            None,
            id="groq",
        ),
    ],
)
def test_a_request_that_is_too_long_is_known_by_every_server(
    status: int, body: str, limit: int | None
) -> None:
    """The overflow is recognised, with the limit where the server names one."""
    error = meaning(status, body)
    assert isinstance(error, ContextOverflow)
    assert error.limit == limit


@pytest.mark.parametrize(
    ("status", "message", "feature"),
    [
        (400, "registry.ollama.ai/library/gemma does not support tools", "tools"),
        (400, '\\"auto\\" tool choice requires --enable-auto-tool-choice to be set', "tools"),
        (404, "No endpoints found that support tool use.", "tools"),
        (500, "tools param requires --jinja flag", "tools"),
        (500, "the tool runner crashed", None),
        (400, "Invalid schema for response_format 'reply'", "response_schema"),
        (400, "JSON schema error at #: unrecognized type nonsense", "response_schema"),
        (422, "Unknown field: response_format", "response_schema"),
    ],
)
def test_a_rejected_feature_is_named(status: int, message: str, feature: str | None) -> None:
    """Rejections of tools and schemas are told apart; a failing server is not a rejection."""
    error = meaning(status, f'{{"error": {{"message": "{message}"}}}}')
    if feature is None:
        assert isinstance(error, Transient)
    else:
        assert isinstance(error, ModelUnsupported)
        assert error.feature == feature


def test_a_feature_that_was_not_asked_for_cannot_be_rejected() -> None:
    """A message that speaks of tools means something else where none were sent."""
    plain = Asked("m", "http://host/v1")
    error = meaning(400, '{"error": {"message": "tool messages need a call"}}', plain)
    assert type(error) is ModelError


@pytest.mark.parametrize(
    "body",
    [
        '{"error": {"message": "Unsupported value", "param": "temperature"}}',
        '{"error": {"message": "Unsupported parameter: \'temperature\' is not supported."}}',
    ],
)
def test_an_option_that_is_not_welcome_is_named(body: str) -> None:
    """A rejected option is found by the error's field or in its words."""
    error = meaning(400, body)
    assert isinstance(error, Unwelcome)
    assert error.parameter == "temperature"


@pytest.mark.parametrize("status", [401, 403])
def test_a_refused_key_is_not_retried(status: int) -> None:
    """Neither a wrong key nor a forbidden one gets better by waiting."""
    assert isinstance(meaning(status, "nope"), ModelRefused)


def test_a_used_up_quota_is_not_retried() -> None:
    """A quota that is used up is a 429 that no wait mends."""
    body = '{"error": {"message": "You exceeded your current quota", "code": "insufficient_quota"}}'
    assert isinstance(meaning(429, body), ModelRefused)


@pytest.mark.parametrize(
    "body",
    [
        "",
        "null",
        "[]",
        '"no"',
        "{}",
        '{"error": null}',
        '{"error": "no"}',
        '{"detail": "Not Found"}',
    ],
)
def test_any_body_is_read(body: str) -> None:
    """However strange the body of an error is, it is an error of the model with a message."""
    error = meaning(400, body)
    assert isinstance(error, ModelError)
    assert "rejected the request" in str(error)


def test_a_page_is_not_repeated() -> None:
    """The HTML of an error page is not shown."""
    error = meaning(502, "<!DOCTYPE html><html><body>" + "x" * 5000)
    assert isinstance(error, Transient)
    assert "web page" in str(error)
    assert len(str(error)) < 200


@pytest.mark.parametrize(
    ("value", "seconds"),
    [
        ("7", 7.0),
        ("0.5", 0.5),
        ("-3", 0.0),
        ("soon", None),
        (format_datetime(NOW + timedelta(seconds=90), usegmt=True), 90.0),
        (format_datetime(NOW - timedelta(seconds=90), usegmt=True), 0.0),
    ],
)
def test_retry_after_is_read_in_every_form(value: str, seconds: float | None) -> None:
    """Seconds and dates (RFC 9110, 10.2.3) both give seconds from now."""
    assert retry_after({"Retry-After": value}, now=NOW) == seconds


def test_milliseconds_win_where_a_server_gives_both() -> None:
    """OpenAI's finer header is preferred."""
    assert retry_after({"retry-after-ms": "250", "retry-after": "1"}, now=NOW) == 0.25


@pytest.mark.parametrize(
    "words",
    [
        "Incorrect API key provided: sk-proj-abcdefghijklmnop.",
        "Bearer abcdefghijklmnop is expired",
        "the key abcdef-123456 is unknown",
    ],
)
def test_no_message_repeats_a_secret(words: str) -> None:
    """Keys in a server's words are blanked, whether or not they are ours."""
    shown = detail(words, ASKED.secret)
    assert "abcdef" not in shown
    assert "***" in shown
    assert ASKED.secret not in repr(ASKED)


def test_a_long_message_is_one_readable_line() -> None:
    """Lines are joined and length is bounded."""
    shown = detail("line\n" * 1000)
    assert "\n" not in shown
    assert len(shown) < 310
