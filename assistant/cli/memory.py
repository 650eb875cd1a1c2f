"""`assistant memory`: search, list, show, add, forget, move and check what is remembered."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from assistant.cli.invocation import opened
from assistant.cli.options import AsJson
from assistant.phrases import Phrase, phrase, say
from memory_store.chunk import Kind

if TYPE_CHECKING:
    from assistant.app import App

app = typer.Typer(no_args_is_help=True)

MOST = 1_000_000
"""Memories that one command may be asked for."""
Since = Annotated[str | None, typer.Option(help="From this time or date on (ISO 8601).")]
Until = Annotated[str | None, typer.Option(help="Before this time, or up to this date.")]
SessionName = Annotated[str | None, typer.Option(help="What was said in this session.")]
Yes = Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")]
Subject = Annotated[str | None, typer.Option(help="What it is about, such as user.city.")]


@app.callback()
def _memory() -> None:  # pyright: ignore[reportUnusedFunction]
    """Search, list, show, add, forget, move and check what is remembered."""


@app.command()
def search(
    ctx: typer.Context,
    query: Annotated[str | None, typer.Argument(help="In your own words; '-': a pipe.")] = None,
    limit: Annotated[int, typer.Option(min=1, max=MOST, help="At most so many.")] = 10,
    every: Annotated[bool, typer.Option("--all", help="Also what was left out, and why.")] = False,
    as_json: AsJson = False,
) -> None:
    """Find memories by meaning and by words, judged for freshness."""
    from assistant.cli.reading import read_text
    from assistant.cli.views import print_json, print_recall, recall_json

    words = read_text(query, phrase("input.query"))
    with opened(ctx) as app:
        with app.waiting(phrase("waiting.searching")):
            recall = app.store.recall(words, limit=limit)
        if as_json:
            print_json({"query": words, **recall_json(recall)})
        else:
            print_recall(recall, app.zone, app.language(words), every=every)


@app.command("list")
def list_(
    ctx: typer.Context,
    kind: Annotated[Kind | None, typer.Option(help="What is of this kind.")] = None,
    session: SessionName = None,
    subject: Subject = None,
    since: Since = None,
    until: Until = None,
    limit: Annotated[int, typer.Option(min=1, max=MOST, help="The newest so many.")] = 20,
    as_json: AsJson = False,
) -> None:
    """List memories, oldest first."""
    from assistant.cli.reading import read_span
    from assistant.cli.views import memory_json, print_chunks, print_json

    with opened(ctx) as app:
        chunks = app.store.chunks(
            kind=kind,
            session=_session_id(app, session),
            subject=subject,
            within=read_span(since, until, app.zone),
            limit=limit,
        )
        judged = app.store.judge([chunk.id for chunk in chunks])
        if as_json:
            rows = [memory_json(chunk, judged[chunk.id]) for chunk in chunks]
            print_json({"memories": rows, "count": len(rows)})
        else:
            found = [(chunk, judged[chunk.id], chunk.text) for chunk in chunks]
            print_chunks(found, app.store.now, app.zone, app.language())


@app.command()
def show(
    ctx: typer.Context,
    memory: Annotated[str, typer.Argument(help="The memory's id.")],
    as_json: AsJson = False,
) -> None:
    """Show one memory whole: where it is from, how current it is and why."""
    from assistant.cli.controls import without_controls
    from assistant.cli.memory_words import of_chunk
    from assistant.cli.views import chunk_json, print_facts, print_json
    from assistant.context.wording import with_conflicts

    with opened(ctx) as app:
        chunk = app.store.get(memory)
        judgement = app.store.judge([chunk.id])[chunk.id]
        if as_json:
            print_json(chunk_json(chunk, judgement))
            return
        said_in = app.sessions.find(chunk.scope.session) if chunk.scope.session else None
        rivals = [app.store.get(other) for other in judgement.conflicts_with]
        told = with_conflicts(chunk.text, rivals, app.zone, app.language())
        typer.echo(f"{without_controls(told)}\n")
        print_facts(
            of_chunk(
                chunk,
                judgement,
                said_in.label if said_in else chunk.scope.session,
                now=app.store.now,
                zone=app.zone,
                language=app.language(),
            )
        )


@app.command()
def add(
    ctx: typer.Context,
    text: Annotated[str | None, typer.Argument(help="The text; '-' reads standard input.")] = None,
    subject: Subject = None,
    as_json: AsJson = False,
) -> None:
    """Remember a text."""
    from assistant.cli.reading import read_text
    from assistant.cli.views import memory_json, print_json
    from memory_store import Draft

    words = read_text(text, phrase("input.text"))
    with opened(ctx) as app:
        draft = Draft("fact" if subject else "note", words, subject=subject)
        with app.waiting(phrase("waiting.remembering")):
            [chunk] = app.store.remember([draft])
        if as_json:
            print_json(memory_json(chunk, app.store.judge([chunk.id])[chunk.id]))
        else:
            typer.echo(say("memory.stored", app.language(), id=chunk.id))


@app.command()
def forget(
    ctx: typer.Context,
    memories: Annotated[list[str] | None, typer.Argument(help="Ids.")] = None,
    subject: Subject = None,
    session: SessionName = None,
    query: Annotated[str | None, typer.Option(help="What holds all of these words.")] = None,
    since: Since = None,
    until: Until = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Only say what would be forgotten.")
    ] = False,
    yes: Yes = False,
    as_json: AsJson = False,
) -> None:
    """Forget memories for good, and what was made from them."""
    from assistant.cli.log import forget_in_log
    from assistant.cli.reading import read_span
    from assistant.cli.views import forgotten_json, print_forgotten, print_json

    _refuse_empty(subject=subject, session=session, query=query, since=since, until=until)
    with opened(ctx) as app:
        forget_chosen = partial(
            app.store.forget,
            ids=memories or (),
            subject=subject,
            session=_session_id(app, session),
            query=query,
            within=read_span(since, until, app.zone),
        )
        outcome = forget_chosen(dry_run=True)
        if not as_json:
            print_forgotten(outcome, app.store.now, app.zone, app.language())
        if not dry_run and (outcome.chunks or outcome.derived or outcome.kept):
            _confirm(app, phrase("memory.sure"), yes=yes)
            with app.waiting(phrase("waiting.forgetting")):
                outcome = forget_chosen()
                app.backups.erase_forgotten()
                gone = outcome.chunks + outcome.derived
                forget_in_log(app.settings.home, (chunk.text for chunk in gone))
            if not as_json:
                key = "memory.forgotten" if outcome.erased else "memory.still_held"
                typer.echo(say(key, app.language()))
        if as_json:
            print_json(forgotten_json(outcome))


@app.command()
def export(
    ctx: typer.Context,
    file: Annotated[Path, typer.Argument(help="The JSONL file to write.")],
    yes: Yes = False,
    as_json: AsJson = False,
) -> None:
    """Write every memory to a JSONL file, or into a pipe."""
    import os

    with opened(ctx) as app:
        if os.path.isfile(file):  # noqa: PTH113 - Path.is_file fails on a name that is too long
            _confirm(app, phrase("memory.replace", file=file), yes=yes)
        with app.waiting(phrase("waiting.exporting")):
            outcome = app.store.export(file)
        if file.is_file():  # else the export itself may stand on standard output
            told = say("memory.exported", app.language(), file=file, count=outcome.chunks)
            _tell(told, outcome, as_json=as_json)


@app.command("import")
def import_(
    ctx: typer.Context,
    file: Annotated[Path, typer.Argument(help="A JSONL file that export wrote.")],
    as_json: AsJson = False,
) -> None:
    """Take in the memories of an exported file: all of them, or none."""
    with opened(ctx) as app:
        with app.waiting(phrase("waiting.importing")):
            outcome = app.store.import_(file)
        known = phrase("memory.known", count=outcome.known)
        forgotten = phrase("memory.forgotten_before", count=outcome.forgotten)
        told = say(
            "memory.imported",
            app.language(),
            file=file,
            count=outcome.chunks,
            known=known if outcome.known else "",
            forgotten=forgotten if outcome.forgotten else "",
        )
        _tell(told, outcome, as_json=as_json)


@app.command()
def stats(ctx: typer.Context, as_json: AsJson = False) -> None:
    """Count what is remembered, and how much of it is current."""
    from assistant.cli.memory_words import of_stats
    from assistant.cli.views import as_data, print_facts, print_json

    with opened(ctx) as app:
        found = app.store.stats()
        if as_json:
            print_json(as_data(found))
        else:
            print_facts(of_stats(found, app.zone, app.language()))


@app.command()
def verify(ctx: typer.Context, as_json: AsJson = False) -> None:
    """Check that ledger, words and index hold the same; 'reindex' repairs an index."""
    from assistant.cli.memory_words import of_verification

    with opened(ctx) as app:
        with app.waiting(phrase("waiting.verifying")):
            outcome = app.store.verify()
        _tell(of_verification(outcome, app.language()), outcome, as_json=as_json)


@app.command()
def reindex(ctx: typer.Context, as_json: AsJson = False) -> None:
    """Build the index anew from the ledger; it may be interrupted and goes on the next time."""
    with opened(ctx) as app:
        with app.waiting(phrase("waiting.indexing")) as progress:
            outcome = app.store.reindex(progress)
        told = say("memory.reindexed", app.language(), count=outcome)
        _tell(told, outcome, as_json=as_json)


Picture = Annotated[Path, typer.Argument(help="The .png or .html file to write.")]


@app.command("map")
def map_(ctx: typer.Context, file: Picture, as_json: AsJson = False) -> None:
    """Draw what is remembered as topics on a map, like things near each other."""
    _draw(ctx, file, "map", as_json=as_json)


@app.command()
def timeline(ctx: typer.Context, file: Picture, as_json: AsJson = False) -> None:
    """Draw what was remembered when, how current it is, and how it grew."""
    _draw(ctx, file, "timeline", as_json=as_json)


def _draw(
    ctx: typer.Context, file: Path, which: Literal["map", "timeline"], *, as_json: bool
) -> None:
    from assistant.cli.memory_pictures import draw
    from assistant.cli.views import print_json

    with opened(ctx) as app:
        language = app.language()
        with app.waiting(phrase("waiting.drawing")):
            count = draw(app.store, file, which, language)
        if as_json:
            print_json({"file": str(file), "memories": count})
        else:
            typer.echo(say("memory.drawn", language, file=file, count=count))


def _session_id(app: App, name: str | None) -> str | None:
    """Return the id under which a session's memories are kept; a name that is none stays itself."""
    found = app.sessions.find(name) if name is not None else None
    return found.id if found else name


def _refuse_empty(**options: str | None) -> None:
    """Refuse an option without a value, as of a shell variable that is not set.

    Raises:
        InvalidInput: an option is empty.
    """
    from memory_store.errors import InvalidInput

    for name, value in options.items():
        if value is not None and not value.strip():
            raise InvalidInput(f"--{name} is empty; leave it out or give a value.")


def _confirm(app: App, question: Phrase, *, yes: bool) -> None:
    """Let the user say yes to what cannot be undone.

    Raises:
        Abort: the user says no.
        UserError: nobody can be asked, and `--yes` was not given.
    """
    import sys

    from assistant.errors import UserError

    if yes:
        return
    if not sys.stdin.isatty():
        said = phrase("input.nobody", question=question)
        raise UserError(said, hint=phrase("input.nobody_hint"))
    typer.confirm(question.text(app.language()), abort=True, err=True)


def _tell(told: str, outcome: object, *, as_json: bool) -> None:
    from assistant.cli.views import as_data, print_json

    if as_json:
        print_json(as_data(outcome))
    else:
        typer.echo(told)
