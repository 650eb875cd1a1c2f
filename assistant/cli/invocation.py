"""What a command starts from: the global options, and the assistant that they open."""

from __future__ import annotations

import sys
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import tzinfo
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import typer

    from assistant.app import App
    from assistant.context.wording import Language
    from assistant.front import Front
    from memory_store.protocols import Clock


@dataclass(slots=True)
class Invocation:
    """The global options as they were typed, and all words of the command line.

    Attributes:
        spoken: the language that the assistant found, for what is said after it is closed.
    """

    home: Path | None = None
    now: str | None = None
    verbose: bool = False
    words: str = ""
    spoken: Language | None = None

    @property
    def language(self) -> Language:
        """The user's language, also where no assistant was opened to tell it."""
        from assistant.context.wording import language_of
        from assistant.settings import chosen_language, system_language

        known = self.spoken or chosen_language(self.home)
        return known or ("zh" if language_of(self.words) == "zh" else system_language())


@contextmanager
def opened(ctx: typer.Context, *, confirms: bool = False, **flags: Any) -> Generator[App]:
    """Open the assistant for one command and close it after.

    Args:
        confirms: whether a tool may ask the user at the terminal, where there is one.
        flags: settings that the command's own options give; None counts as not given.

    Raises:
        SettingsError: a setting, the home or `--now` is wrong.
    """
    from assistant.app import App
    from assistant.cli.log import write_log
    from assistant.errors import AssistantError
    from assistant.settings import Settings

    invocation: Invocation = ctx.obj
    settings = Settings.load(invocation.home, **flags)
    clock = _standing(invocation.now, settings.zone) if invocation.now is not None else None
    try:
        front = _front(invocation.words, confirms=confirms)
        with App.open(settings, clock=clock, front=front) as app:
            write_log(settings, verbose=invocation.verbose)
            try:
                yield app
            except BaseException as error:
                invocation.spoken = app.language()
                if isinstance(error, AssistantError):
                    error.speak(invocation.spoken)  # before secrets are taken out of it
                raise
    except Exception as error:
        shown = settings.redact(str(error))
        if shown != str(error):
            error.args = (shown, *error.args[1:])
        raise


def _front(words: str, *, confirms: bool) -> Front:
    from assistant.cli.progress import Waiter
    from assistant.front import Front

    at_terminal = confirms and sys.stdin.isatty() and sys.stderr.isatty()
    return Front(
        waiting=Waiter().waiting,
        notify=lambda line: print(line, file=sys.stderr, flush=True),
        confirm=_confirm if at_terminal else None,
        words=words,
    )


def _confirm(question: str) -> bool:
    import typer

    return typer.confirm(question, err=True)


def _standing(now: str, zone: tzinfo) -> Clock:
    from assistant.cli.reading import read_moment

    moment = read_moment(now, zone, "--now")
    return lambda: moment
