"""How a context and a run show themselves in notebooks."""

import pytest

from assistant.agent.testing import agent_home
from assistant.context.request import Context, LeftOut
from assistant.messages import Message
from assistant.run_record import RunRecord
from assistant.testing import calls, says
from memory_store.testing import TinyEmbedder


@pytest.fixture
def context() -> Context:
    """A request of half its limit."""
    parts = {"system": 100, "tools": 0, "summary": 50, "window": 200, "memories": 100}
    return Context(
        (Message("system", "Be brief."),),
        {**parts, "question": 50, "steps": 0},
        500,
        1200,
        100,
        factor=1.2,
        left_out=(LeftOut("turns <1> to 3", "no room"),),
    )


def test_a_contexts_bars_add_up_to_its_limit(context) -> None:
    """Every part, the reserve and what is free, by the server's count."""
    frame = context.to_pandas()
    assert frame["tokens"].sum() == 1200
    assert frame.set_index("part")["tokens"]["window"] == 240
    assert frame["share"].sum() == pytest.approx(1)


def test_a_context_shows_a_bar_a_part_and_what_was_left_out(context) -> None:
    """Names of what was left out are text, not markup."""
    html = context._repr_html_()
    for part in ("system", "window", "memories", "reserve", "free"):
        assert f">{part}</td>" in html
    assert "turns &lt;1&gt; to 3" in html


def test_a_run_is_a_timeline_of_what_happened(tmp_path) -> None:
    """Recall, model, tool, model, answer: in this order, with what each took."""
    script = [calls(("calculate", {"expression": "6*7"})), says("It is <b>42</b>.")]
    with agent_home(tmp_path, script, embedder=TinyEmbedder()) as home:
        record = home.ask("What is 6*7?")
    frame = record.to_pandas()
    assert frame["event"].tolist() == ["recall", "model", "tool", "model", "answer"]
    assert frame["start"].is_monotonic_increasing
    assert frame["tokens"].max() == record.largest_request
    html = record._repr_html_()
    assert "calculate(expression=&#x27;6*7&#x27;) → 6*7 = 42." in html
    assert "&lt;b&gt;42" in html
    assert "<b>42" not in html


def test_a_run_that_recalled_nothing_and_failed_still_shows_itself() -> None:
    """There is an answer row at least, and the notices."""
    record = RunRecord("no <i>server</i>", "s", "r", "failed", notices=("retried",))
    assert record.to_pandas()["ok"].tolist() == [False]
    html = record._repr_html_()
    assert "&lt;i&gt;server" in html
    assert "retried" in html
