"""`assistant context` and `/context`: what the next request would hold, in tokens, and why."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from assistant.cli.options import AsJson
from assistant.phrases import in_words, phrase, say

if TYPE_CHECKING:
    from rich.table import Table
    from rich.text import Text

    from assistant.app import App
    from assistant.context.report import Report
    from assistant.context.wording import Language
    from assistant.sessions import Session

app = typer.Typer()

_LOOKS = {
    "system": ("█", "blue"),
    "tools": ("▓", "cyan"),
    "summary": ("▒", "magenta"),
    "window": ("█", "green"),
    "memories": ("▓", "yellow"),
    "question": ("▒", "red"),
    "steps": ("█", "bright_black"),
    "free": ("·", "dim"),
    "reserve": ("░", "white"),
}
"""How each part is drawn; neighbours differ without colours too."""
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
            key = "input.no_session_yet" if session is None else "input.no_session"
            hint = phrase("input.no_session_hint")
            raise UserError(phrase(key, name=session), hint=hint)
        if as_json:
            report = assistant.agent.preview(found, text or "")
            print_json({"session": found.label, **report.as_json()})
        else:
            language = assistant.language(text or sessions.last_question(found))
            show_context(assistant, found, text or "", language=language)


def show_context(
    assistant: App, session: Session, question: str = "", *, language: Language
) -> None:
    """Print what the session's next request would hold."""
    from assistant.cli.views import console

    report = assistant.agent.preview(session, question)
    screen = console()
    screen.print(_headline(report, language))
    screen.print(_bar(report))
    screen.print(_table(report, language))
    for line in _remarks(report, language):
        screen.print(line, style="dim", markup=False, highlight=False)


def _headline(report: Report, language: Language) -> str:
    known = report.ratio is not None
    return say(
        "budget.headline",
        language,
        tokens=f"{report.tokens:,}",
        room=f"{report.limit - report.reserve:,}",
        model=report.model,
        encoding=report.encoding,
        ratio=f"{report.ratio:.3f}" if known else phrase("budget.ratio_unknown"),
    )


def _drawn(report: Report) -> dict[str, int]:
    """Return the parts in their order, what is free before the reserve."""
    parts = dict(report.parts)
    reserve = parts.pop("reserve")
    return {**parts, "free": max(report.limit - report.tokens - reserve, 0), "reserve": reserve}


def _bar(report: Report) -> Text:
    """Return the parts as one bar, as wide as the limit."""
    from rich.text import Text

    parts = _drawn(report)
    unit = report.limit / _WIDTH
    cells = {part: max(round(n / unit), 1) for part, n in parts.items() if n and part != "free"}
    free = max(_WIDTH - sum(cells.values()), 0)
    bar = Text()
    for part in parts:
        mark, colour = _LOOKS[part]
        bar.append(mark * (free if part == "free" else cells.get(part, 0)), colour)
    return bar


def _table(report: Report, language: Language) -> Table:
    from rich.table import Table
    from rich.text import Text

    table = Table("", box=None, pad_edge=False)
    table.add_column(say("budget.tokens", language), justify="right")
    table.add_column(say("budget.share", language), justify="right")
    table.add_column("")
    since = "budget.turns_since" if report.summary else "budget.turns"
    notes = {
        "tools": "" if report.parts["tools"] else say("budget.no_tools", language),
        "summary": in_words(report.summary, language),
        "window": say(since, language, turns=report.turns),
        "memories": say("budget.found", language, memories=report.memories),
        "reserve": say("budget.for_reply", language),
    }
    for part, tokens in _drawn(report).items():
        mark, colour = _LOOKS[part]
        name = Text(f"{mark} {say(f'budget.{part}', language)}", colour)
        table.add_row(name, f"{tokens:,}", f"{tokens / report.limit:.0%}", notes.get(part, ""))
    return table


def _remarks(report: Report, language: Language) -> list[str]:
    left_out = [
        say("budget.left_out", language, what=each.what, why=each.why) for each in report.left_out
    ]
    told = [reason.text(language) for reason in (*report.kept, *report.aged)]
    return [*told, *left_out]
