"""What leaves the machine arrives at least once, with its key; failures are retried."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from collections.abc import Iterator
from datetime import timedelta
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

from assistant.errors import SettingsError
from assistant.jobs.notices import Note, Notices
from assistant.jobs.notifiers import (
    CommandNotifier,
    DesktopNotifier,
    Notifier,
    NotifierFailed,
    WebhookNotifier,
    notifiers_of,
)
from assistant.jobs.outbox import ATTEMPTS, LEASE, Outbox
from memory_store.ledger import Ledger
from memory_store.testing import FrozenClock


class Receiver:
    """An address on this machine that keeps what is posted to it and answers with `status`."""

    def __init__(self) -> None:
        self.status = 204
        self.posts: list[tuple[dict[str, str], dict[str, Any]]] = []
        receiver = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"]))
                receiver.posts.append((dict(self.headers), json.loads(body)))
                self.send_response(receiver.status)
                self.end_headers()

            def log_message(self, format: str, *args: object) -> None:  # noqa: A002
                pass

        self.server = HTTPServer(("127.0.0.1", 0), Handler)
        self.address = f"http://127.0.0.1:{self.server.server_port}/notes"


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    """A running receiver."""
    receiver = Receiver()
    thread = Thread(target=receiver.server.serve_forever, daemon=True)
    thread.start()
    yield receiver
    receiver.server.shutdown()
    receiver.server.server_close()


def tell(ledger: Ledger, clock: FrozenClock, key: str = "k1", text: str = "hello") -> bool:
    """Tell a note by the webhook."""
    notices = Notices(ledger, ["webhook"])
    with ledger.write() as connection:
        return notices.tell(connection, Note(key, text, clock.now))


def outbox(ledger: Ledger, clock: FrozenClock, notifier: Notifier) -> Outbox:
    """An outbox that sends by the webhook channel."""
    return Outbox(ledger, {"webhook": notifier}, clock=clock)


def test_posts_a_note_once_with_its_key(
    ledger: Ledger, clock: FrozenClock, receiver: Receiver
) -> None:
    """A note is posted as JSON with its key, once, and a key that is known is not told again."""
    assert tell(ledger, clock, text="早上好")
    assert not tell(ledger, clock, text="again")
    box = outbox(ledger, clock, WebhookNotifier(receiver.address))
    assert (box.deliver(), box.deliver()) == (1, 0)
    headers, body = receiver.posts[0]
    assert headers["Idempotency-Key"] == body["key"] == "k1"
    assert body["text"] == "早上好"
    assert len(receiver.posts) == 1
    assert box.sendings()[0].sent_at == clock.now


def test_a_failure_is_retried_later_and_later(
    ledger: Ledger, clock: FrozenClock, receiver: Receiver
) -> None:
    """A note that does not arrive is tried again after growing waits, with the same key."""
    tell(ledger, clock)
    receiver.status = 503
    box = outbox(ledger, clock, WebhookNotifier(receiver.address))
    assert (box.deliver(), box.deliver()) == (0, 0)
    assert box.sendings()[0].problem == "the webhook answered 503"
    clock.advance(timedelta(minutes=1))
    box.deliver()
    assert len(receiver.posts) == 2
    receiver.status = 200
    clock.advance(timedelta(minutes=2))
    assert box.deliver() == 1
    assert {body["key"] for _, body in receiver.posts} == {"k1"}


def test_is_given_up_after_many_failures(ledger: Ledger, clock: FrozenClock) -> None:
    """A note that never arrives is given up in the end; the chat still shows it."""
    tell(ledger, clock)
    box = outbox(ledger, clock, WebhookNotifier("http://127.0.0.1:9/"))
    for _ in range(ATTEMPTS + 3):
        box.deliver()
        clock.advance(timedelta(hours=7))
    assert box.sendings()[0].attempts == ATTEMPTS
    assert len(Notices(ledger).pending()) == 1


SENDER = """
import os, signal, sys
from datetime import datetime
from pathlib import Path
from assistant.jobs.notifiers import WebhookNotifier
from assistant.jobs.outbox import Outbox
from memory_store.ledger import Ledger

class Dies(WebhookNotifier):
    def send(self, note):
        super().send(note)
        os.kill(os.getpid(), signal.SIGKILL)

