"""`assistant eval run`: results are written and compared, and never lost to a mistyped path."""

import json
from pathlib import Path

import pytest

from assistant.testing import ScriptedServer, says

SUITE = """
cases:
  - {id: one, category: normal, language: en, now: 2026-03-02T09:00:00+08:00,
     turns: [{ask: hello, expect: {contains: [hi]}}]}
"""


@pytest.fixture
def suite(tmp_path, uses) -> Path:
    """A suite of one case, which the set server passes."""
    path = tmp_path / "own.yaml"
    path.write_text(SUITE)
    with ScriptedServer(lambda _body: says("hi")) as server:
        uses(server)
        yield path


def test_a_junit_file_that_cannot_be_written_is_refused_before_any_run(suite, run) -> None:
    """A mistyped folder costs no run of the suite."""
    ran = run("eval", "run", str(suite), "--junit", str(suite.parent / "no" / "x.xml"))
    assert ran.code == 2
    assert "x.xml" in ran.err
    assert "Unexpected" not in ran.err
    assert "Running" not in ran.err


@pytest.mark.parametrize("left", ["[]", "null", '{"cases": 1}', '{"cases": [{}]}', "{"])
def test_an_earlier_report_that_cannot_be_read_is_as_none(left, suite, run, home) -> None:
    """The suite runs, and the next run compares with this one."""
    (home / "evals").mkdir(parents=True)
    name = "".join(c if c.isalnum() or c in "_.-" else "_" for c in str(suite))
    (home / "evals" / f"{name}.json").write_text(left)
    ran = run("eval", "run", str(suite), "--runs", "1", "--json")
    assert ran.code == 0, ran.out
    assert ran.json["difference"] is None
    assert ran.json["rates"]["all"] == {"passed": 1, "of": 1}
    assert json.loads((home / "evals" / f"{name}.json").read_text())["cases"][0]["passed"]
