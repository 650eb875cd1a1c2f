"""Pictures of a memory and of measurements, drawn with matplotlib on axes or figures."""

from __future__ import annotations

import base64
import re
from collections.abc import Sequence
from functools import cache
from html import escape
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

from memory_store.errors import InvalidInput, StorageFull
from memory_store.extras import needs
from memory_store.html import COLOURS, table
from memory_store.passages import CJK

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from pandas import DataFrame

FONTS = (
    "Noto Sans CJK SC", "Noto Sans SC", "Source Han Sans SC", "Microsoft YaHei", "PingFang SC",
    "Hiragino Sans GB", "SimHei", "WenQuanYi Micro Hei", "WenQuanYi Zen Hei", "Arial Unicode MS",
)  # fmt: skip
"""Fonts that show Chinese; the first one on this machine is used."""


@cache
def chinese_font() -> str | None:
    """The font that shows Chinese here; None: there is none."""
    known = {font.name for font in needs("matplotlib.font_manager").fontManager.ttflist}
    return next((name for name in FONTS if name in known), None)


def label(text: str) -> str:
    """The text as a picture can show it: without a Chinese font, Chinese becomes an ellipsis."""
    return text if chinese_font() else re.sub(f"[{CJK}]+(, [{CJK}]+)*", "…", text)


def new_figure(width: float = 9, height: float = 5) -> Figure:
    """A figure of that many inches that no window holds, in a font that shows Chinese."""
    font = chinese_font()
    matplotlib = needs("matplotlib")
    if font and font not in matplotlib.rcParams["font.family"]:
        matplotlib.rcParams["font.family"] = ["DejaVu Sans", font]
    figure: Figure = needs("matplotlib.figure").Figure(
        figsize=(width, height), layout="constrained"
    )
    return figure


def draw_map(memory: DataFrame) -> Figure:
    """The memory's topics: each chunk a point, similar ones near each other."""
    figure = new_figure()
    axes: Any = figure.add_subplot()
    colours = needs("matplotlib").colormaps["tab10"]
    for number, (topic, group) in enumerate(memory.groupby("topic")):
        old = ~group["verdict"].isin(["fresh", "revalidated"])
        colour = colours(number % 10)
        told = label(f"{topic} ({len(group)})")
        axes.scatter(group["x"][~old], group["y"][~old], color=colour, label=told, s=28)
        axes.scatter(group["x"][old], group["y"][old], color=colour, marker="x", s=28)
    axes.set(xticks=[], yticks=[], title="Topics; × is out of date")
    axes.legend(loc="center left", bbox_to_anchor=(1, 0.5), frameon=False, fontsize=8)
    return figure


def draw_timeline(memory: DataFrame) -> Figure:
    """What was remembered when: each chunk by kind in the colour of its verdict, and the growth."""
    figure = new_figure()
    upper, lower = (figure.add_subplot(2, 1, place) for place in (1, 2))
    top: Any = upper
    kinds = sorted(set(memory["kind"]))
    for verdict, group in memory.groupby("verdict"):
        rows = [kinds.index(kind) + _shift(at) for at, kind in enumerate(group["kind"])]
        colour = COLOURS.get(str(verdict), "#000000")
        top.scatter(group["created"], rows, s=14, color=colour, label=f"{verdict} ({len(group)})")
    top.set(yticks=range(len(kinds)), yticklabels=kinds, title="What was remembered when")
    top.legend(loc="center left", bbox_to_anchor=(1, 0.5), frameon=False, fontsize=8)
    draw_growth(memory, lower)
    top.sharex(lower)
    return figure


def draw_growth(memory: DataFrame, axes: Axes) -> None:
    """How many chunks there were by when, by kind, one upon the other."""
    drawn: Any = axes
    counts: Any = memory.assign(one=1).pivot_table(
        index="created", columns="kind", values="one", aggfunc="sum", fill_value=0
    )
    total = counts.cumsum()
    drawn.stackplot(total.index, *(total[kind] for kind in total), labels=list(total), alpha=0.8)
    drawn.set(ylabel="chunks", ylim=(0, None))
    drawn.legend(loc="center left", bbox_to_anchor=(1, 0.5), frameon=False, fontsize=8)
    drawn.tick_params(axis="x", rotation=30)


def _shift(number: int) -> float:
    """A little up or down, so that points of one time do not hide each other."""
    return ((number * 7) % 11 - 5) / 20


def draw_intervals(summary: DataFrame, by: str, axes: Axes) -> None:
    """Means as points with their confidence intervals, one line a value of `by`."""
    drawn: Any = axes
    names = list(dict.fromkeys(summary[by]))[::-1]
    for measure, group in summary.groupby("measure", sort=False):
        rows: Any = group.set_index(by).reindex(names)
        errors = [(rows["mean"] - rows["low"]).fillna(0), (rows["high"] - rows["mean"]).fillna(0)]
        drawn.errorbar(rows["mean"], range(len(names)), xerr=errors, fmt="o", capsize=3,
                       label=str(measure))  # fmt: skip
    drawn.set(yticks=range(len(names)), yticklabels=[label(str(n)) for n in names], xlim=(0, 1.02))
    drawn.grid(axis="x", alpha=0.3)
    drawn.legend(frameon=False, fontsize=8)


def png(figure: Figure, dpi: int = 110) -> bytes:
    """The figure as a PNG file's bytes."""
    buffer = BytesIO()
    drawn: Any = figure
    drawn.savefig(buffer, format="png", dpi=dpi)
    return buffer.getvalue()


def check_path(path: Path) -> None:
    """Refuse a file that `write` could not write.

    Raises:
        InvalidInput: it ends neither in `.png` nor in `.html`, or its folder is not there.
    """
    if path.suffix.lower() not in (".png", ".html"):
        raise InvalidInput(f"{path.name!r} ends neither in .png nor in .html.")
    if path.is_dir():
        raise InvalidInput(f"{path} is a folder; name a file.")
    if not path.parent.is_dir():
        raise InvalidInput(f"There is no folder {path.parent}.")


def write(figure: Figure, path: Path, *, title: str, rows: Sequence[Sequence[object]] = ()) -> None:
    """Write a figure to a `.png`, or with a table of `rows` (the heads first) to a `.html`.

    Raises:
        InvalidInput: see `check_path`.
        StorageFull: the file cannot be written.
    """
    check_path(path)
    picture = png(figure)
    if path.suffix.lower() == ".html":
        encoded = base64.b64encode(picture).decode()
        listed = table([str(name) for name in rows[0]], rows[1:]) if rows else ""
        page = (
            f'<!doctype html><meta charset="utf-8"><title>{escape(title)}</title>'
            f'<h1>{escape(title)}</h1><img alt="{escape(title)}"'
            f' src="data:image/png;base64,{encoded}">{listed}'
        )
        picture = page.encode()
    try:
        path.write_bytes(picture)
    except OSError as error:
        raise StorageFull(f"{path} cannot be written: {error.strerror}.") from None
