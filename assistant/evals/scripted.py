"""Models that follow a case's script: they test the harness and the loop, not a model."""

from __future__ import annotations

import json
from collections.abc import Generator, Sequence
from contextlib import AbstractContextManager, contextmanager

from assistant.evals.case import Case, ScriptedStep
from assistant.model.client import OpenAIChatModel
from assistant.testing import Reply, Rule, ScriptedServer, Step, calls


def scripted(case: Case) -> AbstractContextManager[OpenAIChatModel]:
    """Serve the steps of a case's turns, one a request, over real HTTP on loopback.

    Raises:
        AssertionError: a request came that the script does not have, or steps were left over.
    """
    return model_of([_reply(step) for turn in case.turns for step in turn.script])


@contextmanager
def model_of(script: Sequence[Step] | Rule) -> Generator[OpenAIChatModel]:
    """Serve a script or a rule over real HTTP on loopback, and yield the model that asks it."""
    with ScriptedServer(script) as server:
        model = OpenAIChatModel("scripted", base_url=server.url, api_key="test")
        try:
            yield model
        finally:
            model.close()


def _reply(step: ScriptedStep) -> Reply:
    wanted = [
        (call.tool, call.raw if call.raw is not None else json.dumps(call.arguments))
        for call in step.calls
    ]
    return calls(*wanted, text=step.say)
