"""A coordinator: one member chooses, from the messages so far, who acts next and on what."""

from __future__ import annotations

import re

from assistant.phrases import phrase
from assistant.teams.message import USER
from assistant.teams.work import TeamResult, TeamRun

_NEXT = re.compile(
    r"^\W*(?:NEXT|下一个)\s*[:：]\s*([^\s:：]+)\s*[:：]?\s*(.*)$", re.I | re.M | re.S
)
_FINISH = re.compile(r"^\W*(?:FINISH|结束)\s*[:：]\s*(.+)$", re.I | re.M | re.S)


def run_coordinator(run: TeamRun) -> TeamResult:
    """Let the first member give out work, at most `rounds` times, until it finishes."""
    chief = run.spec.members[0]
    others = ", ".join(member.name for member in run.spec.members[1:])
    run.transcript.hand_over(USER, chief.name, run.request, run.request, "request")
    task = (
        f"Choose what happens next. Write 'NEXT: NAME: task' to give work to one of {others},"
        f" or 'FINISH: answer' when the request is answered.\nRequest: {run.request}"
    )
    last = ""
    for _round in range(run.spec.rounds):
        material = run.received_by(chief)
        chosen = run.work(chief, task, material)
        if chosen.status != "complete":
            values = {"member": chief.name, "text": chosen.text[:200]}
            return run.end(last, phrase("team.no_choice", **values))
        if finish := _FINISH.search(chosen.text):
            answer = finish[1].strip()
            run.transcript.hand_over(chief.name, USER, run.request, answer, "complete")
            return run.end(answer)
        last = _give_out(run, chosen.text) or last
    return run.end(last, phrase("team.rounds", member=chief.name, rounds=run.spec.rounds))


def _give_out(run: TeamRun, choice: str) -> str:
    """Let the chosen member work; return its finished text, or nothing."""
    chief = run.spec.members[0]
    found = _NEXT.search(choice)
    member = run.spec.member(found[1]) if found else None
    if found is None or member is None or member is chief:
        names = ", ".join(member.name for member in run.spec.members[1:])
        complaint = f"{choice[:200]!r} names none of {names}."
        run.transcript.hand_over(chief.name, chief.name, "choose who acts", complaint, "incomplete")
        return ""
    task = found[2].strip() or "Do your part of the request."
    run.transcript.hand_over(chief.name, member.name, task, task, "request")
    material = run.received_by(member)
    output = run.work(member, task, material)
    run.transcript.hand_over(member.name, chief.name, task, output.text, output.status)
    return output.text if output.status == "complete" else ""
