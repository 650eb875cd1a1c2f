"""A chart of progress as PNG: planned against earned and logged hours, and the forecast."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, timedelta
from itertools import accumulate
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

from assistant.errors import UserError
from assistant.study.availability import sittings
from assistant.study.plan import Plan
from assistant.study.progress import Progress, measure
from assistant.study.study_log import Entry


def draw(plan: Plan, entries: Sequence[Entry], progress: Progress, path: Path) -> None:
    """Write the chart to `path`.

    Raises:
        UserError: matplotlib is not installed, or the file cannot be written.
    """
    try:
        from matplotlib.figure import Figure
    except ImportError:
        hint = "Install it with: pip install matplotlib"
        raise UserError("a chart needs matplotlib, which is not installed.", hint=hint) from None
    today = progress.as_of.date()
    figure: Any = Figure(figsize=(9, 5), layout="constrained")
    axes = figure.add_subplot()
    axes.step(*_planned(plan), where="post", color="#888888", label="planned")
    days = [plan.start + timedelta(days=n) for n in range(max(0, (today - plan.start).days) + 1)]
    axes.step(days, _logged(entries, days), where="post", color="#1f77b4", label="logged")
    axes.step(days, _earned(plan, entries, progress, days), color="#2ca02c", label="done")
    if progress.forecast is not None and progress.forecast > today:
        ends = [today, progress.forecast]
        hours = [progress.earned / 60, progress.total / 60]
        axes.plot(ends, hours, linestyle="--", color="#2ca02c", label="forecast")
        if progress.earliest and progress.latest and progress.earliest < progress.latest:
            bounds = [progress.earliest, progress.latest]
            axes.plot(bounds, [progress.total / 60] * 2, color="#2ca02c", alpha=0.4, linewidth=5)
    axes.axvline(plan.end, color="#bbbbbb", linewidth=1)
    axes.set_ylabel("hours")
    axes.set_title(f"{plan.name} · {today} · SPI {progress.spi:.2f}")
    axes.legend(loc="upper left")
    figure.autofmt_xdate()
    try:
        figure.savefig(path, format="png", dpi=120)
    except OSError as error:
        raise UserError(f"the chart cannot be written to {path}: {error.strerror}.") from None


def _planned(plan: Plan) -> tuple[list[date], list[float]]:
    zone = ZoneInfo(plan.terms.zone)
    by_day: dict[date, float] = {plan.start: 0.0}
    for sitting in sittings(plan):
        day = sitting.end.astimezone(zone).date()
        by_day[day] = by_day.get(day, 0.0) + (sitting.end - sitting.start).total_seconds() / 3600
    days = sorted(by_day)
    return days, list(accumulate(by_day[day] for day in days))


def _logged(entries: Sequence[Entry], days: Sequence[date]) -> list[float]:
    return [sum(e.said.minutes for e in entries if e.said.day <= day) / 60 for day in days]


def _earned(
    plan: Plan, entries: Sequence[Entry], progress: Progress, days: Sequence[date]
) -> list[float]:
    known = {day: [e for e in entries if e.said.day <= day] for day in days}
    return [measure(plan, known[day], progress.as_of).earned / 60 for day in days]
