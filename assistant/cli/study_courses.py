"""`assistant study courses`: search, add, import and show what can be studied."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from assistant.cli.invocation import opened
from assistant.cli.options import AsJson
from assistant.phrases import phrase, say

if TYPE_CHECKING:
    from assistant.study.course import Course

app = typer.Typer(no_args_is_help=True)


@app.callback()
def _courses() -> None:  # pyright: ignore[reportUnusedFunction]
    """Search, add, import and show courses."""


@app.command()
def search(
    ctx: typer.Context,
    query: Annotated[str, typer.Argument(help="A topic, in English or Chinese.")] = "",
    level: Annotated[str | None, typer.Option(help="beginner, intermediate or advanced.")] = None,
    limit: Annotated[int, typer.Option(min=1, help="At most so many.")] = 20,
    words: Annotated[bool, typer.Option("--words", help="By words only: faster.")] = False,
    as_json: AsJson = False,
) -> None:
    """Find courses by words and by meaning; without a query, list them all."""
    from assistant.cli.study_views import print_courses
    from assistant.cli.views import print_json
    from assistant.study.course import read_level

    with opened(ctx) as assistant:
        study = assistant.study
        embedder = study.embedder() if query.strip() and not words else None
        with assistant.waiting(phrase("waiting.searching")):
            found = study.catalogue.search(query, level=read_level(level), embedder=embedder)
        kept = found[:limit] if query.strip() else found
        if as_json:
            rows = [{**item.course.data(), "score": item.score} for item in kept]
            print_json({"query": query, "courses": rows, "count": len(rows)})
        else:
            print_courses([item.course for item in kept], assistant.language())


@app.command()
def show(
    ctx: typer.Context,
    course: Annotated[str, typer.Argument(help="The course's id.")],
    as_json: AsJson = False,
) -> None:
    """Show one course."""
    from assistant.cli.study_views import print_course
    from assistant.cli.views import print_json

    with opened(ctx) as assistant:
        found = assistant.study.catalogue.get(course)
        if as_json:
            print_json(found.data())
        else:
            print_course(found, assistant.language())


@app.command()
def add(
    ctx: typer.Context,
    title: Annotated[str, typer.Argument(help="The course's title.")],
    weeks: Annotated[str, typer.Option(help="How many weeks it takes.")],
    hours: Annotated[str, typer.Option(help="Hours a week: 6 or 4-8.")],
    identifier: Annotated[str | None, typer.Option("--id", help="Default: from the title.")] = None,
    level: Annotated[str, typer.Option(help="beginner, intermediate or advanced.")] = "beginner",
    topic: Annotated[
        list[str] | None, typer.Option(help="What it is about; again for more.")
    ] = None,
    prerequisite: Annotated[
        list[str] | None, typer.Option(help="Id of a course before it; again for more.")
    ] = None,
    url: Annotated[str, typer.Option(help="Where it is.")] = "",
    language: Annotated[str, typer.Option(help="Its language: en, zh …")] = "en",
    as_json: AsJson = False,
) -> None:
    """Add a course of your own."""
    from assistant.study.course import read_course

    fields = {
        "id": identifier,
        "title": title,
        "weeks": weeks,
        "hours": hours,
        "level": level,
        "topics": topic,
        "prerequisites": prerequisite,
        "url": url,
        "language": language,
    }
    _store(ctx, lambda: [read_course(fields, title)], as_json)


@app.command("import")
def import_(
    ctx: typer.Context,
    file: Annotated[Path, typer.Argument(help="A .csv or .yaml file of courses.")],
    as_json: AsJson = False,
) -> None:
    """Import courses, all or none."""
    from assistant.study.catalogue import read_file

    _store(ctx, lambda: read_file(file), as_json)


def _store(ctx: typer.Context, read: Callable[[], list[Course]], as_json: bool) -> None:
    from assistant.cli.views import print_json

    with opened(ctx) as assistant:
        courses = read()
        assistant.study.catalogue.add(courses)
        if as_json:
            print_json({"added": [course.data() for course in courses], "count": len(courses)})
        else:
            names = tuple(f"{course.id} ({course.title})" for course in courses)
            typer.echo(say("study.added", assistant.language(), courses=names))
