"""A run's record as rows, for notebooks: a timeline of what happened, and a data frame."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from assistant.run_record import RunRecord
from memory_store import html
from memory_store.extras import frame

if TYPE_CHECKING:
    from pandas import DataFrame

COLOURS = {"recall": "#43a047", "model": "#1e88e5", "tool": "#fb8c00", "answer": "#37474f"}
LONGEST = 240
"""Characters of a text in the HTML timeline; the frame has all of it."""


def rows(record: RunRecord) -> list[dict[str, Any]]:
    """One row an event, in order: recall, each model call and the tools that it called, answer.

    `seconds` is the time that it took, `start` when it began, counted from the run's first event;
    the time of tools is not recorded.
    """
    found: list[dict[str, Any]] = []
    if record.recall is not None:
        seconds = sum(record.recall.seconds.values())
        said = f"{len(record.recall)} memories used, {len(record.recall.dropped)} left out"
        found.append(_row("recall", 0, seconds, record.recall.tokens, said))
    for call in record.model_calls:
        tools = [step for step in record.steps if step.step == call.step]
        said = f"{call.messages} messages"
        found.append(_row("model", call.step, call.seconds, call.tokens, said))
        for step in tools:
            said = f"{step.tool}({_told(step.arguments)}) → {step.observation}"
            found.append(_row("tool", step.step, 0.0, None, said, ok=step.ok))
    last = record.model_calls[-1].step if record.model_calls else 0
    ok = record.stopped == "answered"
    found.append(_row("answer", last, 0.0, None, f"{record.stopped}: {record.answer}", ok=ok))
    start = 0.0
    for row in found:
        row["start"] = start
        start += row["seconds"]
    return found


def to_pandas(record: RunRecord) -> DataFrame:
    """Return the rows as a data frame.

    Raises:
        ExtraMissing: pandas is not installed.
    """
    return frame(rows(record))


def to_html(record: RunRecord) -> str:
    """Return the rows as a timeline: a bar from when an event began for as long as it took."""
    events = rows(record)
    total = sum(row["seconds"] for row in events) or 1.0
    shown = [
        (
            row["event"],
            row["step"],
            html.bar(
                max(row["seconds"] / total, 0.01),
                COLOURS[row["event"]] if row["ok"] else "#c62828",
                min(row["start"] / total, 0.99),
            ),
            f"{row['seconds']:.2f} s" if row["seconds"] else "",
            row["tokens"],
            row["text"] if len(row["text"]) <= LONGEST else f"{row['text'][:LONGEST]}…",
        )
        for row in events
    ]
    caption = (
        f"{total:.2f} s, {len(record.model_calls)} model calls, {len(record.steps)} tool calls,"
        f" largest request {record.largest_request:,} tokens"
    )
    notes = html.table(("notice",), [(note,) for note in record.notices]) if record.notices else ""
    return html.table(("event", "step", "", "took", "tokens", "what"), shown, caption) + notes


def _row(
    event: str, step: int, seconds: float, tokens: int | None, text: str, *, ok: bool = True
) -> dict[str, Any]:
    return {
        "event": event,
        "step": step,
        "start": 0.0,
        "seconds": seconds,
        "tokens": tokens,
        "ok": ok,
        "text": text,
    }


def _told(arguments: Any) -> str:
    if isinstance(arguments, str):
        return arguments
    return ", ".join(f"{name}={value!r}" for name, value in arguments.items())
