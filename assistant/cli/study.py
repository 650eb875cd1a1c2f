"""`assistant study`: courses, plans, check-ins, progress, adjustments. No model is needed."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from assistant.cli.invocation import opened
from assistant.cli.options import AsJson
from assistant.cli.study_changes import app as changes
from assistant.cli.study_courses import app as courses
from assistant.phrases import phrase, say

app = typer.Typer(no_args_is_help=True)
app.add_typer(courses, name="courses")
app.add_typer(changes)

PlanName = Annotated[str | None, typer.Option("--plan", help="Which plan.", metavar="NAME")]


@app.callback()
def _study() -> None:  # pyright: ignore[reportUnusedFunction]
    """Plan a course of study, log what you did, see where you stand."""


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

    with opened(ctx) as assistant:
        study = assistant.study
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
        with assistant.waiting(phrase("waiting.planning")):
            made = study.make(wish, name)
        if as_json:
            print_json(made.plan.data())
        else:
            print_plan(made, assistant.language(goal))


@app.command()
def log(
    ctx: typer.Context,
    text: Annotated[
        str | None, typer.Argument(help="'2h linear algebra, done, stuck on eigenvalues'")
    ] = None,
    date: Annotated[str | None, typer.Option(help="The day it was (default: today).")] = None,
    task: Annotated[str | None, typer.Option(help="The task's id, where words do not say.")] = None,
    amend: Annotated[
        int | None,
        typer.Option(help="Correct this entry; without TEXT, only its --date or --task."),
    ] = None,
    undo: Annotated[
        bool, typer.Option("--undo", help="Take back the last entry, or the one in TEXT.")
    ] = False,
    every: Annotated[bool, typer.Option("--list", help="Show the log, with its history.")] = False,
    name: PlanName = None,
    as_json: AsJson = False,
) -> None:
    """Log what you did, in one line; correct it or take it back.

    How long: 2h, 1h30, 90 min, half an hour, 1.5小时, 半小时. What: a course's name or topic,
    a task's id, review, project. Done: done, finished, completed, 学完, 完成, with 'part 3' or
    第3部分 for a certain part. Hard: stuck on …, 卡在…. When: yesterday, 昨天, or --date.
    """
    from assistant.cli.reading import read_text
    from assistant.cli.study_views import print_entry, print_log
    from assistant.cli.views import print_json
    from assistant.study.days import read_date

    with opened(ctx) as assistant:
        study = assistant.study
        plan = study.plan(name)
        language = assistant.language(plan.goal)
        if every:
            history = study.log.history(plan.name)
            if as_json:
                print_json({"plan": plan.name, "entries": [entry.data() for entry in history]})
            else:
                print_log(history, study.catalogue.all(), language)
            return
        if undo:
            entry = study.undo_check_in(read_entry(text), plan.name)
        else:
            day = read_date(date, today=study.today, past=True) if date else None
            if text is None and amend is not None:  # only the day or the task is corrected
                said = study.log.find(plan.name, amend).said.note
            else:
                said = read_text(text, phrase("input.check_in"))
            with assistant.waiting(phrase("waiting.logging")):
                entry = study.check_in(said, day=day, task=task, amends=amend, name=plan.name)
        if as_json:
            print_json({"entry": entry.data()})
        else:
            print_entry(plan, entry, study.catalogue.all(), language)


@app.command()
def status(
    ctx: typer.Context,
    chart: Annotated[
        Path | None, typer.Option(help="Also draw planned, done and forecast to this PNG file.")
    ] = None,
    name: PlanName = None,
    as_json: AsJson = False,
) -> None:
    """Show where you stand: planned and done, pace, forecast, what is overdue, next and due."""
    from assistant.cli.study_views import print_status
    from assistant.cli.views import print_json
    from assistant.study.status import status_data

    with opened(ctx) as assistant:
        study = assistant.study
        plan = study.plan(name)
        language = assistant.language(plan.goal)
        progress, due = study.progress(plan.name), study.due(plan.name)
        if chart is not None:
            from assistant.study.chart import draw

            draw(plan, study.log.entries(plan.name), progress, chart, language)
        if as_json:
            print_json(status_data(progress, due))
        else:
            print_status(plan, progress, due, language)
            if chart is not None:
                typer.echo(say("study.chart_written", language, path=chart))


@app.command()
def review(
    ctx: typer.Context,
    task: Annotated[str | None, typer.Argument(help="The topic's task id.")] = None,
    rating: Annotated[str, typer.Argument(help="again, hard, good or easy.")] = "good",
    name: PlanName = None,
    as_json: AsJson = False,
) -> None:
    """Without a topic, list the reviews that are due; with one, record how the review went."""
    from assistant.cli.views import print_json
    from assistant.study.reviews import read_rating

    with opened(ctx) as assistant:
        study = assistant.study
        if task is None:
            due = [
                {"id": item.task.id, "title": item.task.title, "due": item.day.isoformat()}
                for item in study.due(name)
            ]
            if as_json:
                print_json({"reviews_due": due})
            else:
                lines = [f"{item['due']}  {item['id']}  {item['title']}" for item in due]
                typer.echo("\n".join(lines) or say("study.no_review", assistant.language()))
            return
        following = study.review(task, read_rating(rating), name)
        if as_json:
            print_json({"id": task, "next": following.isoformat()})
        else:
            typer.echo(say("study.next_review", assistant.language(), task=task, day=following))


def read_entry(text: str | None) -> int | None:
    """Return the number of a log entry; None for the last one."""
    from assistant.errors import UserError

    if text is None:
        return None
    if not text.strip().isdigit():
        raise UserError(phrase("study.not_an_entry", text=text))
    return int(text)
