"""Planner and executor: one member splits the request, the other does a step at a time."""

from __future__ import annotations

import re
from dataclasses import dataclass

from assistant.phrases import Phrase, phrase
from assistant.teams.message import USER, as_text
from assistant.teams.work import TeamResult, TeamRun

MOST_STEPS = 20
_STEP = re.compile(r"^\s*(?:\d+[.)、．]|[-*•])\s*(.+)$")


@dataclass(frozen=True, slots=True)
class _Done:
    step: str
    text: str


def run_planner(run: TeamRun) -> TeamResult:
    """Plan, do each step with its own small context, plan anew when one fails, compose."""
    planner = run.spec.members[0]
    run.transcript.hand_over(USER, planner.name, run.request, run.request, "request")
    done: list[_Done] = []
    trouble: Phrase | None = None
    for _round in range(run.spec.rounds):
        lead = f"\n{trouble}" if trouble else ""
        task = (
            "Split the request into steps, one numbered line each, and write nothing else. Leave"
            f" out what is done already.{lead}\nRequest: {run.request}"
        )
        material = run.received_by(planner)
        planned = run.work(planner, task, material)
        steps = read_steps(planned.text)
        if planned.status != "complete" or not steps:
            values = {"member": planner.name, "text": planned.text[:200]}
            return run.end("", phrase("team.no_plan", **values))
        trouble = _execute(run, steps, done)
        if not trouble:
            break
    else:
        return run.end(_listed(done), phrase("team.no_plan_worked", problem=trouble))
    task = f"Write the answer to the request from the steps' results.\nRequest: {run.request}"
    material = run.received_by(planner)
    composed = run.work(planner, task, material)
    run.transcript.hand_over(planner.name, USER, run.request, composed.text, composed.status)
    if composed.status != "complete":
        return run.end(_listed(done), phrase("team.no_answer", member=planner.name))
    return run.end(composed.text)


def read_steps(text: str) -> list[str]:
    """Return the steps of a plan: its numbered or bulleted lines."""
    found = (_STEP.match(line) for line in text.splitlines())
    return [match[1].strip() for match in found if match][:MOST_STEPS]


def _execute(run: TeamRun, steps: list[str], done: list[_Done]) -> Phrase | None:
    """Do the steps; return what went wrong with one, for the planner, or nothing."""
    planner, executor = run.spec.members
    for step in steps:
        results = _listed(done)
        content = f"Results so far:\n{results}" if results else "This is the first step."
        asked = run.transcript.hand_over(planner.name, executor.name, step, content, "request")
        # Its own small context: this step and the results so far, not the earlier hand-overs.
        output = run.work(executor, step, as_text([asked]))
        run.transcript.hand_over(executor.name, planner.name, step, output.text, output.status)
        if output.status != "complete":
            return phrase("team.step_failed", step=step, text=output.text[:200])
        done.append(_Done(step, output.text))
    return None


def _listed(done: list[_Done]) -> str:
    return "\n".join(f"- {item.step}: {item.text}" for item in done)
