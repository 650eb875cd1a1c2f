"""Counting tokens, offline and without surprises."""

from __future__ import annotations

import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
import tiktoken

from assistant.context import encodings
from assistant.context.tokens import Counter, encoding_for
from assistant.errors import SettingsError
from assistant.messages import Message, ToolCall, ToolSchema


@pytest.mark.parametrize(
    ("model", "encoding"),
    [
        ("gpt-4o-mini", "o200k_base"),
        ("gpt-4.1", "o200k_base"),
        ("gpt-5-nano", "o200k_base"),
        ("o3", "o200k_base"),
        ("gpt-4", "cl100k_base"),
        ("gpt-4-0613", "cl100k_base"),
        ("gpt-3.5-turbo", "cl100k_base"),
        ("ft:gpt-3.5-turbo:me", "cl100k_base"),
        ("openai/gpt-4o", "o200k_base"),
        ("qwen2.5-coder-1.5b-instruct", "o200k_base"),
    ],
)
def test_the_encoding_is_the_models_own(model: str, encoding: str) -> None:
    """OpenAI's models have their own encoding; every other is counted with the newest."""
    assert encoding_for(model) == encoding


def test_an_unknown_encoding_is_refused_with_what_is_allowed() -> None:
    """The error names the value and the encodings there are."""
    with pytest.raises(SettingsError, match=r"'p50k'.*o200k_base, cl100k_base"):
        Counter("gpt-4o", encoding="p50k")


@pytest.mark.parametrize("name", encodings.NAMES)
def test_special_tokens_in_a_text_count_as_text(name: str) -> None:
    """`<|endoftext|>` in what a user writes is several tokens and raises nothing."""
    counter = Counter("m", encoding=name)
    assert counter.count("<|endoftext|>") > 1
    assert counter.count("hello world") == 2
    assert counter.count("") == 0


@pytest.mark.parametrize(
    "text",
    [" " * 300_000, "\n" * 100_000, "a" * 100_000, "^" * 100_000, "中" * 50_000, "x \ud800", "\0"],
    ids=lambda text: repr(text[:2]),
)
def test_no_text_is_too_strange_to_count(text: str) -> None:
    """A million spaces overflow tiktoken's regex, so that long texts are counted in pieces."""
    assert Counter("gpt-4o").count(text) > 0


def test_a_long_text_counts_as_the_whole_does() -> None:
    """Pieces are cut before words, where no token reaches across."""
    text = "The quick brown fox, 12,345 times; jumps over 你好世界 (and back). " * 2_000
    counter = Counter("gpt-4o")
    counter.count("")
    whole = len(tiktoken.get_encoding("o200k_base").encode_ordinary(text))
    assert counter.count(text) == whole


def test_a_messages_overhead_is_counted() -> None:
    """Calls, their ids and the schemas of tools have tokens, not only what is said."""
    counter = Counter("gpt-4o")
    plain = counter.message(Message("assistant", "hello"))
    call = ToolCall("call_1", "get_stock", '{"sku": "42"}')
    assert plain > counter.count("hello")
    assert counter.message(Message("assistant", "hello", (call,))) > plain + 10
    tool = ToolSchema("get_stock", "How many.", {"type": "object", "properties": {}})
    assert 0 < counter.tools((tool,)) < counter.tools((tool, tool))
    assert counter.tools(()) == 0
    assert counter.tools((), {"type": "object"}) > 0


def test_many_processes_unpack_the_ranks_at_once(tmp_path: Path) -> None:
    """Each counts right, whoever unpacked first, and what is left is the ranks alone."""
    environment = {**os.environ, "XDG_CACHE_HOME": str(tmp_path), "HOME": str(tmp_path)}
    for name in ("TIKTOKEN_CACHE_DIR", "DATA_GYM_CACHE_DIR"):
        environment.pop(name, None)
    program = "from assistant.context.tokens import Counter; print(Counter('gpt-4').count('a b'))"

    def run(_: int) -> str:
        done = subprocess.run(
            [sys.executable, "-c", program],
            env=environment,
            capture_output=True,
            text=True,
            check=True,
        )
        return done.stdout.strip()

    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(run, range(4))) == ["2"] * 4
    assert len([path for path in tmp_path.rglob("*") if path.is_file()]) == 1


def test_a_cache_folder_that_cannot_be_written_is_done_without(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A read-only home is no obstacle: the ranks are unpacked into a temporary folder."""
    (tmp_path / "cache").write_text("a file, no folder")
    temporary = tmp_path / "tmp"
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.delenv("TIKTOKEN_CACHE_DIR", raising=False)
    monkeypatch.setattr("tempfile.tempdir", str(temporary))
    encodings.provide("cl100k_base")
    chosen = Path(os.environ["TIKTOKEN_CACHE_DIR"])
    assert temporary in chosen.parents
    assert len(list(chosen.iterdir())) == 1


def test_a_damaged_rank_file_is_unpacked_anew(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A file that was cut short is not used."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.delenv("TIKTOKEN_CACHE_DIR", raising=False)
    encodings.provide("cl100k_base")
    (path,) = Path(os.environ["TIKTOKEN_CACHE_DIR"]).iterdir()
    whole = path.read_bytes()
    path.write_bytes(whole[:1000])
    encodings.provide("cl100k_base")
    assert path.read_bytes() == whole


def test_the_users_own_cache_folder_is_left_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """TIKTOKEN_CACHE_DIR is a choice; nothing is written there."""
    monkeypatch.setenv("TIKTOKEN_CACHE_DIR", str(tmp_path))
    encodings.provide("o200k_base")
    assert os.environ["TIKTOKEN_CACHE_DIR"] == str(tmp_path)
    assert list(tmp_path.iterdir()) == []
