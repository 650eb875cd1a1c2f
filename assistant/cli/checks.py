"""What `doctor` looks at. Every check says what it found; none of them changes anything."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial

from assistant.app import App
from assistant.cli.problems import explain
from assistant.settings import variable

LITTLE_SPACE = 500_000_000
"""Bytes: with less on the disk, writing may soon fail."""


@dataclass(frozen=True, slots=True)
class Check:
    """One thing that was looked at. `todo` says what to do, where there is something."""

    name: str
    ok: bool
    detail: str
    todo: str = ""


def checks(app: App) -> Iterator[Check]:
    """Yield each check as it is done, the quick ones first."""
    looks: dict[str, Callable[[App], Check]] = {
        "home": _home,
        "settings": _settings,
        "memory": _memory,
        "embedder": _embedder,
        "tools": _tools,
        "model": _model,
    }
    for name, look in looks.items():
        yield _guarded(name, partial(look, app))


def _guarded(name: str, look: Callable[[], Check]) -> Check:
    try:
        return look()
    except Exception as error:
        problem = explain(error)
        return Check(name, ok=False, detail=problem.message, todo=problem.hint)


def _home(app: App) -> Check:
    home = app.settings.home
    free = shutil.disk_usage(home).free
    open_to_others = home.stat().st_mode & 0o077
    detail = f"{home}, {free / 1e9:.1f} GB free"
    if open_to_others:
        return Check("home", ok=False, detail=f"{detail}, open to others", todo=f"chmod 700 {home}")
    todo = "Free some disk space." if free < LITTLE_SPACE else ""
    return Check("home", ok=not todo, detail=detail, todo=todo)


def _settings(app: App) -> Check:
    settings = app.settings
    given = sorted(variable(field) for field in settings.model_fields_set - {"home"})
    files = [name for name in (".env", "config.toml") if (settings.home / name).exists()]
    detail = f"owner {settings.owner}, time zone {settings.zone}, language {settings.language}"
    detail += f"; set: {', '.join(given) or 'nothing'}"
    return Check(
        "settings", ok=True, detail=detail + (f"; read: {', '.join(files)}" if files else "")
    )


def _memory(app: App) -> Check:
    stats = app.store.stats()
    detail = f"{stats.chunks} memories of {stats.sessions} sessions, {stats.pending} to be indexed"
    if stats.holder:
        detail += f", index written by {stats.holder}"
    return Check("memory", ok=True, detail=detail)


def _embedder(app: App) -> Check:
    embedder = app.store.embedder
    with app.front.waiting("Loading the embedder"):
        embedder.embed(["test"])
    return Check("embedder", ok=True, detail=embedder.fingerprint)


def _tools(app: App) -> Check:
    return Check("tools", ok=True, detail=", ".join(tool.name for tool in app.tools))


def _model(app: App) -> Check:
    model, settings = app.model, app.settings
    if settings.local:
        from assistant.model.choice import packaged_file

        path = settings.model_path or packaged_file()
        return Check("model", ok=True, detail=f"{path} runs on this machine")
    where = settings.openai_base_url or "OpenAI"
    with app.front.waiting("Asking the model's server"):
        names = model.names()
    if model.name in names or not names:
        return Check("model", ok=True, detail=f"{model.name} at {where}")
    todo = f"Set ASSISTANT_MODEL to one of: {', '.join(names[:20])}."
    return Check("model", ok=False, detail=f"{where} has no model {model.name}", todo=todo)
