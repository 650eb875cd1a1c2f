"""Measures runs at once: how much longer they take than the model's server itself.

python scripts/bench_concurrency.py [--runs 20] [--processes 4] [--seconds 2] [--json FILE]

The scripted server takes `--seconds` for each reply, two a run (a call, then the answer), and
answers any number of requests at once, as a hosted model does. So 20 answers need at least the
time that the server takes for one. What comes after the answers, such as reading facts from
several turns, asks the server once more: the end of it is measured beside three replies.
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, NamedTuple

from assistant.app import App
from assistant.events import Answered
from assistant.settings import Settings
from assistant.testing import ScriptedServer, Step, calls, says

REPLIES = 2
"""Of the server until an answer; one more comes after some."""


class Times(NamedTuple):
    """Seconds until the last answer is out, and until all work after it has ended."""

    answers: float
    end: float


def main() -> int:
    """Measure, print the table, and write the JSON."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=20)
    parser.add_argument("--processes", type=int, default=4)
    parser.add_argument("--seconds", type=float, default=2.0, help="the server's time for a reply")
    parser.add_argument("--json", type=Path, help="write the figures here")
    parser.add_argument("--worker", nargs=argparse.REMAINDER, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.worker:
        return _worker(*options.worker)
    figures = measure(options.runs, options.processes, options.seconds)
    for name, value in figures.items():
        print(f"{name:58} {value:8.2f}")
    if options.json:
        options.json.write_text(json.dumps(figures, indent=1), encoding="utf-8")
    return 0


def measure(runs: int, processes: int, seconds: float) -> dict[str, float]:
    """Return seconds, and their ratios to the server's own time."""
    with ScriptedServer(_slow(seconds)) as server, tempfile.TemporaryDirectory() as home:
        with App.open(_settings(Path(home), server.url)) as app:
            _ask(app, 0, "first")  # loads the embedder
            ways = {
                "one run alone": _at_once(app, [1], lambda _n: "alone"),
                f"{runs} runs, threads": _at_once(app, range(runs), lambda n: f"own {n}"),
                f"{runs} runs, threads, one session": _at_once(
                    app, range(runs), lambda _n: "shared"
                ),
            }
        ways[f"{runs} runs, {processes} processes"] = _in_processes(
            Path(home), server.url, runs, processes
        )
    own, longest = REPLIES * seconds, (REPLIES + 1) * seconds
    figures = {"the server's own time for an answer, s": own}
    for way, times in ways.items():
        figures[f"{way}: answers out, s"] = times.answers
        figures[f"{way}: times the server's own time"] = times.answers / own
        figures[f"{way}: all ended, s"] = times.end
        figures[f"{way}: times the server's three replies"] = times.end / longest
    return figures


def _slow(seconds: float) -> Callable[[dict[str, Any]], Step]:
    def answer(body: dict[str, Any]) -> Step:
        time.sleep(seconds)
        last = body["messages"][-1]
        if "response_format" in body:
            return says('{"facts": []}')
        if "tools" not in body:
            return says("They added numbers.")  # the summary of a long session
        if last["role"] == "tool":
            return says(f"It is {last['content']}")
        number = re.findall(r"number (\d+)", last["content"])[-1]
        return calls(("calculate", {"expression": f"{number} + 1000"}))

    return answer


def _settings(home: Path, url: str) -> Settings:
    return Settings.load(home, openai_base_url=url, openai_api_key="bench", model="scripted")


def _ask(app: App, number: int, session: str) -> float:
    """Run one question; return when its answer was out."""
    answered = 0.0
    question = f"What is number {number} plus 1000?"
    for event in app.agent.run(app.sessions.open(session), question):
        if isinstance(event, Answered):
            assert str(number + 1000) in event.text, event.text
            answered = time.perf_counter()
    return answered


def _at_once(app: App, numbers: Sequence[int], session: Callable[[int], str]) -> Times:
    started = time.perf_counter()
    with ThreadPoolExecutor(len(numbers)) as pool:
        answered = list(pool.map(lambda number: _ask(app, number, session(number)), numbers))
    return Times(max(answered) - started, time.perf_counter() - started)


def _in_processes(home: Path, url: str, runs: int, processes: int) -> Times:
    """Measure from when every process is ready."""
    shares = [range(start, runs, processes) for start in range(processes)]
    workers = [
        subprocess.Popen(
            [sys.executable, __file__, "--worker", str(home), url, *map(str, share)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        for share in shares
    ]
    for worker in workers:
        assert worker.stdout is not None
        worker.stdout.readline()  # ready
    for worker in workers:
        assert worker.stdin is not None
        worker.stdin.write("go\n")
        worker.stdin.flush()
    each: list[Times] = []
    for worker in workers:
        assert worker.stdout is not None
        each.append(Times(*map(float, worker.stdout.readline().split())))
    assert [worker.wait() for worker in workers] == [0] * processes
    return Times(max(times.answers for times in each), max(times.end for times in each))


def _worker(home: str, url: str, *numbers: str) -> int:
    with App.open(_settings(Path(home), url)) as app:
        _ask(app, int(numbers[0]), f"warm {numbers[0]}")
        print("ready", flush=True)
        sys.stdin.readline()
        times = _at_once(app, [int(number) for number in numbers], lambda n: f"process {n}")
        print(*times, flush=True)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
