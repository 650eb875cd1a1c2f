"""The shipped suite against the scripted server: the loop, memory and checks agree on each case."""

from __future__ import annotations

import pytest

from assistant.evals.case import Case
from assistant.evals.runner import Runner
from assistant.evals.scripted import scripted
from assistant.evals.suite import load_suite
from assistant.settings import Settings
from memory_store.embedding import load_embedder

CASES = load_suite("core")


@pytest.fixture(scope="module")
def runner(tmp_path_factory: pytest.TempPathFactory) -> Runner:
    settings = Settings.load(home=tmp_path_factory.mktemp("home"), protocol="tools")
    return Runner(settings, scripted, load_embedder(None))


@pytest.mark.parametrize("case", CASES, ids=[case.id for case in CASES])
def test_a_case_passes_when_the_model_follows_its_script(case: Case, runner: Runner) -> None:
    """Every check of the case holds, so that a real model can pass it too."""
    (trial,) = runner.run(case, 1).trials
    assert trial.failures == ()
