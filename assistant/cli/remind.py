"""`assistant remind`: add, list, put off, do and cancel reminders and to-dos."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer.core import TyperGroup

from assistant.cli.invocation import opened
from assistant.cli.options import AsJson
from assistant.phrases import phrase, say

if TYPE_CHECKING:
    from assistant.app import App
    from assistant.jobs.reminders import Reminder


class AddsByDefault(TyperGroup):
    """Takes words that are no command as a reminder to add."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Put `add` before them."""
        if args and args[0] not in self.commands and args[0] != "--help":
            args = ["add", *args]
        return super().parse_args(ctx, args)


app = typer.Typer(cls=AddsByDefault, no_args_is_help=True)

Which = Annotated[str, typer.Argument(help="Its number, or words that stand in it.")]


@app.callback()
def _remind() -> None:  # pyright: ignore[reportUnusedFunction]
    """Reminders and to-dos: assistant remind "tomorrow at 9 call the dentist"."""


@app.command()
def add(
    ctx: typer.Context,
    words: Annotated[list[str], typer.Argument(help="What to do, and when, in your own words.")],
    at: Annotated[
        str | None, typer.Option(help="When, if the words do not say: 'every Monday at 8'.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Add a reminder; without a time, a to-do."""
    from assistant.cli.reading import checked

    said = checked(" ".join(words), phrase("input.reminder"))
    if said.lower().startswith("me "):  # assistant remind me tomorrow …
        said = f"remind {said}"
    with opened(ctx) as app:
        _show(app, app.schedule.reminders.add(said, at), as_json, "remind.noted")


@app.command("list")
def list_(
    ctx: typer.Context,
    every: Annotated[bool, typer.Option("--all", help="Also what is done or cancelled.")] = False,
    as_json: AsJson = False,
) -> None:
    """List what is open, the next due first."""
    from assistant.cli.views import print_json

    with opened(ctx) as app:
        found = app.schedule.reminders.list(None if every else "open")
        if as_json:
            print_json({"reminders": [_data(each, app) for each in found], "count": len(found)})
            return
        for each in found:
            typer.echo(app.schedule.reminders.describe(each))
        if not found:
            typer.echo(say("remind.none_open", app.language()))


@app.command()
def snooze(
    ctx: typer.Context,
    which: Which,
    until: Annotated[list[str], typer.Argument(help="Until when: in 20 minutes, tomorrow at 9.")],
    as_json: AsJson = False,
) -> None:
    """Put one off to a later time."""
    with opened(ctx) as app:
        _show(app, app.schedule.reminders.snooze(which, " ".join(until)), as_json, "remind.put_off")


@app.command()
def done(ctx: typer.Context, which: Which, as_json: AsJson = False) -> None:
    """Mark one as done; one that repeats is due again by its rule."""
    with opened(ctx) as app:
        _show(app, app.schedule.reminders.complete(which), as_json, "remind.done")


@app.command()
def cancel(ctx: typer.Context, which: Which, as_json: AsJson = False) -> None:
    """Take one off the list for good."""
    with opened(ctx) as app:
        _show(app, app.schedule.reminders.cancel(which), as_json, "remind.cancelled")


def _show(app: App, reminder: Reminder, as_json: bool, key: str) -> None:
    from assistant.cli.views import print_json

    if as_json:
        print_json(_data(reminder, app))
    else:
        told = app.schedule.reminders.describe(reminder)
        typer.echo(say(key, app.language(reminder.text), reminder=told))


def _data(reminder: Reminder, app: App) -> dict[str, Any]:
    due, told = reminder.due, reminder.told_at
    return {
        "id": reminder.number,
        "text": reminder.text,
        "due": due.astimezone(app.zone).isoformat() if due else None,
        "repeats": reminder.rule or None,
        "status": reminder.status,
        "overdue": reminder.overdue(app.clock()),
        "told_at": told.astimezone(app.zone).isoformat() if told else None,
    }
