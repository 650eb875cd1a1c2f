"""Progress on standard error, shown only when something takes over a second."""

from __future__ import annotations

import sys
import threading
from collections.abc import Generator
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from memory_store.protocols import Progress

PATIENCE = 1.0
"""Seconds before anything is shown."""


@contextmanager
def waiting(what: str) -> Generator[Progress]:
    """Show `what` while the block runs, if it runs long.

    The block gets a callback for (done, total); once called, a bar stands for the spinner.
    Where standard error is no terminal, one line is printed instead.
    """
    display = _Display(what)
    timer = threading.Timer(PATIENCE, display.show)
    timer.daemon = True
    timer.start()
    try:
        yield display.update
    finally:
        timer.cancel()
        display.hide()


class _Display:
    def __init__(self, what: str) -> None:
        self._what = what
        self._done, self._total = 0, 0
        self._lock = threading.Lock()
        self._ended = False
        self._bar: _Bar | None = None

    def show(self) -> None:
        with self._lock:
            if self._ended:
                return
            if not sys.stderr.isatty():
                print(f"{self._what} …", file=sys.stderr, flush=True)
                return
            self._bar = _Bar(self._what)
            self._bar.update(self._done, self._total)

    def update(self, done: int, total: int) -> None:
        with self._lock:
            self._done, self._total = done, total
            if self._bar is not None:
                self._bar.update(done, total)

    def hide(self) -> None:
        with self._lock:
            self._ended = True
            if self._bar is not None:
                self._bar.stop()


class _Bar:
    def __init__(self, what: str) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

        self._progress = Progress(
            SpinnerColumn(),
            TextColumn("{task.description}"),
            BarColumn(),
            TextColumn("{task.percentage:>3.0f}%"),
            TimeElapsedColumn(),
            console=Console(stderr=True),
            transient=True,
        )
        self._task = self._progress.add_task(what, total=None)
        self._progress.start()

    def update(self, done: int, total: int) -> None:
        self._progress.update(self._task, completed=done, total=total or None)

    def stop(self) -> None:
        self._progress.stop()
