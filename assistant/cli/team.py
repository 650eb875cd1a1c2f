"""`assistant team`: lets several agents work on one request."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Annotated

import typer

from assistant.cli.options import AsJson
from assistant.phrases import phrase, say

if TYPE_CHECKING:
    from assistant.context.wording import Language
    from assistant.teams.message import TeamMessage

app = typer.Typer(no_args_is_help=True)


@app.callback()
def _team() -> None:  # pyright: ignore[reportUnusedFunction]
    """Run a team of agents from a file."""


@app.command()
def run(
    ctx: typer.Context,
    file: Annotated[
        str, typer.Argument(help="A team's YAML file: study_plan, data_report, yours.")
    ],
    text: Annotated[
        str | None, typer.Argument(help="The request; '-' reads standard input.")
    ] = None,
    messages: Annotated[
        bool, typer.Option("--messages", help="Print every message between the members.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Run a team on a request; exit code 1 where it could not finish."""
    from assistant.cli.invocation import opened
    from assistant.cli.reading import read_text
    from assistant.cli.views import print_json
    from assistant.errors import RunFailed
    from assistant.teams.asking import ask_team
    from assistant.teams.spec import load_team

    spec = load_team(file)
    request = read_text(text, phrase("input.request"))
    with opened(ctx) as assistant:
        language = assistant.language(request)
        show = partial(_show, language=language)
        with assistant.waiting(phrase("waiting.team")):
            result = ask_team(assistant, spec, request, printer=show if messages else None)
        if as_json:
            sent = [message.model_dump() for message in result.transcript.messages]
            problem = result.problem.text(language) if result.problem else ""
            print_json({"answer": result.answer, "problem": problem, "messages": sent})
            raise typer.Exit(0 if result.finished else 1)
        if result.answer:
            typer.echo(result.answer)
        if not result.finished:
            raise RunFailed(phrase("team.stopped", problem=result.problem))


def _show(message: TeamMessage, language: Language) -> None:
    from assistant.teams.message import USER

    user = phrase("team.user")
    heading = say(
        "team.message",
        language,
        step=message.step,
        sender=user if message.sender == USER else message.sender,
        receiver=user if message.receiver == USER else message.receiver,
        status=phrase(f"team.{message.status}"),
    )
    typer.echo(f"{heading}\n{message.content}\n", err=True)
