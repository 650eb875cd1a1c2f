"""What is due while a chat is open: notes are shown, overdue jobs run in a process apart."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from assistant.cli.problems import explain

if TYPE_CHECKING:
    from assistant.app import App
    from assistant.cli.invocation import Invocation


def show_due(app: App, say: Callable[[str], None]) -> None:
    """Say what the user is to be told and has not been shown: reminders, check-ins, reviews.

    A failure there is said as well; it stops neither an answer nor a chat.
    """
    try:
        schedule = app.schedule
        schedule.reminders.tell_due()
        notes = schedule.notices.pending()
        for note in notes:
            say(f"• {note.text}")
        schedule.notices.shown(notes, app.clock())
    except Exception as error:
        say(explain(error, app.language()).message)


def catching_up(app: App, invocation: Invocation, lines: Iterator[str]) -> Iterator[str]:
    """Pass on the lines of a chat; before each is asked for, start what is overdue by then."""
    running = None
    while True:
        if running is None or running.poll() is not None:
            running = catch_up_apart(app, invocation)
        line = next(lines, None)
        if line is None:
            return
        yield line


def catch_up_apart(app: App, invocation: Invocation) -> subprocess.Popen[bytes] | None:
    """Run the jobs that are overdue in a process of its own; None where none is.

    The chat is usable at once, and ending it does not end them.
    """
    if not app.schedule.any_due():
        return None
    options = ["--home", str(app.settings.home)]
    if invocation.now is not None:
        options += ["--now", invocation.now]
    return subprocess.Popen(
        [sys.executable, "-m", "assistant", *options, "jobs", "run"],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,  # Ctrl-C in the chat is not meant for it
    )
