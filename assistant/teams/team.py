"""Runs a team of any kind."""

from __future__ import annotations

from assistant.errors import UserError
from assistant.phrases import phrase
from assistant.teams.coordinator import run_coordinator
from assistant.teams.message import Printer, Transcript
from assistant.teams.pipeline import run_pipeline
from assistant.teams.planner import run_planner
from assistant.teams.spec import TeamSpec
from assistant.teams.work import TeamResult, TeamRun, Worker

_KINDS = {"pipeline": run_pipeline, "planner": run_planner, "coordinator": run_coordinator}


def run_team(
    spec: TeamSpec,
    request: str,
    worker: Worker,
    *,
    session_id: str,
    printer: Printer | None = None,
) -> TeamResult:
    """Run a team on a request. A member's failure is in the result, not raised.

    Args:
        printer: is shown every message as it is handed over.

    Raises:
        UserError: the request is empty.
    """
    if not request.strip():
        raise UserError(phrase("team.empty"), hint=phrase("team.empty_hint"))
    return _KINDS[spec.kind](TeamRun(spec, request, worker, Transcript(session_id, printer)))
