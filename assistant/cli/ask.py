"""`assistant ask`: one run, its answer on standard output."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from assistant.cli.options import AsJson
from assistant.phrases import phrase

if TYPE_CHECKING:
    from collections.abc import Iterator

    from assistant.app import App
    from assistant.events import Event
    from assistant.run_record import RunRecord
    from assistant.sessions import Session

app = typer.Typer()


@app.command()
def ask(
    ctx: typer.Context,
    text: Annotated[
        str | None, typer.Argument(help="The question; '-' or nothing reads standard input.")
    ] = None,
    session: Annotated[
        str | None, typer.Option(help="Continue this session; a new name makes a new one.")
    ] = None,
    retry: Annotated[
        bool, typer.Option("--retry", help="Ask again what the last run could not answer.")
    ] = False,
    trace: Annotated[
        bool, typer.Option("--trace", help="Show every model call and tool result on stderr.")
    ] = False,
    protocol: Annotated[
        str | None, typer.Option(help="How tools are called: auto, tools, schema or text.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Ask once and print the answer."""
    import io
    import sys
    from contextlib import redirect_stdout

    from assistant.cli.answering import Screen, drain
    from assistant.cli.due import show_due
    from assistant.cli.invocation import opened
    from assistant.cli.reading import read_text
    from assistant.cli.views import print_json, run_json
    from assistant.errors import RunFailed

    question = "" if retry else read_text(text, phrase("input.question"))
    with opened(ctx, confirms=not as_json, protocol=protocol) as app:
        events = (
            app.agent.retry(_unanswered(app, session))
            if retry
            else app.agent.run(app.sessions.open(session), question)
        )
        language = app.language(question)
        out = io.StringIO() if as_json else None
        screen = Screen(app.front.waiting, language, out=out, trace=trace)
        try:
            with redirect_stdout(sys.stderr):  # what a tool prints is no part of the answer
                record = _to_its_end(screen.follow(events))
        except RunFailed as error:
            again = "assistant ask --retry" + (f" --session '{session}'" if session else "")
            error.advise(phrase("chat.question_kept", again=again))
            raise
        if as_json:
            facts = run_json(
                record,
                model=app.model.name,
                protocol=app.protocols.name_for(app.model),
                limit=app.context.limit,
                reserve=app.context.reserve,
            )
            print_json(facts)
        else:
            show_due(app, app.front.notify)
        with app.waiting(phrase("waiting.tidying")):
            drain(events)


def _to_its_end(events: Iterator[Event]) -> RunRecord:
    """Return the record of a run that the user let come to its end.

    Raises:
        Interrupted: Ctrl-C, before or during the run.
    """
    from assistant.errors import Interrupted
    from assistant.run_record import record_run

    try:
        record = record_run(events)
    except KeyboardInterrupt:
        raise Interrupted(phrase("problem.stopped")) from None
    if record.stopped == "interrupted":
        raise Interrupted(phrase("problem.stopped"))
    return record


def _unanswered(app: App, name: str | None) -> Session:
    """Return the session of that name, or the one used last, whose question is to be retried."""
    from assistant.errors import UserError

    found = app.sessions.find(name) if name is not None else app.sessions.latest()
    if found is None:
        key = "input.nothing_to_retry_yet" if name is None else "input.nothing_to_retry"
        raise UserError(phrase(key, name=name))
    return found
