"""`assistant restore`: put a backup of the ledger back in its place."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from assistant.cli.invocation import opened
from assistant.cli.options import AsJson

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
        with app.front.waiting("Restoring"):
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
        typer.echo(f"Restored {done.file}.")
        if done.forgotten:
            typer.echo(f"{done.forgotten} memories that you had forgotten stay forgotten.")
        if done.replaced:
            typer.echo(f"What stood there before is kept as {done.replaced}.")
