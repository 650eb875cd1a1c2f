"""A pipeline: the work goes from member to member; a checking member may send it back."""

from __future__ import annotations

from assistant.phrases import Phrase, phrase
from assistant.teams.message import USER
from assistant.teams.work import TeamResult, TeamRun


def run_pipeline(run: TeamRun) -> TeamResult:
    """Run the stages in their order. A stage that fails reports, and the pipeline stops."""
    names = [member.name for member in run.spec.members]
    run.transcript.hand_over(USER, names[0], run.request, run.request, "request")
    sent_back = 0
    place = 0
    answer = ""
    while place < len(names):
        member = run.spec.members[place]
        material = run.received_by(member)
        output = run.work(member, run.request, material)
        if output.status == "returned" and member.returns_to is not None:
            sent_back += 1
            run.transcript.hand_over(
                member.name, member.returns_to, run.request, output.text, output.status
            )
            if sent_back > run.spec.rounds:
                values = {"member": member.name, "rounds": run.spec.rounds}
                return run.end(answer, phrase("team.sent_back", **values))
            place = names.index(member.returns_to)
            continue
        receiver = names[place + 1] if place + 1 < len(names) else USER
        # A checker's word on the work is not the work: it passes on what it has checked.
        passed_on = answer if member.returns_to and output.status == "complete" else output.text
        run.transcript.hand_over(member.name, receiver, run.request, passed_on, output.status)
        if output.status != "complete":
            problem = phrase("team.by", member=member.name, problem=_why(output.text))
            return run.end(answer, problem)
        answer = passed_on
        place += 1
    return run.end(answer)


def _why(text: str) -> Phrase:
    if not text:
        return phrase("team.handed_nothing")
    return phrase("team.unfinished", text=text[:200])
