"""The pictures that `assistant memory map` and `timeline` write: those of the notebook."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal

from assistant.cli.memory_words import named
from assistant.context.wording import Language
from assistant.errors import UserError
from assistant.phrases import phrase, say
from memory_store.experiments.overview import overview
from memory_store.experiments.pictures import check_path, draw_map, draw_timeline, write
from memory_store.store import MemoryStore

COLUMNS = {
    "created": "memory.created",
    "kind": "memory.kind",
    "verdict": "memory.verdict",
    "topic": "memory.topic",
    "text": "memory.text",
}
"""What the page lists of each memory, and the phrases that head it."""


def draw(
    store: MemoryStore, file: Path, which: Literal["map", "timeline"], language: Language
) -> int:
    """Draw a memory to a file; returns how many chunks it shows.

    Raises:
        InvalidInput: the file's name or folder will not do.
        UserError: nothing is remembered yet.
        ExtraMissing: the `notebooks` extra is not installed.
    """
    check_path(file)
    memory: Any = overview(store)
    if memory.empty:
        hint = phrase("input.nothing_to_draw_hint")
        raise UserError(phrase("input.nothing_to_draw"), hint=hint)
    figure = draw_map(memory) if which == "map" else draw_timeline(memory)
    listed = memory.assign(
        created=memory["created"].dt.strftime("%Y-%m-%d %H:%M"),
        **{name: [named(word, language) for word in memory[name]] for name in ("kind", "verdict")},
    )
    heads = [say(key, language) for key in COLUMNS.values()]
    rows = [heads, *listed[list(COLUMNS)].itertuples(index=False)]
    title = say("memory.map" if which == "map" else "memory.timeline", language, owner=store.owner)
    write(figure, file, title=title, rows=rows)
    return len(memory)
