"""An assistant over a home that is thrown away: for trials of evaluations and members of teams."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

from assistant.app import App
from assistant.model.choice import ListedModel
from assistant.settings import Settings
from memory_store.protocols import Clock, Embedder


@contextmanager
def throwaway(
    settings: Settings, home: Path, *, clock: Clock, model: ListedModel, embedder: Embedder
) -> Generator[App]:
    """An assistant of these settings, but with its own home and without the user's tools."""
    settings = settings.model_copy(update={"home": home, "tools": None})
    with App.open(settings, clock=clock) as app:
        app.model = model
        app.embedder = embedder
        yield app
