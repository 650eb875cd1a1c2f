"""`assistant chat`: the interactive conversation."""

from __future__ import annotations

from typing import Annotated

import typer

app = typer.Typer()


@app.command()
def chat(
    ctx: typer.Context,
    session: Annotated[
        str | None, typer.Option(help="Continue this session; a new name makes a new one.")
    ] = None,
    latest: Annotated[
        bool, typer.Option("--continue", help="Continue the session used last.")
    ] = False,
) -> None:
    """Talk with the assistant; /help lists what you can type."""
    import sys

    from assistant.cli.conversation import Conversation
    from assistant.cli.due import catching_up
    from assistant.cli.invocation import opened
    from assistant.cli.lines import piped_lines, typed_lines
    from assistant.errors import UserError
    from assistant.phrases import phrase, say

    if session is not None and latest:
        hint = phrase("input.session_or_latest_hint")
        raise UserError(phrase("input.session_or_latest"), hint=hint)
    with opened(ctx, confirms=True) as app:
        here = app.sessions.latest() if latest else app.sessions.find(session) if session else None
        conversation = Conversation(app, here, session)
        if not sys.stdin.isatty():
            conversation.hold(piped_lines())
            return
        name = here.label if here else session
        key = "chat.welcome" if name else "chat.welcome_new"
        typer.echo(say(key, conversation.language, name=name))
        conversation.hold(catching_up(app, ctx.obj, typed_lines(conversation)))
