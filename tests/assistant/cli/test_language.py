"""Whatever the command line prints is in the user's language: words, waits, reasons and errors."""

from __future__ import annotations

import re
from collections.abc import Callable, Generator
from contextlib import contextmanager
from typing import Any

import pytest

from assistant.cli.progress import Waiter
from assistant.errors import RunFailed
from assistant.phrases import phrase
from assistant.testing import ScriptedServer, fails, says, sends

Run = Callable[..., Any]
Uses = Callable[[ScriptedServer], None]
DAY, LATER = "2026-03-02T09:00:00+08:00", "2026-03-20T09:00:00+08:00"
HAN = re.compile(r"[\u3400-\u9fff]+")
LATIN = re.compile(r"[A-Za-z]{2,}")
AS_TYPED = re.compile(
    r"'[^']*'|\"[^\"]*\"|“[^”]*”|https?:[\w./:-]*|(?<![\w/])\.?/[\w./-]+|--[\w-]+|[A-Za-z]+_\w+"
    r"|[0-9A-Z]{26}|[\w-]*\.(?:toml|env|db|jsonl|png|html|gguf|py|yaml|city)|\d[\dT:.+Z-]+"
)
"""Quoted words, addresses, paths, options, names with a "_", ids, files, subjects, times."""
NAMES = {
    "API", "ASSISTANT", "Alt", "Asia", "Chroma", "Ctrl", "Enter", "Europe", "GB", "GGUF",
    "IANA", "ISO", "JSON", "Lisbon", "MB", "OpenAI", "Python", "SHA", "Shanghai", "TOML", "UTF",
    "YAML", "ask", "assistant", "backup", "calculate", "cases", "chat", "check", "command",
    "completions", "core", "cross", "description", "encoder", "false", "http", "https", "iconv",
    "id", "in", "me", "multilingual", "remind", "reminder", "review", "schema", "scripted",
    "sentence", "token", "tool", "tools", "transformers", "true", "universal", "upkeep", "usem",
    "zh",
}  # fmt: skip
"""What is called so in both languages: formats, keys, commands, jobs, tools, models, places."""


def foreign(text: str, language: str) -> list[str]:
    """The words of a text that are of the other language."""
    if language == "en":
        return HAN.findall(text)
    return [word for word in LATIN.findall(AS_TYPED.sub(" ", text)) if word not in NAMES]


