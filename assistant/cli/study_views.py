"""How study is shown to people: courses, plans, progress and proposals."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from assistant.study.course import Course
from assistant.study.minutes import spoken
from assistant.study.render import frame, lacking, week_line

if TYPE_CHECKING:
    from rich.console import Console

    from assistant.study.making import Made


def print_courses(courses: Sequence[Course]) -> None:
    """Print courses as a table."""
    from rich.table import Table

    if not courses:
        _console().print("No course found. Add your own: assistant study courses add")
        return
    table = Table("id", "title", "level", "time", "needs", box=None, pad_edge=False)
    for course in courses:
        title = f"{course.title} · {course.title_zh}" if course.title_zh else course.title
        needs = ", ".join(course.prerequisites)
        table.add_row(course.id, title, course.level, spoken(course.minutes), needs)
    _console().print(table)


def print_course(course: Course) -> None:
    """Print all that is known of a course."""
    console = _console()
    low, high = course.hours
    span = f"{low:g}" if low == high else f"{low:g} to {high:g}"
    console.print(f"[bold]{course.title}[/bold] {course.title_zh}", highlight=False)
    console.print(
        f"{course.id} · {course.level} · {course.weeks} weeks of {span} hours:"
        f" {spoken(course.minutes)} in all · {course.language}",
        highlight=False,
    )
    if course.topics:
        console.print("Topics: " + ", ".join(course.topics), highlight=False)
    if course.prerequisites:
        console.print("Needs: " + ", ".join(course.prerequisites), highlight=False)
    if course.url:
        console.print(course.url, highlight=False)


def print_plan(made: Made) -> None:
    """Print a plan that was just made, week by week."""
    console = _console()
    plan = made.plan
    console.print(f"[bold]{plan.goal}[/bold]\n{frame(plan)}", highlight=False)
    for phase, weeks in plan.phase_weeks():
        console.print(f"\n[bold]{phase.title}[/bold]", highlight=False)
        for week in weeks:
            console.print(f"  {week_line(week, plan.language)}", highlight=False)
            for task in week.tasks:
                time = spoken(task.minutes, plan.language)
                console.print(f"    {time:>14}  {task.title}", highlight=False, markup=False)
        console.print(f"  ✓ {phase.self_check}", highlight=False, markup=False)
    for line in lacking(plan):
        console.print(f"\n[bold]![/bold] {line}", highlight=False)
    if made.assumed:
        known = ", ".join(f"{course.id} ({course.title})" for course in made.assumed)
        console.print(f"\nTaken as known: {known}. Add one with --course.", highlight=False)


def _console() -> Console:
    from rich.console import Console

    return Console()
