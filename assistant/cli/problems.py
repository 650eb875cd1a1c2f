"""Errors on their way out: what went wrong and what to do, as one line or as JSON, with a code."""

from __future__ import annotations

import errno
import json
import logging
import sys
from dataclasses import dataclass

from typer import Abort, TyperException

from assistant.errors import AssistantError, Interrupted
from memory_store.errors import (
    EmbedderError,
    ExtraMissing,
    ImportRefused,
    InvalidInput,
    LedgerDamaged,
    MemoryStoreError,
    NotFound,
    StorageFull,
)

_STORE_CODES: dict[type[MemoryStoreError], tuple[str, int]] = {
    InvalidInput: ("bad_input", 2),
    NotFound: ("not_found", 2),
    ImportRefused: ("import_refused", 2),
    StorageFull: ("storage_full", 2),
    ExtraMissing: ("extra_missing", 2),
    EmbedderError: ("embedder_failed", 1),
    LedgerDamaged: ("ledger_damaged", 1),
}


@dataclass(frozen=True, slots=True)
class Problem:
    """An error as the user is told it. `exit_code` is 1 (the run failed) or 2 (wrong input)."""

    code: str
    message: str
    hint: str
    exit_code: int


def report(error: BaseException, *, as_json: bool, verbose: bool = False) -> int:
    """Tell the user what went wrong, on standard output if it is JSON, and return the exit code."""
    problem = explain(error)
    if problem.code == "unexpected":
        logging.getLogger("assistant.cli").error("unexpected error", exc_info=error)
        if verbose:
            raise error
    if as_json:
        parts = {"code": problem.code, "message": problem.message, "hint": problem.hint}
        print(json.dumps({"error": parts}, ensure_ascii=False))
    else:
        print(
            "assistant: " + " ".join(filter(None, (problem.message, problem.hint))), file=sys.stderr
        )
    return problem.exit_code


def explain(error: BaseException) -> Problem:
    """Return what to tell the user about any error that reaches the command line."""
    match error:
        case AssistantError():
            return Problem(error.code, str(error), error.hint, error.exit_code)
        case MemoryStoreError():
            return _of_memory(error)
        case TyperException():
            return _usage(error)
        case KeyboardInterrupt():
            return Problem("interrupted", "Stopped.", "", Interrupted.exit_code)
        case Abort() | EOFError():
            return Problem("aborted", "Stopped; nothing was changed.", "", 1)
        case _:
            return _of_system(error) or _unexpected(error)


def _of_memory(error: MemoryStoreError) -> Problem:
    kinds = (kind for kind in type(error).__mro__ if kind in _STORE_CODES)
    code, exit_code = _STORE_CODES.get(next(kinds, type(error)), ("storage_failed", 1))
    return Problem(code, str(error), "", exit_code)


def _of_system(error: BaseException) -> Problem | None:
    match error:
        case UnicodeEncodeError(object=text, start=start) if "\ud800" <= text[start] <= "\udfff":
            message = f"{text[:40]!r} is not text: it holds bytes that are no characters."
            return Problem("bad_input", message, "Nothing was changed.", 2)
        case OSError() if error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EACCES):
            hint = "Free some space or fix the permissions; nothing that was stored is lost."
            where = error.filename or "the disk"
            return Problem("storage_full", f"{where}: {error.strerror}.", hint, 2)
        case _:
            return None


def _unexpected(error: BaseException) -> Problem:
    message = f"Unexpected {type(error).__name__}: {error}"
    hint = "The log in the home has the details; --verbose shows them."
    return Problem("unexpected", message, hint, 1)


def _usage(error: TyperException) -> Problem:
    command = getattr(getattr(error, "ctx", None), "command_path", "assistant")
    message = " ".join(error.format_message().split()).rstrip(".") + "."
    return Problem("usage", message, f"See '{command} --help'.", error.exit_code)
