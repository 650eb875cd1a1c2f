"""The log: a file in the home, private, without secrets; never standard output."""

from __future__ import annotations

import logging
from logging.handlers import RotatingFileHandler
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from assistant.settings import Settings

PACKAGES = ("assistant", "memory_store")
FORMAT = "%(asctime)s %(process)d %(levelname)s %(name)s: %(message)s"
MOST_BYTES = 1_000_000


def write_log(settings: Settings, *, verbose: bool) -> None:
    """Send both packages' log to `<home>/logs/assistant.log`, and to stderr where wanted."""
    folder = settings.home / "logs"
    folder.mkdir(mode=0o700, exist_ok=True)
    to_file = RotatingFileHandler(
        folder / "assistant.log", maxBytes=MOST_BYTES, backupCount=2, encoding="utf-8", delay=True
    )
    handlers: list[logging.Handler] = [to_file, *([logging.StreamHandler()] if verbose else [])]
    for handler in handlers:
        handler.setFormatter(_Redacting(FORMAT, settings))
    for name in PACKAGES:
        logger = logging.getLogger(name)
        logger.handlers = handlers
        logger.setLevel(logging.DEBUG if verbose else logging.INFO)
        logger.propagate = False


class _Redacting(logging.Formatter):
    """Formats a record and blanks the settings' secrets in it."""

    def __init__(self, pattern: str, settings: Settings) -> None:
        super().__init__(pattern)
        self._settings = settings

    def format(self, record: logging.LogRecord) -> str:
        return self._settings.redact(super().format(record))
