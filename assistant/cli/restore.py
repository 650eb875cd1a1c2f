"""`assistant restore`: put a backup of the ledger back in its place."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from assistant.cli.invocation import opened
from assistant.cli.options import AsJson
from assistant.phrases import phrase, say

app = typer.Typer()


@app.command()
def restore(
    ctx: typer.Context,
    file: Annotated[Path, typer.Argument(help="A backup, or its name in the home's 'backups'.")],
    as_json: AsJson = False,
) -> None:
    """Put a backup back; what was forgotten since stays forgotten, what is replaced is kept."""
    from assistant.cli.views import print_json

    with opened(ctx) as app:
        backups = app.backups
        inside = backups.folder / file.name
        chosen = inside if not file.exists() and inside.exists() else file
        with app.waiting(phrase("waiting.restoring")):
            done = backups.restore(chosen)
        if as_json:
            print_json(
                {
                    "restored": str(done.file),
                    "made_at": done.made_at.isoformat() if done.made_at else None,
                    "forgotten": done.forgotten,
                    "replaced": str(done.replaced) if done.replaced else None,
                }
            )
            return
        language = app.language()
        typer.echo(say("jobs.restored", language, file=done.file))
        if done.forgotten:
            typer.echo(say("jobs.stay_forgotten", language, count=done.forgotten))
        if done.replaced:
            typer.echo(say("jobs.replaced", language, file=done.replaced))
