"""A chat at a real terminal, and one through a pipe."""

import os
import pty
import re
import select
import subprocess
import sys
import termios
import time
from collections.abc import Iterator

import pytest

from assistant.testing import ScriptedServer, says, stalls

PATIENCE = 120
STYLES = re.compile(r"\x1b\[[0-9;?]*[a-zA-Z]")

AT_TERMINAL = """
import fcntl, sys, termios
fcntl.ioctl(0, termios.TIOCSCTTY, 0)  # Ctrl-C at this terminal interrupts this process
from assistant.cli.main import main
sys.exit(main())
"""


class Terminal:
    """`assistant chat` at a pseudo-terminal."""

    def __init__(self, machine, *arguments: str) -> None:
        self._own, theirs = pty.openpty()
        termios.tcsetwinsize(theirs, (24, 100))
        self.seen = ""
        self.process = subprocess.Popen(
            [sys.executable, "-c", AT_TERMINAL, "chat", *arguments],
            env=machine.environment() | {"TERM": "xterm", "PROMPT_TOOLKIT_NO_CPR": "1"},
            stdin=theirs,
            stdout=theirs,
            stderr=theirs,
            start_new_session=True,
        )
        os.close(theirs)

    def type(self, text: str) -> None:
        """Press these keys."""
        os.write(self._own, text.encode())

    def wait_for(self, text: str) -> None:
        """Read until `text` is seen, after what was waited for before."""
        end = time.monotonic() + PATIENCE
        while text not in self.seen:
            ready, _, _ = select.select([self._own], [], [], max(end - time.monotonic(), 0))
            assert ready, f"{text!r} did not come; seen: {self.seen!r}"
            self.seen = STYLES.sub("", self.seen + os.read(self._own, 65536).decode())
        self.seen = self.seen.partition(text)[2]

    def ended(self) -> int:
        """The exit code, once the program has ended."""
        return self.process.wait(PATIENCE)

    def close(self) -> None:
        """Give up the terminal."""
        self.process.kill()
        self.process.wait()
        os.close(self._own)


@pytest.fixture
def terminal(machine) -> Iterator:
    """Open a chat at a terminal; it is closed at the end."""
    opened: list[Terminal] = []

    def open_(*arguments: str) -> Terminal:
        opened.append(Terminal(machine, *arguments))
        return opened[-1]

    yield open_
    for each in opened:
        each.close()


def test_ctrl_c_stops_the_answer_and_not_the_program(machine, terminal) -> None:
    """After Ctrl-C the chat takes the next question; /quit leaves with exit 0."""
    script = [stalls("It is a long story. It began one day in"), says("A short one.")]
    with ScriptedServer(script) as server:
        machine.uses(server)
        chat = terminal("--session", "talk")
        chat.wait_for(">")
        chat.type("Tell me a story\r")
        chat.wait_for("It is a long story.")
        chat.type("\x03")
        chat.wait_for(">")
        chat.type("Another one, please\r")
        chat.wait_for("A short one.")
        chat.wait_for(">")
        chat.type("/sessions\r")
        chat.wait_for("talk  2 turns")
        chat.wait_for(">")
        chat.type("/quit\r")
        assert chat.ended() == 0


def test_lines_can_be_many_and_ctrl_d_leaves(machine, terminal) -> None:
    """Alt-Enter begins a new line, and both go as one question."""
    with ScriptedServer([says("Two lines.")]) as server:
        machine.uses(server)
        chat = terminal()
        chat.wait_for(">")
        chat.type("first\x1b\rsecond\r")
        chat.wait_for("Two lines.")
        chat.wait_for(">")
        chat.type("\x04")
        assert chat.ended() == 0
        assert "first\nsecond" in server.requests[0]["messages"][-1]["content"]


def test_a_chat_through_a_pipe_answers_each_line(machine) -> None:
    """Slash commands and questions; answers alone are on standard output."""
    lines = [
        "My cat is called Mia.",
        "/help",
        "/nonsense",
        "/memory cat",
        "/sessions",
        "/new",
        "Bye.",
    ]
    with ScriptedServer([says("Noted."), says("See you.")]) as server:
        machine.uses(server)
        chat = machine.run("chat", "--session", "pets", stdin="\n".join(lines).encode())
    assert chat.code == 0
    assert "Noted." in chat.out
    assert "/context" in chat.out
    assert "My cat is called Mia." in chat.out
    assert "* pets  1 turn," in chat.out
    assert "There is no command /nonsense" in chat.err
    assert chat.out.rstrip().endswith("See you.")


def test_a_chat_continues_the_session_used_last(machine) -> None:
    """`--continue` has the earlier turns in its window; a new chat has not."""
    with ScriptedServer([says("Noted."), says("Mia."), says("Hello.")]) as server:
        machine.uses(server)
        machine.run("chat", stdin=b"My cat is called Mia.")
        machine.run("chat", "--continue", stdin=b"What is she called?")
        machine.run("chat", stdin=b"Good morning.")
        continued, new = server.requests[1]["messages"], server.requests[2]["messages"]
    assert [m["role"] for m in continued] == ["system", "user", "assistant", "user"]
    assert "assistant" not in [m["role"] for m in new]


def test_a_failed_answer_does_not_end_the_chat(machine) -> None:
    """An unreachable server is said in one line, and the next line is taken."""
    machine.env["OPENAI_BASE_URL"] = "http://127.0.0.1:9/v1"
    chat = machine.run("chat", stdin=b"Hello?\n/sessions\n")
    assert chat.code == 0
    assert "127.0.0.1:9" in chat.err
    assert "1 turn," in chat.out
