"""A chart of progress as PNG: planned against earned and logged hours, and the forecast."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, timedelta
from itertools import accumulate
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

from assistant.errors import UserError
from assistant.phrases import phrase, say
from assistant.study.availability import sittings
from assistant.study.plan import Plan
from assistant.study.progress import Progress, measure
from assistant.study.study_log import Entry

BLUE, GREEN = "#1f77b4", "#2ca02c"
FONTS = (
    *("Noto Sans CJK SC", "Noto Sans SC", "Source Han Sans SC", "PingFang SC", "Hiragino Sans GB"),
    *("Microsoft YaHei", "SimHei", "WenQuanYi Micro Hei", "WenQuanYi Zen Hei", "Arial Unicode MS"),
)
"""Fonts with Chinese letters, the first that is installed is used."""


def draw(
    plan: Plan, entries: Sequence[Entry], progress: Progress, path: Path, language: str
) -> None:
    """Write the chart to `path`; without a Chinese font, its words are English.

    Raises:
        UserError: matplotlib is not installed, or the file cannot be written.
    """
    try:
        import matplotlib
    except ImportError:
        hint = phrase("study.chart_install")
        raise UserError(phrase("study.chart_needs"), hint=hint) from None
    font = _chinese_font()
    drawing: Any = matplotlib
    with drawing.rc_context({"font.family": [font, "DejaVu Sans"]} if font else {}):
        figure = _figure(plan, entries, progress, language if font else "en")
        try:
            figure.savefig(path, format="png", dpi=150)
        except OSError as error:
            problem = error.strerror
            raise UserError(phrase("study.chart_unwritable", path=path, problem=problem)) from None


def _figure(plan: Plan, entries: Sequence[Entry], progress: Progress, language: str) -> Any:
    from matplotlib.dates import AutoDateLocator, ConciseDateFormatter
    from matplotlib.figure import Figure

    def word(key: str, **values: object) -> str:
        return say(f"study.chart_{key}", language, **values)

    today = progress.as_of.date()
    figure: Any = Figure(figsize=(10, 5.5), layout="constrained")
    axes = figure.add_subplot()
    axes.step(*_planned(plan), where="post", color="#888888", label=word("planned"))
    days = [plan.start + timedelta(days=n) for n in range(max(0, (today - plan.start).days) + 1)]
    axes.step(days, _logged(entries, days), where="post", color=BLUE, label=word("logged"))
    earned = _earned(plan, entries, progress, days)
    axes.step(days, earned, where="post", color=GREEN, label=word("earned"))
    if progress.forecast is not None and progress.forecast > today:
        ends, top = [today, progress.forecast], progress.total / 60
        axes.plot(ends, [earned[-1], top], linestyle="--", color=GREEN, label=word("forecast"))
        if progress.earliest and progress.latest and progress.earliest < progress.latest:
            bounds = [progress.earliest, progress.latest]
            range_ = {"color": GREEN, "alpha": 0.35, "linewidth": 6, "solid_capstyle": "butt"}
            axes.plot(bounds, [top, top], label=word("range"), **range_)
    axes.axvline(today, color="#444444", linewidth=1, linestyle=":", label=word("today"))
    axes.axvline(plan.end, color="#bb4444", linewidth=1, label=word("end"))
    locator = AutoDateLocator(minticks=4, maxticks=10)
    axes.xaxis.set_major_locator(locator)
    axes.xaxis.set_major_formatter(ConciseDateFormatter(locator))
    axes.set_ylim(bottom=0)
    axes.margins(x=0.02)
    axes.grid(axis="y", color="#eeeeee")
    axes.set_axisbelow(True)
    axes.spines[["top", "right"]].set_visible(False)
    axes.set_ylabel(word("hours"))
    name = plan.name if language == "zh" or plan.name.isascii() else ""
    axes.set_title(word("title", plan=name, day=today, spi=progress.spi).removeprefix(" · "))
    figure.legend(loc="outside lower center", ncols=4, frameon=False)
    return figure


def _chinese_font() -> str | None:
    from matplotlib.font_manager import fontManager

    installed = {font.name for font in fontManager.ttflist}
    return next((font for font in FONTS if font in installed), None)


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
