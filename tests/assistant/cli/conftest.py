"""Runs the command line in this process."""

import io
import json
import os
import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest

from assistant.cli.main import main
from assistant.testing import ScriptedServer


@dataclass(frozen=True)
class Ran:
    """What a command printed, and its exit code."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """The one object on standard output."""
        return json.loads(self.out)


Run = Callable[..., Ran]


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Run:
    """Run `assistant` with these arguments; `stdin` are the bytes that are piped in."""

    def run(*arguments: str, stdin: bytes = b"") -> Ran:
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin)))
        capsys.readouterr()
        mask = os.umask(0o022)
        try:
            code = main(arguments)
        finally:
            os.umask(mask)
        printed = capsys.readouterr()
        return Ran(code, printed.out, printed.err)

    return run


Uses = Callable[[ScriptedServer], None]


@pytest.fixture
def uses(monkeypatch: pytest.MonkeyPatch) -> Uses:
    """Let this server answer what the command line asks."""

    def uses(server: ScriptedServer) -> None:
        monkeypatch.setenv("OPENAI_BASE_URL", server.url)
        monkeypatch.setenv("OPENAI_API_KEY", "test")
        monkeypatch.setenv("ASSISTANT_MODEL", "scripted")

    return uses
