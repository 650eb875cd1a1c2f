"""Errors on their way out: what went wrong and what to do, as one line or as JSON, with a code."""

from __future__ import annotations

import errno
import json
import logging
import sys
from dataclasses import dataclass

from typer import Abort, TyperException

from assistant.context.wording import Language
from assistant.errors import AssistantError, Interrupted
from assistant.phrases import in_words, phrase, recognised, say, sentences
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

    @property
    def line(self) -> str:
        """What went wrong and what to do, in one line."""
        return sentences(self.message, self.hint)


def report(
    error: BaseException, language: Language, *, as_json: bool, verbose: bool = False
) -> int:
    """Tell the user what went wrong, on standard output if it is JSON, and return the exit code."""
    problem = explain(error, language)
    if problem.code == "unexpected":
        logging.getLogger("assistant.cli").error("unexpected error", exc_info=error)
        if verbose:
            raise error
    if as_json:
        parts = {"code": problem.code, "message": problem.message, "hint": problem.hint}
        print(json.dumps({"error": parts}, ensure_ascii=False))
    else:
        print(f"assistant: {problem.line}", file=sys.stderr)
    return problem.exit_code


def explain(error: BaseException, language: Language) -> Problem:
    """Return what to tell the user about any error that reaches the command line.

    What `memory_store`, Python and the system say stays in their words.
    """
    match error:
        case AssistantError():
            error.speak(language)
            return Problem(error.code, str(error), error.hint, error.exit_code)
        case MemoryStoreError():
            return _of_memory(error)
        case TyperException():
            return _usage(error, language)
        case KeyboardInterrupt():
            stopped = say("problem.stopped", language)
            return Problem("interrupted", stopped, "", Interrupted.exit_code)
        case Abort() | EOFError():
            return Problem("aborted", say("problem.aborted", language), "", 1)
        case _:
            return _of_system(error, language) or _unexpected(error, language)


def _of_memory(error: MemoryStoreError) -> Problem:
    kinds = (kind for kind in type(error).__mro__ if kind in _STORE_CODES)
    code, exit_code = _STORE_CODES.get(next(kinds, type(error)), ("storage_failed", 1))
    return Problem(code, str(error), "", exit_code)


def _of_system(error: BaseException, language: Language) -> Problem | None:
    match error:
        case UnicodeEncodeError(object=text, start=start) if "\ud800" <= text[start] <= "\udfff":
            message = say("problem.no_text", language, text=text[:40])
            return Problem("bad_input", message, say("problem.unchanged", language), 2)
        case OSError() if error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EACCES):
            where = error.filename or phrase("problem.disk")
            message = say("problem.storage", language, where=where, problem=error.strerror)
            return Problem("storage_full", message, say("problem.storage_hint", language), 2)
        case _:
            return None


def _unexpected(error: BaseException, language: Language) -> Problem:
    message = say("problem.unexpected", language, kind=type(error).__name__, problem=error)
    return Problem("unexpected", message, say("problem.unexpected_hint", language), 1)


def _usage(error: TyperException, language: Language) -> Problem:
    command = getattr(getattr(error, "ctx", None), "command_path", "assistant")
    said = " ".join(error.format_message().split())
    message = in_words(recognised(said, "usage", "value"), language)
    hint = say("problem.see_help", language, command=command)
    return Problem("usage", message, hint, error.exit_code)
