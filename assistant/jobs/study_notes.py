"""What the user is told of their study plans: the daily check-in and the weekly review."""

from __future__ import annotations

from typing import TYPE_CHECKING

from assistant.jobs.job import JobRun
from assistant.phrases import phrase, say

if TYPE_CHECKING:
    from assistant.study.companion import Study
    from assistant.study.plan import Plan
    from assistant.study.progress import Progress

BEHIND = 0.9
"""Below this schedule performance index the weekly review proposes to adjust the plan."""


def check_in_note(study: Study, run: JobRun) -> str | None:
    """Ask for today's check-in of every running plan that has none yet; None: nothing to ask."""
    lines = [
        _check_in(plan, study.progress(plan.name), run, study.language(plan))
        for plan in _running(study)
        if study.today not in plan.terms.off
        and not any(entry.said.day == study.today for entry in study.log.entries(plan.name))
    ]
    return "\n".join(lines) or None


def review_note(study: Study, run: JobRun) -> str | None:
    """Tell how the week went for every running plan, with proposals where it is behind."""
    lines: list[str] = []
    for plan in _running(study):
        progress = study.progress(plan.name)
        lines.append(_review(plan, progress, run, study.language(plan)))
        if progress.spi < BEHIND:
            lines += _proposals(study, plan)
    return "\n".join(lines) or None


def _proposals(study: Study, plan: Plan) -> list[str]:
    """What can be done about being behind, and how to have it done."""
    from assistant.errors import UserError
    from assistant.study.change import CATCH_UP

    try:
        found = study.propose(CATCH_UP, plan.name)
    except UserError:  # such as a plan whose end has passed: the review is told without
        found = []
    lines = [f"  {proposal.number}. {proposal.summary}" for proposal in found]
    if not lines:
        return []
    language = study.language(plan)
    tail = say("study.note_apply", language, plan=plan.name)
    return [say("study.note_behind", language), *lines, tail]


def _running(study: Study) -> list[Plan]:
    """The plans that have begun and are not finished."""
    plans = [study.plan(name) for name in study.plans.names()]
    return [
        plan
        for plan in plans
        if plan.start <= study.today
        and not all(standing.complete for standing in study.progress(plan.name).standings)
    ]


def _check_in(plan: Plan, progress: Progress, run: JobRun, language: str) -> str:
    coming = phrase("study.note_next", task=progress.next[0].task.title) if progress.next else ""
    key = "study.note_check_in_merged" if run.covers > 1 else "study.note_check_in"
    return say(key, language, plan=plan.name, covers=run.covers, next=coming)


def _review(plan: Plan, progress: Progress, run: JobRun, language: str) -> str:
    return say(
        "study.note_review_merged" if run.covers > 1 else "study.note_review",
        language,
        plan=plan.name,
        covers=run.covers,
        planned=progress.week_planned / 60,
        actual=progress.week_actual / 60,
        spi=progress.spi,
        end=progress.forecast or plan.end,
    )
