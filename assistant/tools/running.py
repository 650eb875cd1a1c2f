"""Runs one function in a daemon thread, so that one that hangs never holds up the program's end."""

from __future__ import annotations

import asyncio
import inspect
import threading
from collections.abc import Callable
from typing import cast


def run_within(function: Callable[[], object], seconds: float) -> object:
    """Call `function` and return its result; a coroutine is awaited.

    Raises:
        TimeoutError: it took longer than `seconds`. Its thread is left behind; it does not keep
            the process alive.
        RuntimeError: the function raised what would end the program, such as SystemExit.
        Exception: whatever else the function raised. KeyboardInterrupt is the user's own.
    """
    outcome: list[object] = []
    failure: list[Exception] = []

    def work() -> None:
        try:
            result = function()
            if inspect.iscoroutine(result):
                result = cast("object", asyncio.run(result))
            outcome.append(result)
        except Exception as error:
            failure.append(error)
        except BaseException as error:
            failure.append(RuntimeError(f"{type(error).__name__}: {error}"))

    thread = threading.Thread(target=work, daemon=True, name="tool")
    thread.start()
    thread.join(seconds)
    if failure:
        raise failure[0]
    if not outcome:
        raise TimeoutError(f"no result after {seconds:g} seconds")
    return outcome[0]
