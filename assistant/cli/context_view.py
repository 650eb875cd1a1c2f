"""`assistant context` and `/context`: what the next request would hold, in tokens, and why."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from assistant.cli.options import AsJson

if TYPE_CHECKING:
    from rich.table import Table
    from rich.text import Text

    from assistant.app import App
    from assistant.context.report import Report
    from assistant.sessions import Session

app = typer.Typer()

_COLOURS = {
    "system": "blue",
    "tools": "cyan",
    "summary": "magenta",
    "window": "green",
    "memories": "yellow",
    "question": "red",
    "steps": "bright_black",
    "reserve": "white",
}
_WIDTH = 60


@app.command("context")
def context_command(
    ctx: typer.Context,
    text: Annotated[str | None, typer.Argument(help="The question, if you know it.")] = None,
    session: Annotated[
        str | None, typer.Option(help="The session; without it, the one used last.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """What the next request would hold, in tokens, what is left out, and why."""
    from assistant.cli.invocation import opened
    from assistant.cli.views import print_json
    from assistant.errors import UserError

    with opened(ctx) as assistant:
        sessions = assistant.sessions
        found = sessions.latest() if session is None else sessions.find(session)
        if found is None:
            hint = "'assistant chat --session NAME' makes one."
            raise UserError(f"There is no session {session or 'yet'}.", hint=hint)
        if as_json:
            report = assistant.agent.preview(found, text or "")
            print_json({"session": found.label, **report.as_json()})
        else:
            show_context(assistant, found, text or "")


def show_context(assistant: App, session: Session, question: str = "") -> None:
    """Print what the session's next request would hold."""
    from assistant.cli.views import console

    report = assistant.agent.preview(session, question)
    screen = console()
    screen.print(_headline(report))
    screen.print(_bar(report))
    screen.print(_table(report))
    for line in _remarks(report):
        screen.print(line, style="dim", markup=False, highlight=False)


def _headline(report: Report) -> str:
    ratio = f"{report.ratio:.3f}" if report.ratio is not None else "not known yet"
    return (
        f"{report.tokens:,} of {report.limit - report.reserve:,} tokens for {report.model},"
        f" by {report.encoding}; learned ratio of the server's count: {ratio}"
    )


def _bar(report: Report) -> Text:
    """Return the parts as one coloured bar, as wide as the limit."""
    from rich.text import Text

    unit = report.limit / _WIDTH
    cells = {part: max(round(n / unit), 1) for part, n in report.parts.items() if n}
    free = max(_WIDTH - sum(cells.values()), 0)
    bar = Text()
    for part, number in cells.items():
        if part == "reserve":
            bar.append("·" * free, "dim")
        bar.append("█" * number, _COLOURS[part])
    return bar


def _table(report: Report) -> Table:
    from rich.table import Table
    from rich.text import Text

    table = Table("part", box=None, pad_edge=False)
    table.add_column("tokens", justify="right")
    table.add_column("of the limit", justify="right")
    table.add_column("")
    notes = {
        "tools": "" if report.parts["tools"] else "each is shown when a question calls for it",
        "summary": report.summary,
        "window": f"{report.turns} turns since" if report.summary else f"{report.turns} turns",
        "memories": f"{report.memories} memories",
        "reserve": "for the reply",
    }
    for part, tokens in report.parts.items():
        name = Text(part, _COLOURS[part])
        table.add_row(name, f"{tokens:,}", f"{tokens / report.limit:.0%}", notes.get(part, ""))
    return table


def _remarks(report: Report) -> list[str]:
    left_out = [f"left out: {each.what}: {each.why}" for each in report.left_out]
    return [*report.kept, *report.aged, *left_out]
