"""Progress as the command line's JSON and as words, with the reviews that are due."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from assistant.study.minutes import spoken, to_hours
from assistant.study.plan import Plan
from assistant.study.progress import Progress, Standing
from assistant.study.reviews import Due


def status_data(progress: Progress, due: Sequence[Due]) -> dict[str, Any]:
    """Return the status as the command line's JSON has it."""
    return {
        "as_of": progress.as_of.isoformat(),
        "planned_hours": to_hours(progress.planned),
        "actual_hours": to_hours(progress.actual),
        "spi": round(progress.spi, 4),
        "streak": progress.streak,
        "forecast_end": progress.forecast.isoformat() if progress.forecast else None,
        "overdue": [_task(standing) for standing in progress.overdue],
        "next": [_task(standing) for standing in progress.next],
        "reviews_due": [
            {"id": item.task.id, "title": item.task.title, "due": item.day.isoformat()}
            for item in due
        ],
    }


def status_text(plan: Plan, progress: Progress, due: Sequence[Due], language: str) -> str:
    """Return the status in sentences, every figure computed here."""
    zh = language == "zh"

    def time(minutes: int) -> str:
        return spoken(minutes, language)

    titles = "、".join(s.task.title for s in progress.next[:2])
    if zh:
        lines = [
            f"计划“{plan.name}”（第 {plan.version} 版），截至 {progress.as_of:%Y-%m-%d %H:%M}："
            f"应学 {time(progress.planned)}，实学 {time(progress.actual)}，"
            f"完成 {time(progress.earned)}（共 {time(progress.total)}），"
            f"任务 {progress.tasks_done}/{len(progress.standings)}，进度指数 {progress.spi:.2f}，"
            f"连续学习 {progress.streak} 天。",
            f"本周计划 {time(progress.week_planned)}，已学 {time(progress.week_actual)}。",
            _forecast(plan, progress, zh=True),
        ]
        if progress.overdue:
            lines.append(
                f"逾期 {len(progress.overdue)} 项，最早的是《{progress.overdue[0].task.title}》。"
            )
        lines += [f"接下来：{titles}。"] if titles else []
        lines += [f"今天该复习 {len(due)} 项：{due[0].task.title}等。"] if due else []
        return "\n".join(lines)
    lines = [
        f"Plan '{plan.name}' (version {plan.version}), as of {progress.as_of:%Y-%m-%d %H:%M}:"
        f" {time(progress.planned)} planned, {time(progress.actual)} studied,"
        f" {time(progress.earned)} of {time(progress.total)} done,"
        f" {progress.tasks_done} of {len(progress.standings)} tasks,"
        f" schedule performance {progress.spi:.2f}, streak {progress.streak}"
        f" {'day' if progress.streak == 1 else 'days'}.",
        f"This week: {time(progress.week_actual)} of {time(progress.week_planned)}.",
        _forecast(plan, progress, zh=False),
    ]
    if progress.overdue:
        count = len(progress.overdue)
        lines.append(f"Overdue: {count}, the oldest is {progress.overdue[0].task.title}.")
    lines += [f"Next: {titles.replace('、', '; ')}."] if titles else []
    lines += [f"To review today: {len(due)}, first {due[0].task.title}."] if due else []
    return "\n".join(lines)


def _forecast(plan: Plan, progress: Progress, *, zh: bool) -> str:
    if progress.forecast is None:
        return (
            f"最近没有进展，无法预测完成日期（计划 {plan.end}）。"
            if zh
            else f"No progress of late, so no end can be forecast (planned: {plan.end})."
        )
    span = ""
    if progress.earliest and progress.earliest != progress.latest:
        latest = progress.latest or ("不确定" if zh else "no end in sight")
        span = (
            f"（{progress.earliest} 至 {latest}）" if zh else f" ({progress.earliest} to {latest})"
        )
    if zh:
        return f"按目前的速度预计 {progress.forecast} 完成{span}，计划 {plan.end}。"
    return f"At this pace it ends on {progress.forecast}{span}; planned: {plan.end}."


def bar(part: int, whole: int, width: int = 20) -> str:
    """Return a bar of characters, filled as far as `part` is of `whole`."""
    filled = min(width, round(width * part / whole)) if whole else 0
    return "█" * filled + "░" * (width - filled)


def week_rows(plan: Plan, standings: Sequence[Standing]) -> list[tuple[int, int, int]]:
    """Return (week, planned minutes, earned minutes) of every week."""
    return [
        (
            week.number,
            week.minutes,
            sum(s.earned for s in standings if s.week.number == week.number),
        )
        for week in plan.weeks
    ]


def _task(standing: Standing) -> dict[str, Any]:
    return {
        "id": standing.task.id,
        "title": standing.task.title,
        "course": standing.task.course,
        "hours": to_hours(standing.left),
        "week": standing.week.number,
        "due": standing.week.end.isoformat(),
    }
