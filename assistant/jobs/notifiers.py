"""How a note reaches the user outside the chat: the desktop, a command, a web address."""

from __future__ import annotations

import os
import shlex
import subprocess
from typing import Protocol

from assistant.errors import SettingsError
from assistant.jobs.notices import Note
from assistant.phrases import Phrase, phrase

SECONDS = 20
"""How long a command or a web address may take."""
TITLE = "Assistant"


class NotifierFailed(Exception):
    """A note did not arrive; it is tried again later."""

    def __init__(self, said: Phrase) -> None:
        super().__init__(said)
        self.said = said


class Notifier(Protocol):
    """Sends a note to the user."""

    def send(self, note: Note) -> None:
        """Send it.

        Raises:
            NotifierFailed: it did not arrive.
        """
        ...


class CommandNotifier:
    """Runs a command of the user's, without a shell.

    `{text}` in an argument is replaced by the note's text, which is also on standard input; its
    key and text are in the environment as ASSISTANT_NOTE_KEY and ASSISTANT_NOTE_TEXT.
    """

    def __init__(self, command: str) -> None:
        """Take the command line.

        Raises:
            SettingsError: it is empty or its quotes do not match.
        """
        try:
            self._arguments = shlex.split(command)
        except ValueError as error:
            values = {"command": command, "problem": error}
            raise SettingsError(phrase("settings.command_unreadable", **values)) from None
        if not self._arguments:
            hint = phrase("settings.command_empty_hint")
            raise SettingsError(phrase("settings.command_empty"), hint=hint)

    def send(self, note: Note) -> None:
        """Run the command and wait for its end."""
        text = note.text.replace("\0", "")
        # A text that begins with '-' must not become an option of the command.
        shown = f" {text}" if text.startswith("-") else text
        arguments = [argument.replace("{text}", shown) for argument in self._arguments]
        environment = {**os.environ, "ASSISTANT_NOTE_KEY": note.key, "ASSISTANT_NOTE_TEXT": text}
        try:
            done = subprocess.run(
                arguments,
                input=text.encode(),
                env=environment,
                timeout=SECONDS,
                capture_output=True,
                check=False,
            )
        except (OSError, subprocess.TimeoutExpired) as error:
            values = {"command": arguments[0], "problem": error}
            raise NotifierFailed(phrase("notify.command", **values)) from None
        if done.returncode != 0:
            said = done.stderr.decode(errors="replace").strip()[-200:]
            values = {"command": arguments[0], "code": done.returncode, "said": f" {said}".rstrip()}
            raise NotifierFailed(phrase("notify.exit_code", **values))


class WebhookNotifier:
    """Posts a note as JSON to an address of the user's, with its key as `Idempotency-Key`."""

    def __init__(self, address: str) -> None:
        self._address = address

    def send(self, note: Note) -> None:
        """Post it; any 2xx reply means that it arrived."""
        import httpx

        body = {"key": note.key, "text": note.text, "at": note.at.isoformat()}
        try:
            reply = httpx.post(
                self._address,
                json=body,
                headers={"Idempotency-Key": note.key},
                timeout=SECONDS,
            )
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            raise NotifierFailed(phrase("notify.unreachable", problem=error)) from None
        if not reply.is_success:
            raise NotifierFailed(phrase("notify.status", status=reply.status_code))


class DesktopNotifier:
    """Shows a note on the desktop (the library desktop-notifier, `pip install …[desktop]`)."""

    def send(self, note: Note) -> None:
        """Show it."""
        import asyncio

        try:
            from desktop_notifier import DesktopNotifier as Desktop
        except ImportError:
            raise NotifierFailed(phrase("notify.not_installed")) from None
        taken: list[bool] = []

        async def send() -> None:
            # The library only logs a failure; it calls back where the desktop took the note.
            desktop = Desktop(app_name=TITLE)
            await desktop.send(TITLE, note.text, on_dispatched=lambda: taken.append(True))

        try:
            asyncio.run(asyncio.wait_for(send(), SECONDS))
        except Exception as error:  # whatever the platform raises
            raise NotifierFailed(phrase("notify.refused", problem=error)) from error
        if not taken:
            raise NotifierFailed(phrase("notify.not_shown"))


def notifiers_of(
    *, desktop: bool = False, command: str | None = None, webhook: str | None = None
) -> dict[str, Notifier]:
    """Return the notifiers that are set, by name.

    Raises:
        SettingsError: the command cannot be read.
    """
    found: dict[str, Notifier] = {}
    if desktop:
        found["desktop"] = DesktopNotifier()
    if command is not None:
        found["command"] = CommandNotifier(command)
    if webhook is not None:
        found["webhook"] = WebhookNotifier(webhook)
    return found
