"""How study is shown to people: courses, plans, progress and proposals."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from assistant.phrases import phrase, say
from assistant.study.course import Course
from assistant.study.echo import echo, group_name, unclear
from assistant.study.minutes import spoken
from assistant.study.render import frame, lacking, week_line
from assistant.study.status import bar, status_text, week_rows
from assistant.study.wording import kind_name

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

    from assistant.study.adjust import Proposal
    from assistant.study.making import Made
    from assistant.study.plan import Plan
    from assistant.study.progress import Progress
    from assistant.study.reviews import Due
    from assistant.study.study_log import Entry


def print_courses(courses: Sequence[Course], language: str) -> None:
    """Print courses as a table."""
    from rich.markup import escape
    from rich.table import Column, Table

    if not courses:
        print(say("study.none_found", language))
        return
    id_, *heads, needs = say("study.course_heads", language).split("|")
    whole, folded = Column(id_, no_wrap=True), Column(needs, overflow="fold")  # ids are typed in
    table = Table(whole, *heads, folded, box=None, pad_edge=False)
    for course in courses:
        title = f"{course.title} · {course.title_zh}" if course.title_zh else course.title
        before = ", ".join(course.prerequisites)
        time = spoken(course.minutes, language)
        table.add_row(
            course.id, escape(title), say(f"study.{course.level}", language), time, before
        )
    _console().print(table)


def print_course(course: Course, language: str) -> None:
    """Print all that is known of a course."""
    low, high = course.hours
    span = f"{low:g}" if low == high else f"{low:g} – {high:g}"
    print(f"{course.title} {course.title_zh}".strip())
    print(
        say(
            "study.course",
            language,
            id=course.id,
            level=phrase(f"study.{course.level}"),
            weeks=course.weeks,
            span=span,
            time=spoken(course.minutes, language),
            taught=course.language,
        )
    )
    if course.topics:
        print(say("study.topics", language, topics=course.topics))
    if course.prerequisites:
        print(say("study.needs", language, courses=course.prerequisites))
    if course.url:
        print(course.url)


def print_plan(made: Made, language: str) -> None:
    """Print a plan that was just made, week by week."""
    console = _console()
    plan = made.plan

    def show(text: str, style: str | None = None) -> None:
        console.print(text, style=style, highlight=False, markup=False)

    show(plan.goal, "bold")
    show(frame(plan))
    for phase, weeks in plan.phase_weeks():
        show(f"\n{phase.title}", "bold")
        for week in weeks:
            show(f"  {week_line(week, plan.language)}")
            for task in week.tasks:
                time = spoken(task.minutes, plan.language)
                show(f"    {time:>14}  {task.title}")
        show(f"  ✓ {phase.self_check}")
    for line in lacking(plan):
        show(f"\n! {line}")
    if made.by_meaning:
        show("\n" + say("study.by_meaning", language))
    if made.assumed:
        known = tuple(f"{course.id} ({course.title})" for course in made.assumed)
        show("\n" + say("study.assumed", language, courses=known))


def print_entry(plan: Plan, entry: Entry, courses: Mapping[str, Course], language: str) -> None:
    """Print how a check-in was read, and how to say it more exactly."""
    print(echo(plan, entry, courses, language))
    if unclear(entry):
        print(say("study.say_which", language, entry=entry.id))


def print_log(history: Sequence[Entry], courses: Mapping[str, Course], language: str) -> None:
    """Print every entry that counts, and what it said before; lines, so that no id is cut."""
    newest = {entry.id: entry.revision for entry in history}
    for entry in history:
        said, name = entry.said, group_name(entry.said.group, courses, language)
        time = spoken(said.minutes, language)
        line = say("study.entry", language, entry=entry.id, day=said.day, time=time, name=name)
        gone = entry.removed or entry.revision < newest[entry.id]
        print(f"{'✗' if gone else ' '} {line}")
        print(f"      {said.note}")
        if said.done:
            print(f"      {say('study.done', language, tasks=said.done)}")
    if not history:
        print(say("study.log_empty", language))


def print_status(plan: Plan, progress: Progress, due: Sequence[Due], language: str) -> None:
    """Print where a plan stands: sentences, and a table of weeks with bars."""
    console = _console()
    console.print(status_text(plan, progress, due, language), highlight=False, markup=False)
    table = _table("study.week_heads", language)
    for week, planned, earned in week_rows(plan, progress.standings):
        times = (spoken(minutes, language) for minutes in (planned, earned))
        table.add_row(str(week), *times, bar(earned, planned))
    console.print(table)
    for standing in progress.overdue:
        values = {"task": standing.task.id, "title": standing.task.title}
        console.print(say("study.overdue_mark", language, **values), highlight=False, markup=False)


def print_proposals(proposals: Sequence[Proposal], language: str) -> None:
    """Print proposals side by side, then each in a sentence."""
    console = _console()
    if not proposals:
        console.print(say("study.nothing_to_change", language))
        return
    table = _table("study.proposal_heads", language)
    for item in proposals:
        lost = sum(one.minutes for one in item.lost)
        figures = (spoken(item.minutes_a_week, language), spoken(lost, language))
        new = item.plan
        row = (
            str(item.number),
            kind_name(item.kind, language),
            f"{new.end}",
            str(len(new.weeks)),
            *figures,
        )
        table.add_row(*row, str(item.moved))
    console.print(table)
    for item in proposals:
        console.print(f"{item.number}. {item.summary}", highlight=False, markup=False)
    console.print(say("study.to_apply", language), highlight=False)


def _console() -> Console:
    from rich.console import Console

    return Console(soft_wrap=True)


def _table(heads: str, language: str) -> Table:
    from rich.table import Table

    return Table(*say(heads, language).split("|"), box=None, pad_edge=False)
