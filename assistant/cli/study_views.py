"""How study is shown to people: courses, plans, progress and proposals."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from assistant.study.course import Course
from assistant.study.echo import echo, unclear
from assistant.study.minutes import spoken
from assistant.study.render import frame, lacking, week_line
from assistant.study.status import bar, status_text, week_rows
from assistant.study.wording import kind_name

if TYPE_CHECKING:
    from rich.console import Console

    from assistant.study.adjust import Proposal
    from assistant.study.making import Made
    from assistant.study.plan import Plan
    from assistant.study.progress import Progress
    from assistant.study.reviews import Due
    from assistant.study.study_log import Entry


def print_courses(courses: Sequence[Course]) -> None:
    """Print courses as a table."""
    from rich.table import Column, Table

    if not courses:
        _console().print("No course found. Add your own: assistant study courses add")
        return
    id_, needs = Column("id", no_wrap=True), Column("needs", overflow="fold")  # ids are typed in
    table = Table(id_, "title", "level", "time", needs, box=None, pad_edge=False)
    for course in courses:
        title = f"{course.title} · {course.title_zh}" if course.title_zh else course.title
        before = ", ".join(course.prerequisites)
        table.add_row(course.id, title, course.level, spoken(course.minutes), before)
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

    return Console(soft_wrap=True)


def print_entry(plan: Plan, entry: Entry, courses: Mapping[str, Course]) -> None:
    """Print how a check-in was read, and how to say it more exactly."""
    print(echo(plan, entry, courses))
    if unclear(entry):
        command = f"assistant study log --amend {entry.id} --task ID"
        print(f"如需指定任务：{command}" if plan.language == "zh" else f"To say which: {command}")


def print_log(history: Sequence[Entry]) -> None:
    """Print the log with every revision."""
    from rich.table import Table

    table = Table("entry", "day", "time", "course", "done", "text", box=None, pad_edge=False)
    for entry in history:
        said = entry.said
        number = f"{entry.id}.{entry.revision}" + (" ✗" if entry.removed else "")
        done = ", ".join(said.done)
        table.add_row(number, f"{said.day}", spoken(said.minutes), said.group, done, said.note)
    _console().print(table)


def print_status(plan: Plan, progress: Progress, due: Sequence[Due]) -> None:
    """Print where a plan stands: sentences, and a table of weeks with bars."""
    from rich.table import Table

    console = _console()
    console.print(status_text(plan, progress, due, plan.language), highlight=False, markup=False)
    zh = plan.language == "zh"
    heads = ("周", "计划", "完成", "") if zh else ("week", "planned", "done", "")
    table = Table(*heads, box=None, pad_edge=False)
    for week, planned, earned in week_rows(plan, progress.standings):
        times = (spoken(minutes, plan.language) for minutes in (planned, earned))
        table.add_row(str(week), *times, bar(earned, planned))
    console.print(table)
    for standing in progress.overdue:
        mark = "逾期" if zh else "overdue"
        console.print(f"{mark}: {standing.task.id} {standing.task.title}", highlight=False)


def print_proposals(plan: Plan, proposals: Sequence[Proposal]) -> None:
    """Print proposals side by side, then each in a sentence."""
    from rich.table import Table

    console = _console()
    zh = plan.language == "zh"
    if not proposals:
        console.print("计划不需要调整。" if zh else "Nothing has to change.")
        return
    heads = (
        ("", "方案", "结束", "周数", "每周最多", "删减", "变动任务")
        if zh
        else ("", "way", "end", "weeks", "at most a week", "left out", "tasks changed")
    )
    table = Table(*heads, box=None, pad_edge=False)
    for item in proposals:
        lost = sum(one.minutes for one in item.lost)
        figures = (spoken(item.minutes_a_week, plan.language), spoken(lost, plan.language))
        new = item.plan
        row = (
            str(item.number),
            kind_name(item.kind, plan.language),
            f"{new.end}",
            str(len(new.weeks)),
            *figures,
        )
        table.add_row(*row, str(item.moved))
    console.print(table)
    for item in proposals:
        console.print(f"{item.number}. {item.summary}", highlight=False, markup=False)
    console.print("保存其中一个：--apply 编号" if zh else "To store one: the same with --apply K")
