"""Runs the installed program in processes of its own, as a user does."""

import json
import os
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from assistant.testing import ScriptedServer


@dataclass(frozen=True)
class Done:
    """What a process printed, and its exit code."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """The one object on standard output."""
        return json.loads(self.out)


@dataclass
class Machine:
    """One home. `env` is added to a clean environment: no key, no setting."""

    home: Path
    env: dict[str, str] = field(default_factory=dict)

    def uses(self, server: ScriptedServer) -> None:
        """Let this server answer from now on."""
        self.env |= {"OPENAI_BASE_URL": server.url, "OPENAI_API_KEY": "sk-test-key"}
        self.env["ASSISTANT_MODEL"] = "scripted"

    def environment(self) -> dict[str, str]:
        """The environment of a process."""
        clean = {k: v for k, v in os.environ.items() if not k.startswith(("OPENAI_", "ASSISTANT_"))}
        return clean | {"ASSISTANT_HOME": str(self.home)} | self.env

    def run(self, *arguments: str, stdin: bytes = b"") -> Done:
        """Run `assistant` with these arguments to its end."""
        done = subprocess.run(
            [sys.executable, "-m", "assistant", *arguments],
            env=self.environment(),
            input=stdin,
            capture_output=True,
            check=False,
            timeout=240,
        )
        return Done(done.returncode, done.stdout.decode(), done.stderr.decode())

    def start(self, *arguments: str) -> subprocess.Popen[bytes]:
        """Start `assistant` with these arguments and do not wait for it."""
        return subprocess.Popen(
            [sys.executable, "-m", "assistant", *arguments],
            env=self.environment(),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )

    def ask(self, text: str, *options: str, now: str | None = None) -> Any:
        """Ask, and return the object that `--json` prints."""
        at = ("--now", now) if now else ()
        done = self.run(*at, "ask", text, "--json", *options)
        assert done.code == 0, done.out + done.err
        return done.json


@pytest.fixture
def machine(home: Path) -> Machine:
    """A user's machine with an empty home."""
    return Machine(home)