now = datetime.fromisoformat(sys.argv[3])
Outbox(Ledger(Path(sys.argv[1])), {"webhook": Dies(sys.argv[2])}, clock=lambda: now).deliver()
"""


def test_a_crash_after_sending_sends_again_with_the_same_key(
    ledger: Ledger, clock: FrozenClock, receiver: Receiver
) -> None:
    """Killed between the arrival and its record, a note is sent again, so that none is lost."""
    tell(ledger, clock)
    arguments = [str(ledger.path), receiver.address, clock.now.isoformat()]
    done = subprocess.run([sys.executable, "-c", SENDER, *arguments], check=False, timeout=60)
    assert done.returncode == -signal.SIGKILL
    box = outbox(ledger, clock, WebhookNotifier(receiver.address))
    assert box.deliver() == 0  # it is still the dead process's to send
    clock.advance(LEASE)
    assert box.deliver() == 1
    assert [body["key"] for _, body in receiver.posts] == ["k1", "k1"]


def test_a_channel_that_is_off_keeps_its_notes(
    ledger: Ledger, clock: FrozenClock, receiver: Receiver
) -> None:
    """Notes of a notifier that is not set wait, and do not hold up those of others."""
    tell(ledger, clock)
    assert Outbox(ledger, {}, clock=clock).deliver() == 0
    assert outbox(ledger, clock, WebhookNotifier(receiver.address)).deliver() == 1


def test_old_notes_are_deleted(ledger: Ledger, clock: FrozenClock, receiver: Receiver) -> None:
    """What was shown and sent a month ago is deleted; what was never shown stays."""
    tell(ledger, clock, "k1")
    tell(ledger, clock, "k2")
    notices, box = Notices(ledger), outbox(ledger, clock, WebhookNotifier(receiver.address))
    box.deliver()
    notices.shown(notices.pending()[:1], clock.now)
    assert str(notices.tidy(clock.now)) == "0 old ones deleted"
    clock.advance(timedelta(days=31))
    assert str(notices.tidy(clock.now)) == "3 old ones deleted"
    assert [note.key for note in notices.pending()] == ["k2"]


def test_a_command_gets_the_text_as_data(tmp_path: Path, clock: FrozenClock) -> None:
    """A command gets the text as one argument, on standard input and in its environment."""
    script = tmp_path / "notify.py"
    script.write_text(
        "import os, sys, pathlib\n"
        "pathlib.Path(sys.argv[1]).write_text(repr((sys.argv[2], sys.stdin.read(),"
        " os.environ['ASSISTANT_NOTE_KEY'])))\n"
    )
    out = tmp_path / "out"
    text = "$(rm -rf /); 'quoted' \"too\""
    command = f"{sys.executable} {script} {out} {{text}}"
    CommandNotifier(command).send(Note("k", text, clock.now))
    assert out.read_text() == repr((text, text, "k"))
    CommandNotifier(command).send(Note("k", "--help", clock.now))
    assert out.read_text() == repr((" --help", "--help", "k"))


@pytest.mark.parametrize(
    ("command", "problem"), [("false", "ended with 1"), ("/no/such/program", "No such file")]
)
def test_a_command_that_fails_says_so(command: str, problem: str, clock: FrozenClock) -> None:
    """A command that is missing, or ends with an error, did not take the note."""
    with pytest.raises(NotifierFailed, match=problem):
        CommandNotifier(command).send(Note("k", "text", clock.now))


@pytest.mark.parametrize("command", ["", "   ", "say 'unclosed"])
def test_refuses_a_command_that_cannot_be_read(command: str) -> None:
    """A command line that is empty or has an open quote is refused at once."""
    with pytest.raises(SettingsError, match="notify_command"):
        CommandNotifier(command)


def test_a_desktop_that_is_not_there_did_not_take_the_note(
    monkeypatch: pytest.MonkeyPatch, clock: FrozenClock
) -> None:
    """Without a desktop session, or without the library, a note did not arrive."""
    for name in ("DBUS_SESSION_BUS_ADDRESS", "DISPLAY", "XDG_RUNTIME_DIR"):
        monkeypatch.delenv(name, raising=False)
    with pytest.raises(NotifierFailed, match="desktop"):
        DesktopNotifier().send(Note("k", "text", clock.now))


def test_notifiers_are_off_by_default() -> None:
    """Nothing leaves the machine unless it is set; each setting makes its own notifier."""
    assert notifiers_of() == {}
    assert list(notifiers_of(desktop=True, command="true", webhook="http://127.0.0.1/")) == [
        "desktop",
        "command",
        "webhook",
    ]
