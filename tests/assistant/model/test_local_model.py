"""The local model: what goes wrong before it runs, and the packaged one itself."""

import subprocess
import sys
import textwrap
from collections.abc import Iterator
from pathlib import Path

import pytest

from assistant.errors import ContextOverflow, LocalModelUnavailable
from assistant.messages import Message
from assistant.model.chat_model import ModelReply, ModelRequest
from assistant.model.download import PACKAGED, models_folder
from assistant.model.local import LocalChatModel

CITY = {
    "type": "object",
    "properties": {"city": {"type": "string"}},
    "required": ["city"],
    "additionalProperties": False,
}


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    """A model file that is not there is one clear line that says what to set."""
    with pytest.raises(LocalModelUnavailable, match=r"none\.gguf cannot be read") as raised:
        LocalChatModel(tmp_path / "none.gguf")
    assert "ASSISTANT_MODEL_PATH" in raised.value.hint


def test_a_file_of_another_kind_is_refused(tmp_path: Path) -> None:
    """What is no GGUF file never reaches the native code."""
    other = tmp_path / "page.gguf"
    other.write_text("<html>")
    with pytest.raises(LocalModelUnavailable, match="is not a GGUF file"):
        LocalChatModel(other)


def test_a_broken_model_is_said_in_one_line(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    """A GGUF file that cannot be loaded is an error of ours; native code prints nothing."""
    broken = tmp_path / "broken.gguf"
    broken.write_bytes(b"GGUF" + bytes(100))
    seen: list[tuple[int, int]] = []
    with pytest.raises(LocalModelUnavailable, match="could not be loaded"):
        LocalChatModel(broken, progress=lambda done, total: seen.append((done, total)))
    assert capfd.readouterr() == ("", "")
    assert seen == [(104, 104)]


def test_a_missing_runtime_says_how_to_install_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without xllamacpp the line gives the command that brings it."""
    model = tmp_path / "model.gguf"
    model.write_bytes(b"GGUF")
    monkeypatch.setitem(sys.modules, "xllamacpp", None)
    with pytest.raises(LocalModelUnavailable, match="xllamacpp") as raised:
        LocalChatModel(model)
    assert "memory-assistant[local]" in raised.value.hint


@pytest.fixture(scope="module")
def packaged_path() -> Path:
    path = models_folder() / PACKAGED.file
    if not path.is_file():
        pytest.skip("the packaged model is not fetched; 'assistant doctor --fetch' fetches it")
    return path


@pytest.fixture(scope="module")
def packaged(packaged_path: Path) -> Iterator[LocalChatModel]:
    model = LocalChatModel(packaged_path, context_tokens=2048)
    yield model
    model.close()


def ask(model: LocalChatModel, text: str, **details: object) -> ModelReply:
    system = Message("system", "You are a helpful assistant. Answer in one short sentence.")
    request = ModelRequest((system, Message("user", text)), 40, **details)  # type: ignore[arg-type]
    *_pieces, reply = model.complete(request)
    assert isinstance(reply, ModelReply)
    return reply


@pytest.mark.local_model
def test_a_schema_is_followed_and_the_prefix_reused(packaged: LocalChatModel) -> None:
    """A reply is held to its schema, and a second request reuses the common prefix."""
    ask(packaged, "Which city is the capital of France?", response_schema=CITY)
    reply = ask(packaged, "Which city is the capital of Norway?", response_schema=CITY)
    assert reply.text.replace(" ", "").replace("\n", "") == '{"city":"Oslo"}'
    assert reply.usage is not None
    assert reply.usage.cached >= 20


@pytest.mark.local_model
def test_a_request_longer_than_its_context_is_refused(packaged: LocalChatModel) -> None:
    """Nothing is cut silently: the overflow comes as an error with the limit."""
    with pytest.raises(ContextOverflow) as raised:
        ask(packaged, "one " * 3000)
    assert raised.value.limit == 2048


@pytest.mark.local_model
def test_an_abandoned_reply_frees_the_model(packaged: LocalChatModel) -> None:
    """A reader that stops early ends the generation; the next question is answered."""
    stream = packaged.complete(ModelRequest((Message("user", "Count to 5000."),), 1500))
    next(stream)
    stream.close()  # type: ignore[attr-defined]
    assert ask(packaged, "Say hello.").text


@pytest.mark.local_model
def test_a_process_with_a_local_model_prints_nothing_and_ends(packaged_path: Path) -> None:
    """Native logs reach neither output, and a process that does not close it still exits with 0."""
    program = f"""
        from pathlib import Path
        from assistant.messages import Message
        from assistant.model.chat_model import ModelRequest
        from assistant.model.local import LocalChatModel
        model = LocalChatModel(Path({str(packaged_path)!r}), context_tokens=512)
        *_pieces, reply = model.complete(ModelRequest((Message("user", "Say hello."),), 5))
        assert reply.text
    """
    ended = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(program)], capture_output=True, check=False
    )
    assert (ended.returncode, ended.stdout, ended.stderr) == (0, b"", b"")
