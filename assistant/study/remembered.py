"""What memory keeps of studying: the current plan and each course's progress, by subject."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta

from assistant.phrases import Phrase, phrase, say
from assistant.study.minutes import spoken
from assistant.study.plan import Plan
from assistant.study.progress import Standing
from assistant.study.render import memory_text
from assistant.study.study_log import Entry
from memory_store import Draft, Freshness

PLAN_TOOL = "read_plan"
"""The tool that makes a remembered plan anew, and whose validator tells its current version."""


def plan_subject(name: str) -> str:
    """Return the subject under which versions of a plan supersede each other."""
    return f"study.plan.{name}"


def progress_subject(course: str) -> str:
    """Return the subject of a course's progress."""
    return f"study.progress.{course}"


def plan_draft(plan: Plan, now: datetime) -> Draft:
    """Return a plan as memory keeps it: to be revalidated against the plan's current version."""
    since = f"{now:%Y-%m-%d %H:%M}"
    head = f"自 {since} 起有效。" if plan.language == "zh" else f"Current since {since}."
    return Draft(
        kind="fact",
        text=f"{memory_text(plan)}\n{head}",
        subject=plan_subject(plan.name),
        freshness=Freshness(
            max_age=timedelta(0),
            validator=PLAN_TOOL,
            tag=str(plan.version),
            call=f'{PLAN_TOOL}(plan="{plan.name}")',
        ),
        origin="assistant",
    )


def progress_draft(
    name: str | Phrase,
    group: str,
    standings: Sequence[Standing],
    entry: Entry,
    *,
    logged: int,
    language: str,
) -> Draft:
    """Return a course's progress after a check-in; the newest of a course is the current one.

    Args:
        logged: the minutes that were logged for it. What they earned is told apart: a task that is
            done earns its planned time, whether it took less or more.
    """
    said = entry.said
    total = sum(s.task.minutes for s in standings)
    earned = sum(s.earned for s in standings)
    note = phrase("study.check_in", note=said.note)
    told = say(
        "study.progress" if total else "study.progress_outside",
        language,
        name=name,
        day=said.day,
        logged=spoken(logged, language),
        earned=spoken(earned, language),
        total=spoken(total, language),
        percent=round(100 * earned / total) if total else 0,
        done=sum(s.complete for s in standings),
        tasks=len(standings),
        note=phrase("study.check_in_undone") if entry.removed else note,
        entry=f"{entry.id}.{entry.revision}",
    )
    return Draft(kind="fact", text=told, subject=progress_subject(group), origin="user")
