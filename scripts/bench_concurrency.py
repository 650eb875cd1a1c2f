"""Measures runs at once: how much longer they take than the model's server itself.

python scripts/bench_concurrency.py [--runs 20] [--processes 4] [--seconds 2] [--json FILE]

The scripted server takes `--seconds` for each reply, two a run (a call, then the answer), and
answers any number of requests at once, as a hosted model does. So 20 runs at once need at least
the time that the server takes for one.
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
from typing import Any

from assistant.app import App
from assistant.events import Answered
from assistant.settings import Settings
from assistant.testing import ScriptedServer, Step, calls, says

REPLIES = 2


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
    """Return seconds, and their ratios to the server's own time for one run."""
    server_time = REPLIES * seconds
    figures = {"server's own time for one run, s": server_time}
    with ScriptedServer(_slow(seconds)) as server, tempfile.TemporaryDirectory() as home:
        with App.open(_settings(Path(home), server.url)) as app:
            _ask(app, 0, "first")  # loads the embedder
            figures["one run alone, s"] = _timed(lambda: _ask(app, 1, "alone"))
            threads = _timed(lambda: _at_once(app, range(runs), lambda n: f"own {n}"))
            figures[f"{runs} runs at once, threads, own sessions, s"] = threads
            figures["  times the server's own time"] = threads / server_time
            shared = _timed(lambda: _at_once(app, range(runs), lambda _n: "shared"))
            figures[f"{runs} runs at once, threads, one session, s"] = shared
            figures["  times the server's own time (one session)"] = shared / server_time
        spread = _in_processes(Path(home), server.url, runs, processes)
        figures[f"{runs} runs at once, {processes} processes, s"] = spread
        figures["  times the server's own time (processes)"] = spread / server_time
    return figures


def _slow(seconds: float) -> Callable[[dict[str, Any]], Step]:
    def answer(body: dict[str, Any]) -> Step:
        time.sleep(seconds)
        last = body["messages"][-1]
        if "tools" not in body:
            return says("They added numbers.")  # the summary of a long session
        if last["role"] == "tool":
            return says(f"It is {last['content']}")
        number = re.findall(r"number (\d+)", last["content"])[-1]
        return calls(("calculate", {"expression": f"{number} + 1000"}))

    return answer


def _settings(home: Path, url: str) -> Settings:
    return Settings.load(home, openai_base_url=url, openai_api_key="bench", model="scripted")


def _ask(app: App, number: int, session: str) -> None:
    events = list(app.agent.run(app.sessions.open(session), f"What is number {number} plus 1000?"))
    answers = [event.text for event in events if isinstance(event, Answered)]
    assert str(number + 1000) in answers[0], answers


def _at_once(app: App, numbers: Sequence[int], session: Callable[[int], str]) -> None:
    with ThreadPoolExecutor(len(numbers)) as pool:
        list(pool.map(lambda number: _ask(app, number, session(number)), numbers))


def _in_processes(home: Path, url: str, runs: int, processes: int) -> float:
    """Seconds from when every process is ready until the last run has ended."""
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
    started = time.perf_counter()
    for worker in workers:
        assert worker.stdin is not None
        worker.stdin.write("go\n")
        worker.stdin.flush()
    for worker in workers:
        assert worker.stdout is not None
        worker.stdout.readline()  # done
    ended = time.perf_counter()
    assert [worker.wait() for worker in workers] == [0] * processes
    return ended - started


def _worker(home: str, url: str, *numbers: str) -> int:
    with App.open(_settings(Path(home), url)) as app:
        _ask(app, int(numbers[0]), f"warm {numbers[0]}")
        print("ready", flush=True)
        sys.stdin.readline()
        _at_once(app, [int(number) for number in numbers], lambda n: f"process {n}")
        print("done", flush=True)
    return 0


def _timed(work: Callable[[], object]) -> float:
    started = time.perf_counter()
    work()
    return time.perf_counter() - started


if __name__ == "__main__":
    raise SystemExit(main())
