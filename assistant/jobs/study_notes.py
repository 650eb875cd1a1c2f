"""What the user is told of their study plans: the daily check-in and the weekly review."""

from __future__ import annotations

from typing import TYPE_CHECKING

from assistant.jobs.job import JobRun

if TYPE_CHECKING:
    from assistant.study.companion import Study
    from assistant.study.plan import Plan
    from assistant.study.progress import Progress

BEHIND = 0.9
"""Below this schedule performance index the weekly review proposes to adjust the plan."""


def check_in_note(study: Study, run: JobRun) -> str | None:
    """Ask for today's check-in of every running plan that has none yet; None: nothing to ask."""
    lines = [
        _check_in(plan, study.progress(plan.name), run)
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
        lines.append(_review(plan, progress, run))
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
    if plan.language == "zh":
        head, tail = "已落后，可以：", f"assistant study adjust --plan {plan.name} --apply 编号"
    else:
        head = "You are behind. You could:"
        tail = f"assistant study adjust --plan {plan.name} --apply NUMBER"
    return [head, *lines, f"  → {tail}"]


def _running(study: Study) -> list[Plan]:
    """The plans that have begun and are not finished."""
    plans = [study.plan(name) for name in study.plans.names()]
    return [
        plan
        for plan in plans
        if plan.start <= study.today
        and not all(standing.complete for standing in study.progress(plan.name).standings)
    ]


def _check_in(plan: Plan, progress: Progress, run: JobRun) -> str:
    coming = progress.next[0].task.title if progress.next else ""
    if plan.language == "zh":
        missed = f"（合并了{run.covers}次提醒）" if run.covers > 1 else ""
        after = f"下一项：{coming}。" if coming else ""
        return (
            f"学习打卡（{plan.name}）{missed}：今天学了什么？{after}"
            '记一行：assistant study log "1.5小时 …"'
        )
    missed = f" (this stands for {run.covers} reminders)" if run.covers > 1 else ""
    after = f" Next: {coming}." if coming else ""
    return (
        f"Study check-in ({plan.name}){missed}: what did you do today?{after}"
        ' Log one line: assistant study log "1.5h …"'
    )


def _review(plan: Plan, progress: Progress, run: JobRun) -> str:
    planned, actual = progress.week_planned / 60, progress.week_actual / 60
    end = progress.forecast or plan.end
    if plan.language == "zh":
        covered = f"（合并了{run.covers}周）" if run.covers > 1 else ""
        return (
            f"每周回顾（{plan.name}）{covered}：本周计划{planned:.1f}小时，实际{actual:.1f}小时；"
            f"进度指数{progress.spi:.2f}，预计{end}完成。"
        )
    covered = f" (covers {run.covers} weeks)" if run.covers > 1 else ""
    return (
        f"Weekly review ({plan.name}){covered}: {actual:.1f} of {planned:.1f} hours this week;"
        f" schedule performance index {progress.spi:.2f}, forecast end {end}."
    )