@pytest.fixture(params=["en", "zh"])
def language(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """The language that is set."""
    monkeypatch.setenv("ASSISTANT_LANGUAGE", request.param)
    monkeypatch.setenv("ASSISTANT_TIMEZONE", "Asia/Shanghai")
    monkeypatch.setenv("COLUMNS", "1000")  # no name is broken over two lines
    return request.param


@pytest.fixture
def waits(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What the user was told that they wait for, also where it took no time."""
    told: list[str] = []
    plain = Waiter.waiting

    @contextmanager
    def waiting(self: Waiter, what: str) -> Generator[Any]:
        told.append(what)
        with plain(self, what) as progress:
            yield progress

    monkeypatch.setattr(Waiter, "waiting", waiting)
    return told


@pytest.fixture
def told(run: Run, language: str) -> Callable[..., str]:
    """Run a command; what it printed is in the language that is set, and something."""

    def told(*words: str, now: str = DAY, stdin: bytes = b"") -> str:
        ran = run("--now", now, *words, stdin=stdin)
        said = ran.out + ran.err
        assert said.strip(), words
        assert not foreign(said, language), (words, said)
        return said

    return told


TEXT = {"en": "I live in 1 Lisbon.", "zh": "我住在里斯本1号。"}
NEWER = {"en": "I live in 2 Porto.", "zh": "我住在波尔图2号。"}


def test_memory_commands(told, run, language, waits, tmp_path) -> None:
    """What is remembered, found, left out, forgotten, moved and drawn is told in it."""
    told("memory", "add", TEXT[language], "--subject", "user.city")
    told("memory", "add", NEWER[language], "--subject", "user.city", now=LATER)
    file, page = tmp_path / "all.jsonl", tmp_path / "all.html"
    memories = run("memory", "list", "--json").json["memories"]
    for words in (
        ["list"],
        ["search", TEXT[language], "--all"],
        ["search", TEXT[language], "--all", "--limit", "1"],
        ["show", memories[0]["id"]],
        ["stats"],
        ["verify"],
        ["reindex"],
        ["export", str(file)],
        ["export", str(file)],
        ["import", str(file)],
        ["map", str(page)],
        ["forget", "--query", "1", "--dry-run"],
        ["forget", "--query", "1"],
        ["forget", "--query", "1", "--yes"],
        ["forget", "--query", "1"],
    ):
        told("memory", *words, now=LATER)
    heading = re.search(r"<h1>(.*)</h1>", page.read_text(encoding="utf-8"))
    assert heading is not None
    assert not foreign(heading[1].replace("me", ""), language)
    assert len(set(waits)) >= 8
    assert not foreign(" ".join(waits), language)


@pytest.mark.parametrize(
    ("words", "stdin"),
    [
        (["memry"], b""),
        (["qqq"], b""),
        (["memory", "lst"], b""),
        (["memory"], b""),
        (["memory", "show"], b""),
        (["memory", "show", "a", "b"], b""),
        (["memory", "list", "--limit", "many"], b""),
        (["memory", "list", "--limit", "0"], b""),
        (["memory", "list", "--kind", "rumour"], b""),
        (["memory", "list", "--limit"], b""),
        (["memory", "list", "--limt", "2"], b""),
        (["memory", "list", "--json=2"], b""),
        (["study", "adjust", "--away", "x"], b""),
        (["memory", "list", "--since", "x"], b""),
        (["--now", "x", "memory", "list"], b""),
        (["memory", "add", "-"], b""),
        (["memory", "add", "-"], b"\xff\xfe"),
        (["memory", "add", "-"], b"a\x00b"),
        (["memory", "add", "-"], b"x" * 1_000_000),
        (["memory", "add", "\udcff"], b""),
        (["memory", "map", "all.html"], b""),
        (["ask", "1", "--session", "?!"], b""),
        (["ask", "--retry"], b""),
        (["ask", "--retry", "--session", "no"], b""),
        (["chat", "--session", "a", "--continue"], b""),
        (["context"], b""),
        (["context", "--session", "no"], b""),
        (["eval", "run", "no"], b""),
        (["eval", "run", "core", "--junit", "/no/x.xml"], b""),
        (["team", "run", "no", "1"], b""),
        (["team", "run", "study_plan", " "], b""),
        (["restore", "no.db"], b""),
        (["remind", " "], b""),
        (["study", "log", " "], b""),
        (["jobs", "run", "no"], b""),
    ],
)
def test_what_is_typed_wrongly(words, stdin, run, language) -> None:
    """Usage and input: the message and what to do, also before any setting is read."""
    said = run(*words, stdin=stdin).err  # where a command is missing, the help is on the other
    assert "assistant: " in said
    own = re.sub(r"No such file or directory|\bno\b", "", said)  # the system's, and the test's
    assert not foreign(own, language), said


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("ASSISTANT_MODLE", "x"),
        ("ASSISTANT_QQQ", "x"),
        ("ASSISTANT_PROTOCOL", "tool"),
        ("ASSISTANT_CONTEXT_LIMIT", "lots"),
        ("ASSISTANT_CONTEXT_LIMIT", "-1"),
        ("ASSISTANT_TEMPERATURE", "x"),
        ("ASSISTANT_TEMPERATURE", "3"),
        ("ASSISTANT_NOTIFY_DESKTOP", "x"),
        ("ASSISTANT_STUDY_AT", "x"),
        ("ASSISTANT_OWNER", " "),
        ("ASSISTANT_COMPLETION_MARKER", "1" * 50),
        ("ASSISTANT_TIMEZONE", "Asia/Shangai"),
        ("ASSISTANT_TOOLS", "/no/tools.py"),
        ("ASSISTANT_EMBEDDER", "/no"),
        ("ASSISTANT_NOTIFY_WEBHOOK", "x"),
        ("ASSISTANT_NOTIFY_COMMAND", " "),
        ("OPENAI_BASE_URL", "localhost"),
    ],
)
def test_a_wrong_setting(name, value, run, language, monkeypatch) -> None:
    """Which is wrong, why and what it is, though the settings could not be read."""
    monkeypatch.setenv(name, value)
    ran = run("jobs", "list")
    assert ran.code == 2
    said = ran.err.partition("可用的设置")[0]  # after it stand only names
    assert not foreign(re.sub(r"auto, tools, schema, text", "", said), language), said


@pytest.mark.parametrize(
    ("file", "text"),
    [
        (".env", 'ASSISTANT_OWNER="x\n'),
        (".env", "ASSISTANT_CONTEXT_LIMIT=many\nASSISTANT_LANGUAGE=zh\n"),
        ("config.toml", 'language = "zh"\nmodle = 1\n'),
        ("config.toml", 'language = "zh"\ncontext_limit = 300\nreply_reserve = 300\n'),
    ],
)
def test_the_language_is_found_where_other_settings_are_wrong(
    file, text, run, home, monkeypatch
) -> None:
    """It stands in the same file as what is wrong, or in the environment."""
    if "zh" not in text:
        monkeypatch.setenv("ASSISTANT_LANGUAGE", "zh")
    home.mkdir()
    (home / file).write_text(text)
    said = run("memory", "list").err.partition("可用的设置")[0]
    assert HAN.search(said)
    assert not foreign(re.sub(r"modle|model|context_limit", "", said), "zh"), said


def test_doctor(told, uses, waits, language, monkeypatch) -> None:
    """Its checks and its advice, where a server answers and where it lacks the model."""
    with ScriptedServer([]) as server:
        uses(server)
        told("doctor")
        monkeypatch.setenv("ASSISTANT_MODEL", "1")
        told("doctor")
    assert len(set(waits)) >= 3
    assert not foreign(" ".join(waits), language)


def unsound(_file: object) -> None:
    """Fail as the copy of a damaged ledger does."""
    raise RunFailed(phrase("jobs.damaged", file="%", problem="%"))


def test_jobs_and_what_they_did(told, run, language, waits, monkeypatch) -> None:
    """Each run's details are kept in the language, those of failures and notifiers too."""
    told("jobs", "list")
    for job in ("upkeep", "backup", "review"):
        told("jobs", "run", job)
    told("remind", TEXT[language], "--at", "2026-03-02T09:01:00+08:00")
    monkeypatch.setenv("ASSISTANT_NOTIFY_COMMAND", "false")
    monkeypatch.setattr("assistant.jobs.backup._sound", unsound)
    assert "%" in told("jobs", "run", "backup", now=LATER)
    run("--now", LATER, "jobs", "run")
    told("jobs", "history", now=LATER)
    assert waits
    assert not foreign(" ".join(waits), language)


QUESTION = {"en": "What is 6 * 7?", "zh": "6 * 7 是多少？"}
ANSWER = {"en": "It is 42.", "zh": "是 42。"}


def test_a_run_and_its_context(told, uses, language, waits, monkeypatch) -> None:
    """The trace, the waiting, the chat's own words, and what a request holds and leaves out."""
    question, answer = QUESTION[language], ANSWER[language]
    with ScriptedServer(lambda _body: says(answer)) as server:
        uses(server)
        told("ask", question, "--session", "1", "--trace")
        told("chat", "--session", "1", stdin=f"{question}\n/help\n/context\n/memory\n/x\n".encode())
        told("context", "--session", "1")
        for _ in range(3):
            told("ask", question + answer * 300, "--session", "1")
        monkeypatch.setenv("ASSISTANT_CONTEXT_LIMIT", "3000")
        held = told("context", question, "--session", "1", now=LATER)
    assert {"en": "left out: ", "zh": "未放入："}[language] in held
    assert len(set(waits)) >= 2
    assert not foreign(" ".join(waits), language)


@pytest.mark.parametrize(
    "step",
    [
        fails(401, "1"),
        fails(404, "model 1"),
        fails(404, "1"),
        fails(400, "1"),
        fails(429, "1", code="insufficient_quota"),
        fails(429, "1", retry_after="3600"),
        fails(503, "1", retry_after="3600"),
        sends("<html>1</html>"),
        sends("<html>1</html>", status=400),
    ],
)
@pytest.mark.parametrize("command", ["ask", "chat"])
def test_what_a_server_answers(command, step, told, uses, language) -> None:
    """What went wrong there and what to do, from a command and within a chat."""
    asked = QUESTION[language]
    with ScriptedServer(lambda _body: step) as server:
        uses(server)
        said = told("ask", asked) if command == "ask" else told("chat", stdin=asked.encode())
    assert "http" in said


def test_a_question_that_does_not_fit(told, uses, language, monkeypatch) -> None:
    """What is too long, by part, and what to do about it."""
    monkeypatch.setenv("ASSISTANT_CONTEXT_LIMIT", "2000")
    with ScriptedServer([]) as server:
        uses(server)
        told("ask", QUESTION[language] * 2000)


SUITE = """
cases:
  - {id: "1", category: freshness, language: en, now: 2026-03-02T09:00:00+08:00,
     turns: [{ask: "1", expect: {contains: ["2"], excludes: ["1"], matches: ["2"],
       numbers: [{value: 2}], called: [{tool: get_weather}], order: [calculate],
       memory_used: ["2"], verdicts: [{text: "2", verdict: fresh}], tokens_at_most: 1}}]}
"""


def test_an_evaluation(told, uses, language, waits, tmp_path) -> None:
    """Its tables, why cases failed, what got worse, and what is wrong with a suite's file."""
    suite = tmp_path / "suite.yaml"
    suite.write_text(SUITE)
    with ScriptedServer(lambda _body: says("1")) as server:
        uses(server)
        for _ in range(2):
            said = told("eval", "run", str(suite), "--runs", "1")
            assert re.search(r"0\s+1\s+0%", said)
    for wrong in ("cases: []", "- 1", "cases: [{id: 1}]", "cases: 1"):
        suite.write_text(wrong)
        told("eval", "run", str(suite))
    assert not foreign(" ".join(waits), language)


TEAM = """
kind: pipeline
members:
  - {name: "1", prompt: "1"}
  - {name: "2", prompt: "2", returns_to: "1"}
retries: 0
rounds: 1
"""


@pytest.mark.parametrize("said", ["[DONE] 1", "1", "[REDO] 1"])
def test_a_team(said, told, uses, language, tmp_path) -> None:
    """The messages between its members, and why it stopped."""
    team = tmp_path / "team.yaml"
    team.write_text(TEAM)
    with ScriptedServer(lambda _body: says(said)) as server:
        uses(server)
        printed = told("team", "run", str(team), TEXT[language], "--messages")
    assert printed.count("→") >= 2


TOOL = "from assistant.tools import tool\n@tool({})\ndef f({}) -> str: ..."


@pytest.mark.parametrize(
    "code",
    [
        "1 / 0",
        "x = 1",
        TOOL.format("description=''", ""),
        TOOL.format("description='f', max_age='x'", ""),
        TOOL.format("description='f'", "x"),
        TOOL.format("description='f', subject='{y}'", ""),
        TOOL.format("description='f', parameters={'properties': {'y': {}}}", "x: str"),
    ],
)
def test_a_tool_that_will_not_do(code, run, language, tmp_path, monkeypatch) -> None:
    """What is wrong with a tool of the user's own, named as it is written."""
    file = tmp_path / "own.py"
    file.write_text(code)
    monkeypatch.setenv("ASSISTANT_TOOLS", str(file))
    said = run("doctor").out
    assert str(file.name) in said.replace("\n", "")
    own = r"ZeroDivisionError: division by zero|subject|None|str|array|object"
    found = re.search(r"✗ (?:tools|工具).*?(?=\n[✓✗])", said, re.DOTALL)
    assert found is not None
    assert not foreign(re.sub(own, "", found[0].replace("\n", "")), language), found[0]
