"""How memory is shown: JSON for programs, tables for people."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Sequence
from dataclasses import asdict
from datetime import datetime, timedelta, tzinfo
from typing import TYPE_CHECKING, Any

from assistant.run_record import RunRecord
from memory_store import Chunk, Dropped, Judgement, Recall

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table


def print_json(value: object) -> None:
    """Print one JSON object on standard output."""
    json.dump(value, sys.stdout, ensure_ascii=False)
    sys.stdout.write("\n")


def console(*, stderr: bool = False) -> Console:
    """Return a console that does not read markup into what users and models wrote."""
    from rich.console import Console

    return Console(stderr=stderr, markup=False, highlight=False, emoji=False)


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


def recall_json(recall: Recall | None) -> dict[str, list[dict[str, Any]]]:
    """Return what a recall found, and what it left out and why."""
    hits = recall.hits if recall else ()
    dropped = recall.dropped if recall else ()
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
        "steps": [asdict(step) for step in record.steps],
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


def memory_table(
    rows: Iterable[tuple[Chunk, Judgement, str]], *, now: datetime, zone: tzinfo
) -> Table:
    """Return memories as a table: text, kind, age, verdict, id."""
    from rich.table import Table

    table = Table(box=None, header_style="bold", pad_edge=False)
    for column in ("when", "kind", "verdict"):
        table.add_column(column, no_wrap=True)
    table.add_column("text", overflow="fold", ratio=1)
    table.add_column("id", no_wrap=True, style="dim")
    for chunk, judgement, text in rows:
        when = f"{chunk.created_at.astimezone(zone):%Y-%m-%d %H:%M} ({age(chunk.created_at, now)})"
        style = "green" if judgement.verdict.current else "yellow"
        table.add_row(when, chunk.kind, _styled(str(judgement.verdict), style), text, chunk.id)
    return table


def pairs_table(pairs: Sequence[tuple[str, str]]) -> Table:
    """Return names and values, one a row."""
    from rich.table import Table

    table = Table(box=None, show_header=False, pad_edge=False)
    table.add_column(no_wrap=True, style="bold")
    table.add_column(overflow="fold")
    for name, value in pairs:
        table.add_row(name, value)
    return table


def age(moment: datetime, now: datetime) -> str:
    """Return how long ago `moment` was, in its largest unit, such as `3 d`."""
    passed = now - moment
    if passed < timedelta(0):
        return "in the future"
    for unit, length in (("d", 86400), ("h", 3600), ("min", 60)):
        if passed.total_seconds() >= length:
            return f"{int(passed.total_seconds() // length)} {unit}"
    return "now"


def _styled(text: str, style: str) -> Any:
    from rich.text import Text

    return Text(text, style=style)
