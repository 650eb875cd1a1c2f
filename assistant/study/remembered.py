"""What memory keeps of studying: the current plan and each course's progress, by subject."""

from __future__ import annotations

from datetime import datetime, timedelta

from assistant.study.plan import Plan
from assistant.study.render import memory_text
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
