"""Whether a model's answer is delivered: complete, and without a claim that nothing proves."""

from __future__ import annotations

from dataclasses import dataclass, field

from assistant.agent.claims import CLOCK, Claim, find_claim, nudge, without
from assistant.agent.run import Run
from assistant.context.wording import Language
from assistant.tools import Tool, calls

_MARK: dict[Language, str] = {
    "en": "Your answer does not end with {}. If it is complete, give it again with {} at its end.",
    "zh": "你的回答没有以 {} 结尾。如果已经完成，请再说一次，并以 {} 结尾。",
}
_MARK_RULE: dict[Language, str] = {
    "en": "- End every complete answer with {}.",
    "zh": "- 每个完整的回答都以 {} 结尾。",
}
MOST_CLAIMS = 8
"""Claims that are taken out of one answer before it is given up."""


@dataclass(slots=True)
class Acceptance:
    """Judges the answers of one run. Each kind of fault is told once; then it is put right here.

    Attributes:
        marker: what a complete answer must end with; None asks for none.
        tells_date: the request itself tells the model today's date; see `Frame`.
    """

    marker: str | None = None
    tells_date: bool = False
    told: set[str] = field(default_factory=set[str])

    def rule(self, language: Language) -> str:
        """Return the line of the system prompt that asks for the marker; empty without one."""
        return f"\n{_MARK_RULE[language].format(self.marker)}" if self.marker else ""

    def objection(self, answer: str, run: Run) -> str | None:
        """Return what the model is told about its answer, or None where it is delivered."""
        if self.marker and self.marker not in answer and "marker" not in self.told:
            self.told.add("marker")
            return _MARK[run.language].format(self.marker, self.marker)
        claim = _claim(answer, run, self.tells_date)
        if claim is None or claim.kind in self.told:
            return None
        self.told.add(claim.kind)
        return nudge(claim, run.language)

    def delivered(self, answer: str, run: Run) -> str:
        """Return the answer as it may be delivered: without marker and unproven claims."""
        if self.marker:
            answer = answer.replace(self.marker, "").strip()
        claims: list[Claim] = []
        left = answer
        while (
            len(claims) < MOST_CLAIMS and (claim := _claim(left, run, self.tells_date)) is not None
        ):
            claims.append(claim)
            left = left.replace(claim.sentence, "", 1)
        return without(answer, claims, run.language) if claims else answer


def _claim(answer: str, run: Run, tells_date: bool) -> Claim | None:
    return find_claim(
        answer,
        question=run.question,
        tools=run.tools,
        succeeded=run.succeeded,
        known=lambda tool: _is_known(tool, run) or (tells_date and tool.name == CLOCK),
        told="\n".join(made.outcome.text for made in run.made if made.outcome.ok),
    )


def _is_known(tool: Tool, run: Run) -> bool:
    """Whether a current result of the tool stands before the model."""
    judged = [hit.judgement for hit in run.request.recall.hits]
    judged += run.request.judgements.values()
    for judgement in judged:
        call = calls.parse(judgement.call or "")
        if judgement.verdict.current and call is not None and call[0] == tool.name:
            return True
    return False
