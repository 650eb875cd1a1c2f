"""What happens on schedule, in real processes: the scheduler in the foreground, a chat, a sleep."""

import signal
import subprocess
import sys
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path

from assistant.testing import ScriptedServer, calls, says

PATIENCE = 60


def wait_for(file: Path) -> str:
    """The file's text, once there is some."""
    end = time.monotonic() + PATIENCE
    while not (file.exists() and file.read_text()):
        assert time.monotonic() < end, f"{file} did not come"
        time.sleep(0.1)
    return file.read_text()


def test_the_scheduler_in_the_foreground_tells_what_is_due(machine, tmp_path):
    """`assistant run-jobs` runs a due reminder's command, and ends cleanly when asked to."""
    note = tmp_path / "note"
    machine.env["ASSISTANT_NOTIFY_COMMAND"] = f"cp /dev/stdin {note}"
    soon = (datetime.now(UTC) - timedelta(hours=1)).isoformat()
    assert machine.run("--now", soon, "remind", "in 30 minutes drink water").code == 0
    scheduler = subprocess.Popen(
        [sys.executable, "-m", "assistant", "run-jobs"],
        env=machine.environment(),
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        assert wait_for(note).startswith("Reminder: drink water")
        # While it runs, other processes use the same home.
        assert machine.run("remind", "list", "--json").json["count"] == 1
    finally:
        scheduler.send_signal(signal.SIGTERM)
        told = scheduler.communicate(timeout=PATIENCE)[1]
    assert scheduler.returncode == 0
    assert "Traceback" not in told


def test_a_reminder_is_made_in_conversation(machine):
    """The model's tool call makes the reminder, which the command line then lists."""
    with ScriptedServer(
        [
            calls(("remind", {"what": "call the dentist", "when": "tomorrow at 9"})),
            says("I will remind you tomorrow at 9."),
        ]
    ) as server:
        machine.uses(server)
        machine.env["ASSISTANT_TIMEZONE"] = "Europe/Berlin"
        machine.env["ASSISTANT_PROTOCOL"] = "tools"
        asked = machine.run(
            "--now",
            "2026-05-20T14:30:00+02:00",
            "ask",
            "remind me tomorrow at 9 to call the dentist",
        )
    assert asked.code == 0, asked.err
    assert asked.out.strip() == "I will remind you tomorrow at 9."
    listed = machine.run("remind", "list", "--json").json["reminders"]
    assert [(each["text"], each["due"]) for each in listed] == [
        ("call the dentist", "2026-05-21T09:00:00+02:00")
    ]


def test_what_is_due_is_told_beside_an_answer(machine):
    """`ask` tells a due reminder once, apart from the answer; with --json it waits for a reader."""
    at = ("--now", "2026-05-20T14:30:00Z")
    made = machine.run(*at, "remind", "in 10 minutes call the dentist")
    assert made.code == 0, made.err
    later = ("--now", "2026-05-20T15:00:00Z", "ask", "hello")
    with ScriptedServer([says("Hi.")] * 3) as server:
        machine.uses(server)
        machine.env["ASSISTANT_PROTOCOL"] = "tools"
        silent = machine.run(*later, "--json")
        told, again = machine.run(*later), machine.run(*later)
    assert "dentist" not in silent.out + silent.err
    assert told.out.strip() == "Hi."
    assert "Reminder: call the dentist" in told.err
    assert "dentist" not in again.out + again.err
