"""Progress on standard error, shown only when something takes over a second."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Generator
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from memory_store.protocols import Progress

PATIENCE = 1.0
"""Seconds before anything is shown."""
AGAIN = 10.0
"""Seconds between lines where there is no terminal for a bar."""


class Waiter:
    """Shows what a command waits for. Where waits are nested, the innermost is shown."""

    def __init__(self) -> None:
        self._innermost: _Wait | None = None
        self._said: set[str] = set()

    @contextmanager
    def waiting(self, what: str) -> Generator[Progress]:
        """Show `what` while the block runs, if it runs long.

        The block gets a callback for (done, total); once called, a bar stands for the spinner.
        Where standard error is no terminal, lines are printed instead: what it is, once, and then
        how far it is, again and again.
        """
        outer, wait = self._innermost, _Wait(what, self._said)
        try:
            if outer is not None:
                outer.hide()
            self._innermost = wait
            wait.show_later()
            yield wait.update
        finally:
            self._innermost = outer
            wait.hide()
            if outer is not None:
                outer.show_later()


class _Wait:
    def __init__(self, what: str, said: set[str]) -> None:
        self._what = what
        self._said = said
        self._done, self._total = 0, 0
        self._since = time.monotonic()
        self._lock = threading.Lock()
        self._timer: threading.Timer | None = None
        self._bar: _Bar | None = None

    def show_later(self, seconds: float | None = None) -> None:
        self._timer = threading.Timer(PATIENCE if seconds is None else seconds, self._show)
        self._timer.daemon = True
        self._timer.start()

    def hide(self) -> None:
        try:
            self._hide()
        except KeyboardInterrupt:  # it would stand in what comes after, for ever
            self._hide()
            raise

    def _hide(self) -> None:
        with self._lock:
            if self._timer is not None:
                self._timer.cancel()
            self._timer = None
            if self._bar is not None:
                self._bar.stop()
            self._bar = None

    def update(self, done: int, total: int) -> None:
        with self._lock:
            self._done, self._total = done, total
            if self._bar is not None:
                self._bar.update(done, total)

    def _show(self) -> None:
        with self._lock:
            if self._timer is None:  # it ended just now
                return
            if not sys.stderr.isatty():
                self._print_line()
                self.show_later(AGAIN)
                return
            self._bar = _Bar(self._what)
            self._bar.update(self._done, self._total)

    def _print_line(self) -> None:
        passed = time.monotonic() - self._since
        if passed < AGAIN and self._what in self._said:  # the same in a later step
            return
        self._said.add(self._what)
        far = f" {self._done / self._total:.0%}" if self._total else ""
        long = f" {passed:.0f} s" if passed >= AGAIN else ""
        print(f"{self._what} …{far}{long}", file=sys.stderr, flush=True)


class _Bar:
    def __init__(self, what: str) -> None:
        from rich.console import Console
        from rich.progress import (
            BarColumn,
            Progress,
            SpinnerColumn,
            TaskProgressColumn,
            TimeElapsedColumn,
        )

        self._progress = Progress(
            SpinnerColumn(),
            "{task.description}",
            BarColumn(),
            TaskProgressColumn(),
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
