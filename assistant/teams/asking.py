"""A user's request to a team, kept as a turn of a session and remembered like any other."""

from __future__ import annotations

from functools import partial

from assistant.app import App
from assistant.teams.members import Members
from assistant.teams.message import Printer
from assistant.teams.spec import TeamSpec
from assistant.teams.team import run_team
from assistant.teams.work import TeamResult
from memory_store import Draft


def ask_team(
    app: App, spec: TeamSpec, request: str, *, printer: Printer | None = None
) -> TeamResult:
    """Run a team with the assistant's model and tools, and remember request and answer.

    The answer is derived from what the members' tools told, so that it ages as those results do.

    Raises:
        UserError: the request is empty, or a member names a tool that there is not.
        ModelError: the model could not answer at all.
    """
    store = app.store  # opened here, as it migrates the ledger
    with Members(app, spec) as members:
        session = app.sessions.open(None)
        turn = app.sessions.start_turn(session, request)
        draft = partial(Draft, session=session.id, turn=turn.id)
        with app.ledger.write() as connection:
            (asked,) = store.remember([draft("question", request)], joined=connection)
            turn = app.sessions.link_question(turn, asked.id, joined=connection)
        try:
            result = run_team(spec, request, members, session_id=session.id, printer=printer)
        except BaseException:
            app.sessions.finish(turn, None, "failed")
            raise
        told = [
            draft(
                "tool_result",
                chunk.text,
                created_at=chunk.created_at,
                subject=chunk.subject,
                freshness=chunk.freshness,
                origin="tool",
            )
            for chunk in members.results()
        ]
    answer_chunk: str | None = None
    with app.ledger.write() as connection:
        sources = tuple(chunk.id for chunk in store.remember(told, joined=connection))
        if result.finished:
            answer = draft("answer", result.answer, origin="assistant", derived_from=sources)
            answer_chunk = store.remember([answer], joined=connection)[0].id
        stopped = "answered" if result.finished else "failed"
        app.sessions.finish(
            turn, result.answer or None, stopped, answer_chunk=answer_chunk, joined=connection
        )
    return result
