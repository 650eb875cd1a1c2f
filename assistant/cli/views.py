"""How memory and runs are shown: JSON for programs, tables for people."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, is_dataclass
from datetime import datetime, timedelta, tzinfo
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, Any

from assistant.cli.controls import without_controls
from assistant.cli.memory_words import named, why
from assistant.context.wording import Language, ago, with_conflicts
from assistant.phrases import say
from assistant.run_record import RunRecord
from memory_store import Chunk, Dropped, Judgement, Recall

if TYPE_CHECKING:
    from rich.console import Console

    from memory_store.forget import Forgotten

Row = tuple[Chunk, Judgement, str]
"""A memory, its verdict, and the text to show."""


def print_json(value: object) -> None:
    """Print one JSON object on standard output."""
    sys.stdout.write(json.dumps(value, ensure_ascii=False, default=_plain) + "\n")
    sys.stdout.flush()


def as_data(outcome: object) -> dict[str, Any]:
    """Return a data class as the dictionary that JSON needs; None says nothing more."""
    if outcome is None:
        return {"ok": True}
    if is_dataclass(outcome) and not isinstance(outcome, type):
        return asdict(outcome)
    if isinstance(outcome, Mapping):
        return dict(outcome)  # pyright: ignore[reportUnknownArgumentType, reportUnknownVariableType]
    return {"count": outcome}


def memory_json(
    chunk: Chunk, judgement: Judgement, *, text: str | None = None, score: float | None = None
) -> dict[str, Any]:
    """Return a memory as every `--json` writes it. Times are ISO 8601, UTC."""
    return {
        "id": chunk.id,
        "kind": chunk.kind,
        "text": chunk.text if text is None else text,
        "created_at": chunk.created_at.isoformat(),
        "subject": chunk.subject,
        "verdict": str(judgement.verdict),
        "score": score,
    }


def chunk_json(chunk: Chunk, judgement: Judgement) -> dict[str, Any]:
    """Return all that is known of one memory."""
    contract = chunk.freshness
    return {
        **memory_json(chunk, judgement),
        "reason": judgement.reason,
        "as_of": judgement.as_of.isoformat(),
        "conflicts_with": list(judgement.conflicts_with),
        "session": chunk.scope.session or None,
        "turn": chunk.scope.turn or None,
        "origin": chunk.origin,
        "about": asdict(chunk.about) if chunk.about else None,
        "max_age_seconds": contract.max_age.total_seconds()
        if contract.max_age is not None
        else None,
        "call": contract.call,
        "derived_from": list(chunk.derived_from),
        "tokens": chunk.tokens,
        "copies": chunk.copies,
    }


def recall_json(recall: Recall | None) -> dict[str, list[dict[str, Any]]]:
    """Return what a recall found, and what it left out and why."""
    hits = recall.hits if recall is not None else ()
    dropped = recall.dropped if recall is not None else ()
    return {
        "memories": [
            memory_json(hit.chunk, hit.judgement, text=hit.text, score=hit.score.total)
            for hit in hits
        ],
        "dropped": [_dropped_json(each) for each in dropped],
    }


def _dropped_json(dropped: Dropped) -> dict[str, Any]:
    memory = memory_json(dropped.chunk, dropped.judgement, score=dropped.score.total)
    return {**memory, "reason": dropped.reason}


def forgotten_json(outcome: Forgotten) -> dict[str, Any]:
    """Return what was forgotten, or would be on a dry run, as ids."""
    return {
        "forgotten": [chunk.id for chunk in outcome.chunks],
        "derived": [chunk.id for chunk in outcome.derived],
        "kept": list(outcome.kept),
        "dry_run": outcome.dry_run,
        "erased": outcome.erased,
    }


def run_json(
    record: RunRecord, *, model: str, protocol: str, limit: int, reserve: int
) -> dict[str, Any]:
    """Return a run as `ask --json` prints it. `limit` and `reserve` are tokens.

    Prompt tokens are the server's count, or ours where it gives none.
    """
    calls = record.model_calls
    largest = max(calls, key=lambda call: call.tokens, default=None)
    return {
        "answer": record.answer,
        "session": record.session,
        "run": record.run,
        "model": model,
        "protocol": protocol,
        "stopped": record.stopped,
        "steps": [
            {
                "tool": step.tool,
                "arguments": step.arguments,
                "observation": step.observation,
                "ok": step.ok,
            }
            for step in record.steps
        ],
        **recall_json(record.recall),
        "tokens": {
            "limit": limit,
            "reserve": reserve,
            "largest_request": largest.tokens if largest else 0,
            "prompt": sum(call.usage.prompt if call.usage else call.tokens for call in calls),
            "completion": sum(call.usage.completion for call in calls if call.usage),
            "parts": largest.parts if largest else {},
        },
    }


def console() -> Console:
    """Return a console on standard output that reads no markup into what users and models wrote."""
    from rich.console import Console

    return Console(markup=False, highlight=False, emoji=False)


def print_recall(recall: Recall, zone: tzinfo, language: Language, *, every: bool) -> None:
    """Print what was found; `every` adds what was left out, each with its reason."""
    rows: list[Row] = [
        (hit.chunk, hit.judgement, with_conflicts(hit.text, hit.against, zone, language))
        for hit in recall.hits
    ]
    if every:
        rows += [
            (each.chunk, each.judgement, f"[{_left_out(each, language)}] {each.chunk.text}")
            for each in recall.dropped
        ]
    print_chunks(rows, recall.now, zone, language)
    if recall.dropped and not every:
        console().print(say("chat.left_out", language, count=len(recall.dropped)), style="dim")


def print_chunks(rows: Sequence[Row], now: datetime, zone: tzinfo, language: Language) -> None:
    """Print memories, each with a line of its time and age, kind, verdict and id."""
    from rich.text import Text

    screen = console()
    if not rows:
        screen.print(say("chat.nothing", language))
    for chunk, judgement, text in rows:
        when = _when(chunk, now, zone, language)
        kind, told = named(chunk.kind, language), named(str(judgement.verdict), language)
        verdict = (told, "green" if judgement.verdict.current else "yellow")
        about = f" · {chunk.subject}" if chunk.subject else ""
        screen.print(
            Text.assemble((f"{when} · {kind} · ", "dim"), verdict, (f" · {chunk.id}{about}", "dim"))
        )
        screen.print(Text(without_controls(text)))


def print_forgotten(outcome: Forgotten, now: datetime, zone: tzinfo, language: Language) -> None:
    """Print what is to be forgotten: what was named, and what was made from it."""
    screen = console()
    parts = {"memory.to_forget": outcome.chunks, "memory.derived": outcome.derived}
    for title, chunks in parts.items():
        if chunks:
            screen.print(say(title, language), style="bold")
        for chunk in chunks:
            when, kind = _when(chunk, now, zone, language), named(chunk.kind, language)
            screen.print(f"  {when} · {kind} · {chunk.id}\n  {without_controls(chunk.text)}")
    if outcome.kept:
        screen.print(say("memory.kept", language, count=len(outcome.kept)))
    if not (outcome.chunks or outcome.derived or outcome.kept):
        screen.print(say("memory.nothing_to_forget", language))


def print_facts(facts: Iterable[tuple[str, str]]) -> None:
    """Print names and values, one a row."""
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, show_header=False, pad_edge=False)
    table.add_column(no_wrap=True, style="bold")
    table.add_column(overflow="fold")
    for name, value in facts:
        table.add_row(name, Text(value))
    console().print(table)


def _left_out(dropped: Dropped, language: Language) -> str:
    """Why it was left out; its verdict stands in the line above already."""
    return why(dropped.reason.removeprefix(f"{dropped.verdict}: "), language)


def _when(chunk: Chunk, now: datetime, zone: tzinfo, language: Language) -> str:
    long_ago = ago(chunk.created_at, now, zone, language)
    return f"{chunk.created_at.astimezone(zone):%Y-%m-%d %H:%M}, {long_ago}"


def _plain(value: object) -> object:
    """Return what JSON has no form for as a text or a number."""
    if isinstance(value, datetime):
        return value.isoformat()
    if isinstance(value, timedelta):
        return value.total_seconds()
    if isinstance(value, (Path, Enum)):
        return str(value)
    if isinstance(value, (set, frozenset)):
        return sorted(value)  # pyright: ignore[reportUnknownArgumentType, reportUnknownVariableType]
    raise TypeError(f"{type(value).__name__} has no JSON form")
