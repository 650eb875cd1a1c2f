"""Runs the program in processes of its own, as a user does."""

import contextlib
import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import IO, Any

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


class Forking:
    """A process of `forking.py`, started when the first command comes."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[str] | None = None

    def run(self, arguments: Sequence[str], environment: dict[str, str], stdin: bytes) -> Done:
        """Run one command of the program in a new process, to its end."""
        if self._process is None:
            self._process = subprocess.Popen(
                [sys.executable, Path(__file__).with_name("forking.py")],
                env=os.environ | {"OPENBLAS_NUM_THREADS": "1"},  # a fork copies no thread
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                text=True,
                start_new_session=True,
            )
        with TemporaryDirectory() as folder, self._ended_on_failure() as (tell, told):
            streams = [Path(folder) / name for name in ("in", "out", "err")]
            streams[0].write_bytes(stdin)
            command = {
                "arguments": arguments,
                "environment": environment,
                "streams": [str(stream) for stream in streams],
            }
            print(json.dumps(command), file=tell, flush=True)
            code = int(told.readline())
            return Done(code, streams[1].read_text("utf-8"), streams[2].read_text("utf-8"))

    @contextlib.contextmanager
    def _ended_on_failure(self) -> Iterator[tuple[IO[str], IO[str]]]:
        """Its standard streams; a command that hangs must not answer for the next one."""
        process = self._process
        assert process is not None
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            yield process.stdin, process.stdout
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        """End it, and the command that it runs."""
        if self._process is not None:
            os.killpg(self._process.pid, signal.SIGKILL)
            self._process.communicate()
            self._process = None


@dataclass
class Machine:
    """One home. `env` is added to a clean environment: no key, no setting."""

    home: Path
    forking: Forking
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
        return self.forking.run(arguments, self.environment(), stdin)

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


@pytest.fixture(scope="session")
def forking() -> Iterator[Forking]:
    """What starts the program's processes."""
    forking = Forking()
    yield forking
    forking.close()


@pytest.fixture
def machine(home: Path, forking: Forking) -> Machine:
    """A user's machine with an empty home."""
    return Machine(home, forking)
