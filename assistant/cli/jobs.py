"""`assistant jobs` and `assistant run-jobs`: what runs on schedule, and what has run."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any

import typer

from assistant.cli.invocation import opened
from assistant.cli.options import AsJson
from assistant.phrases import phrase, say

if TYPE_CHECKING:
    from datetime import datetime

    from assistant.app import App
    from assistant.jobs.job import PastRun
    from assistant.jobs.schedule import CaughtUp

app = typer.Typer(no_args_is_help=True)

FAILED = 1


@app.callback()
def _jobs() -> None:  # pyright: ignore[reportUnusedFunction]
    """What runs on schedule: list, run, history."""


@app.command("list")
def list_(ctx: typer.Context, as_json: AsJson = False) -> None:
    """List the jobs: when each ran last, and when it is due next."""
    from assistant.cli.views import print_json

    with opened(ctx) as app:
        runner, language = app.schedule.runner, app.language()
        rows: list[dict[str, Any]] = [
            {
                "name": job.name,
                "about": job.about.text(language),
                "next": _iso(app, runner.next_time(job)),
                "due_now": runner.due(job, retry=True) is not None,
                "last": next((_data(app, run) for run in runner.history(job.name, 1)), None),
            }
            for job in runner.jobs.values()
        ]
        if as_json:
            print_json(
                {"jobs": rows, "next_reminder": _iso(app, app.schedule.reminders.next_due())}
            )
            return
        for row in rows:
            typer.echo(say("jobs.part", language, name=row["name"], did=row["about"]))
            key, last = "jobs.due_now" if row["due_now"] else "jobs.next", row["last"]
            state = phrase(key, at=_short(row["next"]))
            before = phrase("jobs.last", at=_short(last["at"])) if last else phrase("jobs.not_yet")
            typer.echo("    " + say("jobs.then", language, first=state, then=before))


@app.command()
def run(
    ctx: typer.Context,
    name: Annotated[
        str | None, typer.Argument(help="The job; without it, all that is due.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Run a job now, or all that is due; what was missed is covered by one run."""
    from assistant.cli.views import print_json

    with opened(ctx) as app:
        with app.waiting(phrase("waiting.jobs")):
            done = _one(app, name) if name else app.schedule.catch_up()
        runs = done.runs
        if as_json:
            rows = [_data(app, each) for each in runs]
            print_json({"runs": rows, "reminders": done.reminders, "sent": done.sent})
        else:
            _print(app, runs, none="" if done.reminders else "jobs.nothing_due")
            if done.reminders:
                typer.echo(say("jobs.reminders_due", app.language(), count=done.reminders))
    if any(not each.ok for each in runs):
        raise typer.Exit(FAILED)


@app.command()
def history(
    ctx: typer.Context,
    name: Annotated[str | None, typer.Argument(help="Of this job only.")] = None,
    limit: Annotated[int, typer.Option(min=1, help="At most so many.")] = 20,
    as_json: AsJson = False,
) -> None:
    """Show what has run, newest first, and what has gone out by the notifiers."""
    from assistant.cli.views import print_json

    with opened(ctx) as app:
        runs = app.schedule.runner.history(name, limit)
        sendings = [] if name else app.schedule.outbox.sendings(limit)
        if as_json:
            sent = [
                {
                    "key": each.note.key,
                    "channel": each.channel,
                    "attempts": each.attempts,
                    "sent_at": _iso(app, each.sent_at),
                    "problem": each.problem,
                }
                for each in sendings
            ]
            print_json({"runs": [_data(app, each) for each in runs], "outgoing": sent})
            return
        _print(app, runs, none="jobs.none_run")
        for each in sendings:
            key, at = (
                "jobs.arrived" if each.sent_at else "jobs.waits",
                _short(_iso(app, each.sent_at)),
            )
            told = say(key, app.language(), channel=each.channel, note=each.note.key, at=at)
            typer.echo(told + (f" ({each.problem})" if each.problem else ""))


@app.command("run-jobs", hidden=True)
def run_jobs(ctx: typer.Context) -> None:
    """Keep the scheduler in the foreground until Ctrl-C."""
    import signal
    from threading import Event

    stop = Event()

    def end(_number: int, _frame: object) -> None:
        stop.set()

    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, end)
    with opened(ctx) as app:
        typer.echo(say("jobs.kept", app.language()), err=True)
        app.schedule.serve(lambda each: _print(app, [each]), stop)


def _one(app: App, name: str) -> CaughtUp:
    from assistant.jobs.schedule import CaughtUp

    return CaughtUp((app.schedule.runner.run(name),), 0, app.schedule.outbox.deliver())


def _print(app: App, runs: Sequence[PastRun], *, none: str = "") -> None:
    from assistant.jobs.runner import describe

    for each, line in zip(runs, describe(runs, app.zone, app.language()), strict=True):
        typer.echo(f"{_short(_iso(app, each.at))}  {line}")
    if not runs and none:
        typer.echo(say(none, app.language()))


def _data(app: App, run: PastRun) -> dict[str, Any]:
    return {
        "job": run.job,
        "due": _iso(app, run.due),
        "first_due": _iso(app, run.first_due),
        "covers": run.covers,
        "ok": run.ok,
        "detail": run.detail,
        "at": _iso(app, run.at),
    }


def _iso(app: App, moment: datetime | None) -> str | None:
    return moment.astimezone(app.zone).isoformat(timespec="seconds") if moment else None


def _short(iso: object) -> str:
    return str(iso)[:16].replace("T", " ") if iso else "-"
