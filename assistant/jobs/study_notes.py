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
    """Tell how the week went for every running plan, with a proposal where it is behind."""
    lines = [_review(plan, study.progress(plan.name), run) for plan in _running(study)]
    return "\n".join(lines) or None


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
    behind = progress.spi < BEHIND
    end = progress.forecast or plan.end
    if plan.language == "zh":
        covered = f"（合并了{run.covers}周）" if run.covers > 1 else ""
        told = (
            f"每周回顾（{plan.name}）{covered}：本周计划{planned:.1f}小时，实际{actual:.1f}小时；"
            f"进度指数{progress.spi:.2f}，预计{end}完成。"
        )
        return told + ("已落后：assistant study adjust 会给出调整方案。" if behind else "")
    covered = f" (covers {run.covers} weeks)" if run.covers > 1 else ""
    told = (
        f"Weekly review ({plan.name}){covered}: {actual:.1f} of {planned:.1f} hours this week;"
        f" schedule performance index {progress.spi:.2f}, forecast end {end}."
    )
    return told + (
        " You are behind: 'assistant study adjust' proposes what to change." if behind else ""
    )
