"""The pictures that `assistant memory map` and `timeline` write: those of the notebook."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal

from assistant.errors import UserError
from memory_store.experiments.overview import overview
from memory_store.experiments.pictures import check_path, draw_map, draw_timeline, write
from memory_store.store import MemoryStore

COLUMNS = ("created", "kind", "verdict", "topic", "text")


def draw(store: MemoryStore, file: Path, which: Literal["map", "timeline"]) -> int:
    """Draw a memory to a file; returns how many chunks it shows.

    Raises:
        InvalidInput: the file's name or folder will not do.
        UserError: nothing is remembered yet.
        ExtraMissing: the `notebooks` extra is not installed.
    """
    check_path(file)
    memory: Any = overview(store)
    if memory.empty:
        raise UserError(
            "nothing is remembered yet, so there is nothing to draw.",
            hint="Talk to the assistant, or use 'assistant memory add TEXT'.",
        )
    figure = draw_map(memory) if which == "map" else draw_timeline(memory)
    listed = memory.assign(created=memory["created"].dt.strftime("%Y-%m-%d %H:%M"))
    rows = [COLUMNS, *listed[list(COLUMNS)].itertuples(index=False)]
    write(figure, file, title=f"Memory of {store.owner}: {which}", rows=rows)
    return len(memory)
