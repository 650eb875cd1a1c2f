"""The program `assistant`: its commands by name, its global options, its exit codes.

A command's module is imported when the command runs, so that `--help` is instant.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperCommand, TyperGroup
from typer.main import get_group

from assistant.cli.controls import without_controls
from assistant.cli.invocation import Invocation

COMMANDS: dict[str, tuple[str, str]] = {
    "chat": ("chat", "Talk with the assistant; /help lists what you can type."),
    "ask": ("ask", "Ask once and print the answer."),
    "memory": ("memory", "Search, list, show, add, forget, move and check what is remembered."),
    "study": ("study", "Plan a course of study, log what you did, see where you stand."),
    "remind": ("remind", "Reminders and to-dos: add, list, snooze, done, cancel."),
    "jobs": ("jobs", "What runs on schedule: list, run, history."),
    "run-jobs": ("jobs", "Keep the scheduler in the foreground."),
    "eval": ("eval", "Run a suite of evaluation cases."),
    "team": ("team", "Run a team of agents from a file."),
    "context": ("context_view", "What the next request would hold, in tokens."),
    "restore": ("restore", "Put a backup of the ledger back in place."),
    "doctor": ("doctor", "What is configured, what works, and what to do."),
}
"""Each command's module in `assistant.cli`, and its one line of help."""

GLOBAL_OPTIONS = {"--now": True, "--home": True, "--verbose": False}
"""The options that may stand anywhere, and whether each takes a value."""


INTERRUPTED = 130
"""The exit code of a command that was stopped with Ctrl-C: 128 and the signal's number."""


class Program(TyperGroup):
    """Lists every command from the table and imports only the one that is asked for."""

    def __init__(self, **attributes: Any) -> None:
        super().__init__(**attributes)
        for name, (module, line) in COMMANDS.items():
            if (Path(__file__).parent / f"{module}.py").exists():
                self.commands[name] = TyperCommand(name, help=line)

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """Put the real command in its place before it is looked up."""
        if args[0] in self.commands:
            module = import_module(f"assistant.cli.{COMMANDS[args[0]][0]}")
            group = get_group(module.app)
            self.commands[args[0]] = group.commands.get(args[0], group)
        return super().resolve_command(ctx, args)


app = typer.Typer(cls=Program, no_args_is_help=True, rich_markup_mode="rich")


def _version(wanted: bool) -> None:
    if wanted:
        from importlib.metadata import version

        typer.echo(version("memory-assistant"))
        raise typer.Exit


def _folder(given: str) -> Path:
    """An empty variable in a script does not make the working directory the home."""
    if not given.strip():
        raise typer.BadParameter("it is empty; give a folder, or leave it out.")
    return Path(given)


@app.callback()
def _program(  # pyright: ignore[reportUnusedFunction]
    ctx: typer.Context,
    home: Annotated[
        Path | None, typer.Option(help="The folder of all data.", parser=_folder, metavar="DIR")
    ] = None,
    now: Annotated[
        str | None, typer.Option(help="Pretend that it is this time (ISO 8601).", metavar="TIME")
    ] = None,
    verbose: Annotated[bool, typer.Option("--verbose", help="Show the log on stderr.")] = False,
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """A personal assistant that remembers for months, and knows what is out of date."""
    invocation: Invocation = ctx.obj
    invocation.home, invocation.now, invocation.verbose = home, now, verbose


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the program and return its exit code: 0 done, 1 failed, 2 wrong input, 130 Ctrl-C."""
    words = sys.argv[1:] if arguments is None else arguments
    given = _globals_first([without_controls(word) for word in words])
    invocation = Invocation(words=" ".join(given))
    os.umask(0o077)  # what is remembered is the user's alone
    _open_standard_streams()
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")  # pyright: ignore
    try:
        code = app(given, prog_name="assistant", standalone_mode=False, obj=invocation)
        if code == INTERRUPTED:  # what typer makes of Ctrl-C, without a word
            raise KeyboardInterrupt
        sys.stdout.flush()
    except BaseException as error:  # also what a user's tool raises to end the program
        if isinstance(error, BrokenPipeError) or isinstance(error.__context__, BrokenPipeError):
            # The reader, such as `head`, has seen enough; rich makes a SystemExit of it.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            return 1
        from assistant.cli.problems import report

        json, verbose = "--json" in given, "--verbose" in given
        return report(error, invocation.language, as_json=json, verbose=verbose)
    return code if isinstance(code, int) else 0


def _open_standard_streams() -> None:
    """Open what the caller closed (`>&-`), before a file of ours gets its number."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, Path(os.devnull).open(mode, encoding="utf-8"))  # noqa: SIM115


def _globals_first(arguments: list[str]) -> list[str]:
    """Move the global options before the command, wherever they were typed."""
    first: list[str] = []
    rest: list[str] = []
    words = iter(arguments)
    for word in words:
        name, equals, _value = word.partition("=")
        if word == "--":
            return [*first, *rest, word, *words]
        if name not in GLOBAL_OPTIONS:
            rest.append(word)
            continue
        first.append(word)
        if GLOBAL_OPTIONS[name] and not equals:
            first.extend(value for value in [next(words, None)] if value is not None)
    return [*first, *rest]


if __name__ == "__main__":
    sys.exit(main())
