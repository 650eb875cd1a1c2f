"""What a request holds and why, as data: for `/context` and `assistant context --json`."""

from __future__ import annotations

from dataclasses import asdict, dataclass

from assistant.context.budget import ContextManager
from assistant.context.importance import in_use
from assistant.context.request import PARTS, Context, ContextRequest, LeftOut
from assistant.messages import Json


@dataclass(frozen=True, slots=True)
class Report:
    """A request, explained.

    Attributes:
        parts: tokens by part, the reserve for the reply among them.
        ratio: the server's tokens for each of ours, as learned; None while it is not known.
        summary: which turns are summarised, by whom.
        aged: what stands in the window marked as out of date.
        kept: which turns are kept in the window longer, and why.
    """

    model: str
    encoding: str
    limit: int
    reserve: int
    tokens: int
    factor: float
    ratio: float | None
    parts: dict[str, int]
    memories: int
    turns: int
    summary: str
    aged: tuple[str, ...]
    kept: tuple[str, ...]
    left_out: tuple[LeftOut, ...]

    def as_json(self) -> dict[str, Json]:
        """Return the report as `--json` writes it."""
        return asdict(self)


def report(manager: ContextManager, request: ContextRequest, context: Context) -> Report:
    """Explain a request that was fitted."""
    return Report(
        model=manager.counter.model,
        encoding=manager.counter.encoding,
        limit=context.limit,
        reserve=context.reserve,
        tokens=context.tokens,
        factor=round(context.factor, 3),
        ratio=manager.ratio,
        parts={**{part: context.parts[part] for part in PARTS}, "reserve": context.reserve},
        memories=len(context.hits),
        turns=len(request.window),
        summary=_summary(request),
        aged=_aged(request),
        kept=tuple(str(use) for use in in_use(request.window, request.judgements)),
        left_out=context.left_out,
    )


def _summary(request: ContextRequest) -> str:
    summary = request.summary
    if summary is None:
        return ""
    but = f" but {', '.join(map(str, summary.kept))}" if summary.kept else ""
    by = "written by the model" if summary.method == "model" else "extracted, to be redone"
    return f"version {summary.version}: turns 1 to {summary.through}{but}, {by}"


def _aged(request: ContextRequest) -> tuple[str, ...]:
    """Return which results and answers of the window are out of date, and why."""
    found: list[str] = []
    for turn in request.window:
        chunks = [(step.chunk_id, "result") for step in turn.steps]
        for chunk_id, what in (*chunks, (turn.answer_chunk, "answer")):
            judgement = request.judgements.get(chunk_id or "")
            if judgement is not None and not judgement.verdict.current:
                found.append(f"{what} of turn {turn.number} is {judgement.verdict}")
    return tuple(found)
