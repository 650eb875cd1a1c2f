"""`assistant ask`: one run, its answer on standard output."""

from __future__ import annotations

from typing import Annotated

import typer

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
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Ask once and print the answer."""
    import io

    from assistant.cli.answering import Screen, drain
    from assistant.cli.invocation import opened
    from assistant.cli.reading import read_text
    from assistant.cli.views import print_json, run_json
    from assistant.run_record import record_run

    question = "" if retry and text is None else read_text(text, "question")
    with opened(ctx, confirms=not as_json, protocol=protocol) as app:
        where = app.sessions.open(session)
        events = app.agent.run(where, question)
        screen = Screen(app.front.waiting, out=io.StringIO() if as_json else None, trace=trace)
        record = record_run(screen.follow(events))
        if as_json:
            print_json(run_json(record, **app.run_facts()))
        drain(events)
