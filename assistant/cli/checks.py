"""What `doctor` looks at. Every check says what it found; none of them changes anything."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from assistant.app import App
from assistant.cli.problems import explain
from assistant.phrases import phrase, say
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
        yield _guarded(app, name, look)


def _guarded(app: App, name: str, look: Callable[[App], Check]) -> Check:
    try:
        return look(app)
    except Exception as error:
        problem = explain(error, app.language())
        return Check(name, ok=False, detail=problem.message, todo=problem.hint)


def _home(app: App) -> Check:
    home = app.settings.home
    free = shutil.disk_usage(home).free
    open_to_others = home.stat().st_mode & 0o077
    language, values = app.language(), {"home": home, "free": free / 1e9}
    if open_to_others:
        detail = say("doctor.open", language, **values)
        return Check("home", ok=False, detail=detail, todo=f"chmod 700 {home}")
    todo = say("doctor.free_space", language) if free < LITTLE_SPACE else ""
    detail = say("doctor.space", language, **values)
    return Check("home", ok=not todo, detail=detail, todo=todo)


def _settings(app: App) -> Check:
    settings = app.settings
    given = sorted(variable(field) for field in settings.model_fields_set - {"home"})
    files = [name for name in (".env", "config.toml") if (settings.home / name).exists()]
    detail = phrase(
        "doctor.set",
        owner=settings.owner,
        zone=settings.zone,
        language=settings.language,
        given=", ".join(given) or phrase("doctor.nothing"),
    )
    if files:
        detail = phrase("doctor.read", set=detail, files=", ".join(files))
    return Check("settings", ok=True, detail=detail.text(app.language()))


def _memory(app: App) -> Check:
    stats = app.store.stats()
    values = {"memories": stats.chunks, "sessions": stats.sessions, "pending": stats.pending}
    detail = phrase("doctor.stats", **values)
    if stats.holder:
        detail = phrase("doctor.holder", stats=detail, holder=stats.holder)
    return Check("memory", ok=True, detail=detail.text(app.language()))


def _embedder(app: App) -> Check:
    embedder = app.store.embedder
    with app.waiting(phrase("waiting.embedder")):
        embedder.embed(["test"])
    return Check("embedder", ok=True, detail=embedder.fingerprint)


def _tools(app: App) -> Check:
    return Check("tools", ok=True, detail=", ".join(tool.name for tool in app.tools))


def _model(app: App) -> Check:
    model, settings, language = app.model, app.settings, app.language()
    if settings.local:
        from assistant.model.choice import packaged_file

        path = settings.model_path or packaged_file()
        return Check("model", ok=True, detail=say("doctor.local", language, path=path))
    where = settings.openai_base_url or "OpenAI"
    with app.waiting(phrase("waiting.server")):
        names = model.names()
    values = {"model": model.name, "where": where}
    if model.name in names or not names:
        return Check("model", ok=True, detail=say("doctor.remote", language, **values))
    todo = say("doctor.choose", language, names=", ".join(names[:20]))
    return Check("model", ok=False, detail=say("doctor.no_model", language, **values), todo=todo)
