"""Where the client is to connect, and with which key: what cannot be is refused and named."""

import pytest

from assistant.errors import ModelRefused, SettingsError
from assistant.messages import Message
from assistant.model.chat_model import ModelReply, ModelRequest
from assistant.model.client import OpenAIChatModel
from assistant.testing import ScriptedServer


def asked(model: OpenAIChatModel) -> str:
    """What the model replies to a question."""
    *_pieces, reply = model.complete(ModelRequest((Message("user", "How many?"),), 200))
    assert isinstance(reply, ModelReply)
    return reply.text


def test_loopback_is_reached_past_a_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    """A proxy in the environment does not stand between us and this machine."""
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    with ScriptedServer(["Seven."]) as server:
        assert asked(OpenAIChatModel("scripted", base_url=server.url)) == "Seven."


def test_the_environment_does_not_set_the_client(monkeypatch: pytest.MonkeyPatch) -> None:
    """Only what is passed in counts: the openai library's own variables are not read."""
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:9/v1")
    monkeypatch.setenv("OPENAI_API_KEY", "another")
    with ScriptedServer(["Seven."], api_key="the key") as server:
        model = OpenAIChatModel("scripted", base_url=server.url, api_key="the key")
        assert asked(model) == "Seven."


def test_openai_without_a_key_says_what_to_set() -> None:
    """No request is made without a key to the one server that always needs one."""
    with pytest.raises(ModelRefused) as raised:
        asked(OpenAIChatModel("gpt"))
    assert "OPENAI_API_KEY" in raised.value.hint


@pytest.mark.parametrize(
    "address", ["localhost:8000/v1", "ftp://host/v1", "http://", "http://[::1"]
)
def test_an_address_that_is_none_is_refused(address: str) -> None:
    """A bad address is named before anything is sent."""
    with pytest.raises(SettingsError, match="not a web address"):
        OpenAIChatModel("m", base_url=address)


@pytest.mark.parametrize("key", ["密钥", "two\nlines"])
def test_a_key_that_cannot_be_one_is_refused_unseen(key: str) -> None:
    """The key's shape is checked without repeating it."""
    with pytest.raises(SettingsError) as raised:
        OpenAIChatModel("m", api_key=key)
    assert key not in str(raised.value)


def test_the_address_hides_user_and_password() -> None:
    """What is shown of an address has no secrets."""
    model = OpenAIChatModel("m", base_url="https://me:hush@example.org:8000/v1/?token=hush")
    assert model.address == "https://example.org:8000/v1"
