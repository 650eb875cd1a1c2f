"""Twenty runs at once, from threads and from processes: nothing is mixed up and nothing is lost."""

import json
import re
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from assistant.app import App
from assistant.events import Answered
from assistant.settings import Settings
from assistant.testing import ScriptedServer, Step, calls, says

RUNS = 20


def adds(body: dict[str, Any]) -> Step:
    """Calls `calculate` with the question's number, then answers with what it said."""
    last = body["messages"][-1]
    if "tools" not in body:
        return says("They added numbers.")  # the summary of a long session
    if last["role"] == "tool":
        total = re.findall(r"= (\d+)", last["content"])[-1]
        return says(f"The sum is {total}.")
    number = re.findall(r"number (\d+)", last["content"])[-1]
    return calls(("calculate", {"expression": f"{number} + 1000"}))


def question(number: int) -> str:
    return f"What is number {number} plus 1000?"


@pytest.fixture
def server() -> Iterator[ScriptedServer]:
    with ScriptedServer(adds) as server:
        yield server


def settings(home: Path, server: ScriptedServer) -> Settings:
    return Settings.load(
        home, openai_base_url=server.url, openai_api_key="test", model="scripted", timezone="UTC"
    )


def ask(app: App, number: int, session: str) -> str:
    *_events, last = [
        event
        for event in app.agent.run(app.sessions.open(session), question(number))
        if isinstance(event, Answered)
    ]
    return last.text


def check_memory(app: App, sessions: dict[str, list[int]]) -> None:
    """Every run left its turn, in order, and its three memories, all of them in the index."""
    for name, numbers in sessions.items():
        session = app.sessions.find(name)
        assert session is not None
        turns = app.sessions.turns(session)
        assert [turn.number for turn in turns] == list(range(1, len(numbers) + 1))
        assert [turn.asked_at for turn in turns] == sorted(turn.asked_at for turn in turns)
        assert sorted(turn.question for turn in turns) == sorted(map(question, numbers))
        for turn in turns:
            asked = int(re.findall(r"number (\d+)", turn.question)[0])
            assert turn.answer == f"The sum is {asked + 1000}."
            assert [step.message.role for step in turn.steps] == ["assistant", "tool"]
            kinds = {chunk.kind for chunk in app.store.chunks(session=session.id, turn=turn.id)}
            assert kinds == {"question", "tool_result", "answer"}
    assert len(app.store.chunks(kind="question")) == sum(map(len, sessions.values()))
    report = app.store.verify()
    assert report.ok, report


def check_apart(requests: list[dict[str, Any]]) -> None:
    """What a request holds of a conversation is its own session's."""
    for body in requests:
        spoken = [m for m in body["messages"] if m["role"] in ("assistant", "tool")]
        asked = re.findall(r"number (\d+)", body["messages"][-1 - len(spoken)]["content"])[-1]
        assert all(asked in json.dumps(message) for message in spoken)


@pytest.mark.parametrize("shared", [False, True], ids=["own sessions", "one session"])
def test_runs_from_threads(tmp_path: Path, server: ScriptedServer, shared: bool) -> None:
    """Twenty threads on one app: each run is answered, recorded and remembered as its own."""
    names = {number: "shared" if shared else f"session {number}" for number in range(RUNS)}
    with App.open(settings(tmp_path, server)) as app:
        with ThreadPoolExecutor(RUNS) as pool:
            answers = list(pool.map(lambda number: ask(app, number, names[number]), range(RUNS)))
        assert answers == [f"The sum is {number + 1000}." for number in range(RUNS)]
        sessions: dict[str, list[int]] = {}
        for number, name in names.items():
            sessions.setdefault(name, []).append(number)
        check_memory(app, sessions)
    if not shared:
        check_apart(server.requests)


WORKER = """
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from assistant.app import App
from assistant.events import Answered
from assistant.settings import Settings

home, url, *numbers = sys.argv[1:]
settings = Settings.load(
    Path(home), openai_base_url=url, openai_api_key="test", model="scripted", timezone="UTC"
)
def ask(app, number):
    session = app.sessions.open("shared" if int(number) % 2 else f"session {number}")
    events = list(app.agent.run(session, f"What is number {number} plus 1000?"))
    return [event.text for event in events if isinstance(event, Answered)]

with App.open(settings) as app, ThreadPoolExecutor(len(numbers)) as pool:
    list(pool.map(lambda number: ask(app, number), numbers))
"""


@pytest.mark.long
def test_runs_from_processes(tmp_path: Path, server: ScriptedServer) -> None:
    """Twenty runs in three processes, half of them in one session: nothing is lost."""
    workers = [
        subprocess.Popen(
            [sys.executable, "-c", WORKER, str(tmp_path), server.url, *map(str, numbers)],
            stderr=subprocess.PIPE,
            text=True,
        )
        for numbers in (range(start, RUNS, 3) for start in range(3))
    ]
    for worker in workers:
        _out, errors = worker.communicate()
        assert worker.returncode == 0, errors
    assert len([body for body in server.requests if "tools" in body]) == 2 * RUNS
    with App.open(settings(tmp_path, server)) as app:
        check_memory(
            app,
            {
                "shared": [number for number in range(RUNS) if number % 2],
                **{f"session {number}": [number] for number in range(0, RUNS, 2)},
            },
        )
