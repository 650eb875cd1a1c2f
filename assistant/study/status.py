"""Progress as the command line's JSON and as words, with the reviews that are due."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from assistant.phrases import Phrase, phrase
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

    def time(minutes: int) -> str:
        return spoken(minutes, language)

    lines = [
        phrase(
            "study.status",
            plan=plan.name,
            version=plan.version,
            at=f"{progress.as_of:%Y-%m-%d %H:%M}",
            planned=time(progress.planned),
            actual=time(progress.actual),
            earned=time(progress.earned),
            total=time(progress.total),
            complete=progress.tasks_done,
            tasks=len(progress.standings),
            spi=progress.spi,
            streak=progress.streak,
        ),
        phrase(
            "study.this_week",
            planned=time(progress.week_planned),
            actual=time(progress.week_actual),
        ),
        _forecast(plan, progress),
    ]
    if progress.overdue:
        first = progress.overdue[0].task.title
        lines.append(phrase("study.overdue", count=len(progress.overdue), first=first))
    if progress.next:
        lines.append(phrase("study.next", tasks=tuple(s.task.title for s in progress.next[:2])))
    if due:
        lines.append(phrase("study.to_review", count=len(due), first=due[0].task.title))
    return "\n".join(line.text(language) for line in lines)


def _forecast(plan: Plan, progress: Progress) -> Phrase:
    if progress.forecast is None:
        return phrase("study.no_pace", end=plan.end)
    if progress.earliest is None or progress.earliest == progress.latest:
        return phrase("study.forecast", forecast=progress.forecast, end=plan.end)
    return phrase(
        "study.forecast_range",
        forecast=progress.forecast,
        earliest=progress.earliest,
        latest=progress.latest or phrase("study.no_end"),
        end=plan.end,
    )


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
