"""The log: a file in the home, private, without secrets or texts; never standard output."""

from __future__ import annotations

import logging
import traceback
from logging.handlers import RotatingFileHandler
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from assistant.settings import Settings

FOLDER = "logs"
PACKAGES = ("assistant", "memory_store")
FORMAT = "%(asctime)s %(process)d %(levelname)s %(name)s: %(message)s"
MOST_BYTES = 1_000_000


def write_log(settings: Settings, *, verbose: bool) -> None:
    """Send both packages' log to `<home>/logs/assistant.log`, and to stderr where wanted."""
    folder = settings.home / FOLDER
    folder.mkdir(mode=0o700, exist_ok=True)
    to_file = RotatingFileHandler(
        folder / "assistant.log", maxBytes=MOST_BYTES, backupCount=2, encoding="utf-8", delay=True
    )
    to_file.setFormatter(_Wordless(FORMAT, settings))
    handlers: list[logging.Handler] = [to_file]
    if verbose:
        handlers.append(logging.StreamHandler())
        handlers[-1].setFormatter(_Redacting(FORMAT, settings))
    for name in PACKAGES:
        logger = logging.getLogger(name)
        logger.handlers = handlers
        logger.setLevel(logging.DEBUG if verbose else logging.INFO)
        logger.propagate = False


def forget_in_log(home: Path, texts: Iterable[str]) -> None:
    """Take the lines that quote any of these texts out of the logs, also of earlier versions."""
    from memory_store.quotes import own_parts

    wanted = [part.encode() for text in texts for part in own_parts(text)]
    for file in (home / FOLDER).glob("assistant.log*"):
        lines = file.read_bytes().splitlines(keepends=True)
        kept = [line for line in lines if not any(part in line for part in wanted)]
        if kept != lines:
            file.write_bytes(b"".join(kept))  # in place: other processes append to it


class _Redacting(logging.Formatter):
    """Formats a record and blanks the settings' secrets in it."""

    def __init__(self, pattern: str, settings: Settings) -> None:
        super().__init__(pattern)
        self._settings = settings

    def format(self, record: logging.LogRecord) -> str:
        record.exc_text = None  # another handler's formatter has told the error in its own way
        return self._settings.redact(super().format(record))


class _Wordless(_Redacting):
    """Tells of an error its class and where it was raised; what it says may quote the user."""

    def formatException(self, ei: Any) -> str:  # noqa: N802  (the base class's name)
        told: list[str] = []
        error: BaseException | None = ei[1]
        while error is not None:
            frames = "".join(traceback.format_tb(error.__traceback__))
            told.append(f"{frames}{type(error).__qualname__}")
            error = error.__cause__ or (None if error.__suppress_context__ else error.__context__)
        return "\nbecause of\n".join(told)
