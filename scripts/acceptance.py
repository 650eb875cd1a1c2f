"""Runs the scenarios of the first promise with the packaged model: one home, each line a process.

    python scripts/acceptance.py [--runs 10] [--only NAME]

Prints one row a scenario with how often it was right, and how often all were right together.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

STOCK_TOOL = """
from pathlib import Path
from assistant.tools import tool

FILE = Path(__file__).with_name("stock.txt")

@tool(description="How many pieces of an article are in stock, by sku.", max_age="1d", live=True)
def get_stock(sku: str) -> str:
    return f"{FILE.read_text().strip()} pieces of {sku} are in stock."
"""

HASHED_TOOL = """
import hashlib
from pathlib import Path
from assistant.tools import tool

FILE = Path(__file__).with_name("stock.txt")

def version(sku: str) -> str:
    return hashlib.sha256(FILE.read_bytes()).hexdigest()

@tool(description="How many pieces of an article are in stock, by its sku.", max_age="0s",
      validator=version, live=True)
def get_stock(sku: str) -> str:
    return f"{FILE.read_text().strip()} pieces of {sku} are in stock."
"""

MONDAY, TUESDAY = "2026-03-02T09:00:00+08:00", "2026-03-03T09:00:00+08:00"
WEDNESDAY, THURSDAY = "2026-03-04T09:00:00+08:00", "2026-03-05T09:00:00+08:00"
NEXT_MONDAY, NEXT_TUESDAY = "2026-03-09T09:00:00+08:00", "2026-03-10T09:00:00+08:00"
NEXT_THURSDAY = "2026-03-12T09:00:00+08:00"
STOCK_QUESTION = "How many pieces of sku 42 are in stock?"


@dataclass
class Home:
    """The home of one repetition, with the file that its stock tool reads beside it."""

    folder: Path
    tool_source: str = ""

    def write_stock(self, text: str) -> None:
        """Say how many there are."""
        (self.folder / "stock.txt").write_text(text)

    def ask(self, now: str, text: str, session: str | None = None) -> dict[str, object]:
        """Ask in a new process, and return the object that it prints."""
        env = {k: v for k, v in os.environ.items() if not k.startswith(("OPENAI_", "ASSISTANT_"))}
        env["ASSISTANT_HOME"] = str(self.folder / "home")
        if path := os.environ.get("ASSISTANT_MODEL_PATH"):
            env["ASSISTANT_MODEL_PATH"] = path
        if self.tool_source:
            tools = self.folder / "my_tools.py"
            tools.write_text(self.tool_source)
            env["ASSISTANT_TOOLS"] = str(tools)
        command = [sys.executable, "-m", "assistant", "--now", now, "ask", text, "--json"]
        if session:
            command += ["--session", session]
        done = subprocess.run(command, env=env, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise AssertionError(f"exit {done.returncode}: {done.stdout}{done.stderr[-500:]}")
        return json.loads(done.stdout)


def check(condition: bool, what: str) -> None:
    """Fail the scenario with a reason."""
    if not condition:
        raise AssertionError(what)


def tools_called(reply: dict[str, object]) -> list[str]:
    """Return the names of the tools that a run called."""
    return [step["tool"] for step in reply["steps"]]  # type: ignore[index,union-attr]


def remembers_english(home: Home) -> None:
    """What was told is recalled as fresh two days later."""
    home.ask(MONDAY, "I am learning linear algebra and have 6 hours a week for it.")
    reply = home.ask(WEDNESDAY, "How many hours a week do I have for linear algebra?")
    fresh = [m for m in reply["memories"] if "6 hours" in m["text"] and m["verdict"] == "fresh"]
    check(bool(fresh), f"no fresh memory in {reply['memories']}")
    check("6" in reply["answer"], reply["answer"])


def remembers_chinese(home: Home) -> None:
    """The same in Chinese."""
    home.ask(MONDAY, "我在学线性代数，每周有6小时。")
    reply = home.ask(WEDNESDAY, "我每周有几个小时学线性代数？")
    fresh = [m for m in reply["memories"] if "6小时" in m["text"] and m["verdict"] == "fresh"]
    check(bool(fresh), f"no fresh memory in {reply['memories']}")
    check("6" in reply["answer"] or "六" in reply["answer"], reply["answer"])


def admits_ignorance(home: Home) -> None:
    """What was never told is not known."""
    home.ask(MONDAY, "I am learning linear algebra and have 6 hours a week for it.")
    answer = str(home.ask(WEDNESDAY, "What is my dog's name?")["answer"]).lower()
    words = (
        "don't know",
        "do not know",
        "don’t know",
        "not know",
        "haven't told",
        "no information",
    )
    check(any(word in answer for word in words), answer)


def calculates(home: Home) -> None:
    """Arithmetic comes from the tool."""
    reply = home.ask(MONDAY, "What is 123 * 456 + 1?")
    check("calculate" in tools_called(reply), f"called {tools_called(reply)}")
    check("56089" in str(reply["answer"]).replace(",", ""), reply["answer"])


def counts_days(home: Home) -> None:
    """Days between dates come from the tool."""
    reply = home.ask(MONDAY, "How many days are there from 2026-01-18 to 2026-12-31?")
    check("days_between" in tools_called(reply), f"called {tools_called(reply)}")
    check("347" in str(reply["answer"]), reply["answer"])


def _tells(text: str, sku: str) -> bool:
    return sku in text and "7" in text.replace(sku, "")


def _old_is_not_current(reply: dict[str, object], sku: str = "42") -> None:
    seen = [*reply["memories"], *reply["dropped"]]  # type: ignore[misc]
    for kind in ("tool_result", "answer"):
        old = [item for item in seen if item["kind"] == kind and _tells(item["text"], sku)]
        check(bool(old), f"the old {kind} is neither a memory nor dropped")
        current = [item for item in old if item["verdict"] in ("fresh", "revalidated")]
        check(not current, f"the old {kind} passes as current: {current}")
    check("get_stock" in tools_called(reply), f"called {tools_called(reply)}: {reply['answer']}")
    check("0" in str(reply["answer"]) or "out of stock" in str(reply["answer"]), reply["answer"])
    check("7" not in str(reply["answer"]), reply["answer"])


def stock_goes_stale(home: Home) -> None:
    """A stock of Monday is asked for again on Thursday, in the same session and in a new one."""
    home.tool_source = STOCK_TOOL
    home.write_stock("7")
    check("7" in str(home.ask(MONDAY, STOCK_QUESTION, "shop")["answer"]), "no 7 on Monday")
    home.write_stock("0")
    _old_is_not_current(home.ask(THURSDAY, STOCK_QUESTION, "shop"))


def stock_goes_stale_elsewhere(home: Home) -> None:
    """The same in a new session, for another article."""
    home.tool_source = STOCK_TOOL
    home.write_stock("7")
    question = STOCK_QUESTION.replace("42", "43")
    check("7" in str(home.ask(MONDAY, question)["answer"]), "no 7 on Monday")
    home.write_stock("0")
    _old_is_not_current(home.ask(THURSDAY, question), "43")


def stock_is_revalidated(home: Home) -> None:
    """With a validator, an unchanged source needs no call, a changed one is asked again."""
    home.tool_source = HASHED_TOOL
    home.write_stock("7")
    check("7" in str(home.ask(NEXT_MONDAY, STOCK_QUESTION)["answer"]), "no 7 on Monday")
    same = home.ask(NEXT_TUESDAY, STOCK_QUESTION)
    verdicts = {m["verdict"] for m in same["memories"] if m["kind"] == "tool_result"}  # type: ignore[union-attr]
    check("revalidated" in verdicts, f"verdicts {verdicts}")
    check("get_stock" not in tools_called(same), "called although unchanged")
    check("7" in str(same["answer"]), same["answer"])
    home.write_stock("0")
    changed = home.ask(NEXT_THURSDAY, STOCK_QUESTION)
    everything = [*changed["memories"], *changed["dropped"]]  # type: ignore[misc]
    check("changed" in {m["verdict"] for m in everything}, "nothing judged changed")
    _old_is_not_current(changed)


SCENARIOS: tuple[Callable[[Home], None], ...] = (
    remembers_english,
    remembers_chinese,
    admits_ignorance,
    calculates,
    counts_days,
    stock_goes_stale,
    stock_goes_stale_elsewhere,
    stock_is_revalidated,
)


def main() -> int:
    """Run every scenario `--runs` times and print the rates."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=10)
    parser.add_argument("--only", default="")
    arguments = parser.parse_args()
    chosen = [s for s in SCENARIOS if arguments.only in s.__name__]
    right = {scenario.__name__: 0 for scenario in chosen}
    together = 0
    for run in range(1, arguments.runs + 1):
        failed = 0
        with tempfile.TemporaryDirectory() as folder:
            home = Home(Path(folder))
            for scenario in chosen:
                try:
                    scenario(home)
                    right[scenario.__name__] += 1
                except AssertionError as error:
                    failed += 1
                    print(f"run {run}: {scenario.__name__}: {error}", file=sys.stderr)
        together += failed == 0
        print(f"run {run}: {len(chosen) - failed} of {len(chosen)} right", file=sys.stderr)
    for name, count in right.items():
        print(f"{name:28} {count}/{arguments.runs}")
    print(f"{'all together':28} {together}/{arguments.runs}")
    return 0 if together * 10 >= arguments.runs * 9 else 1


if __name__ == "__main__":
    sys.exit(main())
