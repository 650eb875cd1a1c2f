"""`assistant study`: courses, plans, check-ins, progress, adjustments. No model is needed."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from assistant.cli.invocation import opened
from assistant.cli.study_courses import app as courses

if TYPE_CHECKING:
    from assistant.study.companion import Study

app = typer.Typer(no_args_is_help=True)
app.add_typer(courses, name="courses")

AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON object.")]
PlanName = Annotated[str | None, typer.Option("--plan", help="Which plan.", metavar="NAME")]


@app.callback()
def _study() -> None:  # pyright: ignore[reportUnusedFunction]
    """Plan a course of study, log what you did, see where you stand."""


@contextmanager
def studying(ctx: typer.Context) -> Generator[Study]:
    """Open the assistant and return its study companion."""
    with opened(ctx) as assistant:
        yield assistant.study


@app.command()
def plan(
    ctx: typer.Context,
    goal: Annotated[str, typer.Argument(help="What you want to learn, in your own words.")],
    start: Annotated[str | None, typer.Option(help="First day (default: today).")] = None,
    end: Annotated[str | None, typer.Option(help="Last day.")] = None,
    weeks: Annotated[int | None, typer.Option(help="How many weeks.")] = None,
    hours: Annotated[float | None, typer.Option(help="Hours a week for this plan.")] = None,
    level: Annotated[
        str | None, typer.Option(help="beginner, intermediate or advanced: where you are.")
    ] = None,
    course: Annotated[list[str] | None, typer.Option(help="A course's id; again for more.")] = None,
    off: Annotated[
        list[str] | None, typer.Option(help="Days off: 2027-05-01,2027-05-10..2027-05-14")
    ] = None,
    load: Annotated[
        list[str] | None, typer.Option(help="Other hours in one week: 3=4", metavar="WEEK=HOURS")
    ] = None,
    calendar: Annotated[
        Path | None, typer.Option(help="An .ics file or folder to read as busy time.")
    ] = None,
    total: Annotated[
        float | None, typer.Option(help="Hours a week that all your plans share.")
    ] = None,
    name: PlanName = None,
    as_json: AsJson = False,
) -> None:
    """Make a plan: which courses, in which weeks, to the minute."""
    from assistant.cli.study_views import print_plan
    from assistant.cli.views import print_json
    from assistant.study.days import read_date, read_days
    from assistant.study.making import Wish, read_loads

    with studying(ctx) as study:
        wish = Wish(
            goal=goal,
            start=read_date(start, today=study.today) if start else None,
            end=read_date(end, today=study.today) if end else None,
            weeks=weeks,
            hours=hours,
            level=level,
            courses=tuple(course or ()),
            off=read_days(",".join(off or ()), today=study.today),
            loads=read_loads(load or ()),
            total=total,
            calendar=calendar,
        )
        made = study.make(wish, name)
        if as_json:
            print_json(made.plan.data())
        else:
            print_plan(made)
