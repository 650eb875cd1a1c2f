"""`assistant study adjust|diff|undo|export`: changing a plan, and taking it elsewhere."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from assistant.cli.invocation import opened
from assistant.cli.options import AsJson
from assistant.phrases import phrase, say

if TYPE_CHECKING:
    from assistant.study.change import Change
    from assistant.study.companion import Study

app = typer.Typer()

PlanName = Annotated[str | None, typer.Option("--plan", help="Which plan.", metavar="NAME")]


@app.command()
def adjust(
    ctx: typer.Context,
    text: Annotated[
        str | None, typer.Argument(help="What should change, in your own words.")
    ] = None,
    hours: Annotated[float | None, typer.Option(help="Hours a week from now on.")] = None,
    away: Annotated[
        tuple[str, str] | None, typer.Option(help="Days away, both included.", metavar="FROM TO")
    ] = None,
    halve_week: Annotated[int | None, typer.Option(help="Halve this week's hours.")] = None,
    end: Annotated[str | None, typer.Option(help="Another last day.")] = None,
    number: Annotated[
        int | None, typer.Option("--apply", help="Store this proposal.", metavar="K")
    ] = None,
    name: PlanName = None,
    as_json: AsJson = False,
) -> None:
    """Propose ways to change the plan, each with its consequences; store one with --apply."""
    from assistant.cli.study_views import print_proposals
    from assistant.cli.views import print_json

    with opened(ctx) as assistant:
        study = assistant.study
        plan = study.plans.resolve(name)
        change = _change(study, text, hours, away, halve_week, end)
        proposals = study.propose(change, plan)
        found = {"proposals": [proposal.data() for proposal in proposals]}
        if number is None:
            if as_json:
                print_json(found)
            else:
                print_proposals(proposals, assistant.language(study.plan(plan).goal))
            return
        with assistant.waiting(phrase("waiting.changing")):
            stored = study.adjust(change, number, plan)
        if as_json:
            outcome = {"plan": plan, "version": stored.plan.version, "applied": stored.data()}
            print_json({**found, **outcome})
        else:
            new, language = stored.plan, assistant.language(stored.plan.goal)
            typer.echo(say("study.stored", language, version=new.version, summary=stored.summary))
            typer.echo(say("study.stored_next", language))


@app.command()
def diff(
    ctx: typer.Context,
    before: Annotated[int | None, typer.Argument(help="A version (default: the former).")] = None,
    after: Annotated[int | None, typer.Argument(help="A version (default: the current).")] = None,
    name: PlanName = None,
    as_json: AsJson = False,
) -> None:
    """Show what differs between two versions of the plan."""
    from assistant.cli.views import print_json
    from assistant.study.diff import lines

    with opened(ctx) as assistant:
        study = assistant.study
        plan = study.plan(name)
        found = study.diff(before, after, plan.name)
        language = assistant.language(plan.goal)
        told = lines(found, language)
        if as_json:
            versions = {"before": found.before.version, "after": found.after.version}
            print_json({"plan": plan.name, **versions, **found.data()})
        else:
            taken_back = found.before.version > found.after.version
            key = "study.versions_back" if taken_back else "study.versions"
            between = {"before": found.before.version, "after": found.after.version}
            typer.echo(say(key, language, plan=plan.name, **between))
            typer.echo("\n".join(told) or say("study.no_difference", language))


@app.command()
def undo(ctx: typer.Context, name: PlanName = None, as_json: AsJson = False) -> None:
    """Return to the plan's former version."""
    from assistant.cli.views import print_json

    with opened(ctx) as assistant:
        plan = assistant.study.undo(name)
        if as_json:
            print_json(plan.data())
        else:
            values = {"plan": plan.name, "version": plan.version}
            typer.echo(say("study.undone", assistant.language(plan.goal), **values))


@app.command()
def export(
    ctx: typer.Context,
    md: Annotated[bool, typer.Option("--md", help="Markdown.")] = False,
    ics: Annotated[bool, typer.Option("--ics", help="A calendar.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="JSON.")] = False,
    as_csv: Annotated[bool, typer.Option("--csv", help="A table.")] = False,
    out: Annotated[Path | None, typer.Option(help="A file (default: standard output).")] = None,
    force: Annotated[bool, typer.Option("--force", help="Overwrite the file.")] = False,
    name: PlanName = None,
) -> None:
    """Write the plan as Markdown, calendar, JSON or CSV."""
    from assistant.errors import UserError
    from assistant.study.export import export as write

    forms = {"md": md, "ics": ics, "json": as_json, "csv": as_csv}
    chosen = [form for form, wanted in forms.items() if wanted]
    with opened(ctx) as assistant:
        if len(chosen) > 1:
            raise UserError(phrase("study.export_one"))
        study = assistant.study
        plan = study.plan(name)
        numbers = [version.number for version in study.plans.versions(plan.name)]
        former = [study.plan(plan.name, n) for n in numbers if n != plan.version] if ics else []
        text = write(plan, chosen[0] if chosen else "md", study.now, former)
        if out is None:
            sys.stdout.write(text if text.endswith("\n") else text + "\n")
            return
        try:
            with out.open("w" if force else "x", encoding="utf-8", newline="") as file:
                file.write(text)
        except FileExistsError:
            raise UserError(phrase("study.file_exists", path=out)) from None
        except OSError as error:
            said = phrase("study.file_unwritable", path=out, problem=error.strerror)
            raise UserError(said) from None
        typer.echo(say("study.file_written", assistant.language(plan.goal), path=out), err=True)


def _change(
    study: Study,
    text: str | None,
    hours: float | None,
    away: tuple[str, str] | None,
    halve_week: int | None,
    end: str | None,
) -> Change:
    from assistant.errors import UserError
    from assistant.study.change import CATCH_UP, Change, read_change
    from assistant.study.days import read_date
    from assistant.study.minutes import weekly

    given = [value for value in (text, hours, away, halve_week, end) if value is not None]
    if len(given) > 1:
        raise UserError(phrase("study.change_several"))
    today = study.today
    if text is not None:
        return read_change(text, today=today)
    if hours is not None:
        return Change("hours", minutes=weekly(hours))
    if away is not None:
        start = read_date(away[0], today=today)
        return Change("away", start=start, end=read_date(away[1], today=start))
    if halve_week is not None:
        return Change("halve", week=halve_week)
    if end is not None:
        return Change("end", end=read_date(end, today=today))
    return CATCH_UP
