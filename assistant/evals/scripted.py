"""Models that follow a case's script: they test the harness and the loop, not a model."""

from __future__ import annotations

import json
from collections.abc import Generator
from contextlib import contextmanager

from assistant.evals.case import Case, ScriptedStep
from assistant.model.client import OpenAIChatModel
from assistant.testing import Reply, ScriptedServer, calls


@contextmanager
def scripted(case: Case) -> Generator[OpenAIChatModel]:
    """Serve the steps of a case's turns, one a request, over real HTTP on loopback.

    Raises:
        AssertionError: a request came that the script does not have, or steps were left over.
    """
    steps = [_reply(step) for turn in case.turns for step in turn.script]
    with ScriptedServer(steps) as server:
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
