"""`assistant doctor`: what is configured, what works, and what to do."""

from __future__ import annotations

import typer

app = typer.Typer()


@app.command()
def doctor(ctx: typer.Context) -> None:
    """What is configured, what works, and what to do."""
