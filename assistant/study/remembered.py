"""What memory keeps of studying: the current plan and each course's progress, by subject."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta

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
    name: str, group: str, standings: Sequence[Standing], entry: Entry, language: str
) -> Draft:
    """Return a course's progress after a check-in; the newest of a course is the current one."""
    said = entry.said
    total = sum(s.task.minutes for s in standings)
    earned = sum(s.earned for s in standings)
    done = sum(s.complete for s in standings)
    percent = round(100 * earned / total) if total else 0
    spent, whole = spoken(earned, language), spoken(total, language)
    if language == "zh":
        state = (
            f"已完成 {whole} 中的 {spent}（{percent}%），{len(standings)} 项任务完成 {done} 项。"
        )
        text = f"截至 {said.day}，{name} 的学习进度：{state if total else ''}"
        text += "（该打卡已撤销）" if entry.removed else f"打卡：{said.note}"
    else:
        state = f"{spent} of {whole} ({percent}%), {done} of {len(standings)} tasks done. "
        text = f"Progress in {name} as of {said.day}: {state if total else ''}"
        text += "(This check-in was undone.)" if entry.removed else f"Check-in: {said.note}"
    return Draft(
        kind="fact",
        text=f"{text} [{entry.id}.{entry.revision}]",
        subject=progress_subject(group),
        origin="user",
    )
