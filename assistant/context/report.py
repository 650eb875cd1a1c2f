"""What a request holds and why, as data: for `/context` and `assistant context --json`."""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace

from assistant.context.budget import ContextManager
from assistant.context.importance import in_use
from assistant.context.request import PARTS, Context, ContextRequest, LeftOut
from assistant.messages import Json
from assistant.phrases import Phrase, phrase


@dataclass(frozen=True, slots=True)
class Report:
    """A request, explained.

    Attributes:
        parts: tokens by part, the reserve for the reply among them.
        ratio: the server's tokens for each of ours, as learned; None while it is not known.
        summary: which turns are summarised, by whom; empty where none are.
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
    summary: Phrase | str
    aged: tuple[Phrase, ...]
    kept: tuple[Phrase, ...]
    left_out: tuple[LeftOut, ...]

    def as_json(self) -> dict[str, Json]:
        """Return the report as `--json` writes it, its reasons in English."""
        figures = asdict(replace(self, summary="", aged=(), kept=(), left_out=()))
        return {
            **figures,
            "summary": str(self.summary),
            "aged": [str(each) for each in self.aged],
            "kept": [str(each) for each in self.kept],
            "left_out": [{"what": str(one.what), "why": str(one.why)} for one in self.left_out],
        }


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
        kept=tuple(use.told for use in in_use(request.window, request.judgements)),
        left_out=context.left_out,
    )


def _summary(request: ContextRequest) -> Phrase | str:
    summary = request.summary
    if summary is None:
        return ""
    return phrase(
        "budget.summarised_but" if summary.kept else "budget.summarised",
        version=summary.version,
        through=summary.through,
        kept=summary.kept,
        by=phrase("budget.by_model" if summary.method == "model" else "budget.extracted"),
    )


def _aged(request: ContextRequest) -> tuple[Phrase, ...]:
    """Return which results and answers of the window are out of date, and why."""
    found: list[Phrase] = []
    for turn in request.window:
        chunks = [(step.chunk_id, "budget.result") for step in turn.steps]
        for chunk_id, what in (*chunks, (turn.answer_chunk, "budget.answer")):
            judgement = request.judgements.get(chunk_id or "")
            if judgement is not None and not judgement.verdict.current:
                verdict = phrase(f"word.{judgement.verdict}")
                values = {"what": phrase(what), "turn": turn.number, "verdict": verdict}
                found.append(phrase("budget.aged", **values))
    return tuple(found)
