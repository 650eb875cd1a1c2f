"""The first promises with the packaged model itself, each line a new process."""

import json
import re
from pathlib import Path

import pytest

from assistant.testing import ScriptedServer, says

pytestmark = [pytest.mark.local_model, pytest.mark.xdist_group("local_model")]

MONDAY, WEDNESDAY, THURSDAY = (f"2026-03-0{day}T09:00:00+08:00" for day in (2, 4, 5))
UNKNOWN = re.compile(r"don't know|do not know|not know|haven't told|no information|不知道", re.I)
STOCK = """
from pathlib import Path
from assistant.tools import tool

@tool(description="How many pieces of an article are in stock, by its sku.", max_age="1d")
def get_stock(sku: str) -> str:
    return f"{Path(__file__).with_name('stock.txt').read_text()} pieces of {sku} are in stock."
"""


def test_it_remembers_in_both_languages_and_admits_what_it_was_never_told(machine) -> None:
    """Six hours, two days later; and no dog's name is invented. It says once that it is small."""
    first = machine.run(
        "--now",
        MONDAY,
        "ask",
        "I am learning linear algebra and have 6 hours a week for it.",
    )
    assert first.code == 0, first.err
    assert "small" in first.err
    question = "How many hours a week do I have for linear algebra?"
    second = machine.run("--now", WEDNESDAY, "ask", question, "--json")
    assert "small" not in second.err
    assert re.search(r"\b(6|six)\b", second.json["answer"], re.I)
    assert any(m["verdict"] == "fresh" and "6 hours" in m["text"] for m in second.json["memories"])
    machine.ask("我在学线性代数，每周有6小时。", now=MONDAY)
    assert re.search("6|六", machine.ask("我每周有几个小时学线性代数？", now=WEDNESDAY)["answer"])
    assert UNKNOWN.search(machine.ask("What is my dog's name?", now=WEDNESDAY)["answer"])


def test_it_counts_with_its_tools(machine) -> None:
    """Arithmetic and days come from code; its own prompt and tools stay small."""
    product = machine.ask("What is 123 * 456 + 1?")
    assert "56089" in product["answer"].replace(",", "")
    assert [step["tool"] for step in product["steps"]] == ["calculate"]
    days = machine.ask("How many days are there from 2026-01-18 to 2026-12-31?")
    assert "347" in days["answer"]
    assert [step["tool"] for step in days["steps"]] == ["days_between"]
    for run in (product, days):
        assert run["tokens"]["parts"]["system"] + run["tokens"]["parts"]["tools"] <= 900


def test_it_never_passes_the_old_stock_as_todays(machine, tmp_path: Path) -> None:
    """Monday's 7 is not told on Thursday: the tool is asked again and says 0."""
    (tmp_path / "my_tools.py").write_text(STOCK)
    (tmp_path / "stock.txt").write_text("7")
    machine.env["ASSISTANT_TOOLS"] = str(tmp_path / "my_tools.py")
    question = "How many pieces of sku 42 are in stock?"
    assert "7" in machine.ask(question, "--session", "shop", now=MONDAY)["answer"]
    (tmp_path / "stock.txt").write_text("0")
    for options in ([], ["--session", "shop"]):
        run = machine.ask(question, *options, now=THURSDAY)
        assert re.search(r"\b(0|no|zero|none)\b", run["answer"], re.I), json.dumps(run)
        assert "7" not in run["answer"]


def test_a_fact_from_turn_two_of_sixty_is_still_answered(machine) -> None:
    """The turns were answered by a server, the last question by the packaged model."""
    machine.env |= {"ASSISTANT_CONTEXT_LIMIT": "4000", "ASSISTANT_REPLY_RESERVE": "500"}
    lines = [f"Turn {number}: tell me about gardens." for number in range(1, 60)]
    lines[1] = "My locker code is 4471."
    with ScriptedServer(lambda _body: says("Gardens are calm places. " * 12)) as server:
        machine.uses(server)
        chat = machine.run("chat", "--session", "long", stdin="\n".join(lines).encode())
        assert chat.code == 0, chat.err
    for name in ("OPENAI_BASE_URL", "OPENAI_API_KEY", "ASSISTANT_MODEL"):
        del machine.env[name]
    run = machine.ask("What is my locker code?", "--session", "long")
    assert "4471" in run["answer"]
    assert run["tokens"]["largest_request"] <= 3_500
