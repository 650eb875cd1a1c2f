"""The program: commands by name, global options anywhere, and errors that say what to do."""

import logging
import os
import subprocess
import sys
from datetime import UTC, datetime

import pytest

from assistant.cli.main import COMMANDS
from assistant.cli.problems import explain
from assistant.cli.reading import read_moment, read_span
from assistant.errors import ModelUnreachable, UserError
from assistant.settings import Settings
from memory_store.errors import InvalidInput, LedgerDamaged, StorageFull

HEAVY = {
    "chromadb",
    "numpy",
    "openai",
    "pydantic_settings",
    "sentence_transformers",
    "sqlalchemy",
    "tiktoken",
    "torch",
}


def loaded_by(*arguments: str) -> set[str]:
    """The top-level modules that a command loads, in a process of its own."""
    code = (
        "import sys; from assistant.cli.main import main; main(sys.argv[1:]);"
        "print(*{name.split('.')[0] for name in sys.modules}, file=sys.stderr)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, *arguments], capture_output=True, text=True, check=True
    )
    return set(done.stderr.splitlines()[-1].split())


def test_help_loads_nothing_heavy() -> None:
    """`assistant --help` is instant because nothing is imported for it."""
    assert not loaded_by("--help") & HEAVY


def test_counting_memory_loads_no_model_and_no_index(home) -> None:
    """`assistant memory stats` needs the ledger only."""
    heavy = HEAVY - {"pydantic_settings", "sqlalchemy"}
    assert not loaded_by("memory", "stats") & heavy


def test_closed_standard_streams_are_no_fault(home) -> None:
    """With `<&- >&-` the command works, and no file of ours becomes standard output."""
    command = f'{sys.executable} -m assistant.cli.main --home "{home}" memory stats <&- >&-'
    done = subprocess.run(["/bin/sh", "-c", command], check=False, stderr=-1, text=True)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize("words", [["--help"], ["memory", "stats"], ["doctor"]])
def test_a_reader_that_has_seen_enough_is_no_fault(words: list[str], home) -> None:
    """Like `assistant … | head -1`: the pipe is closed, and nothing is said about it."""
    read, write = os.pipe()
    os.close(read)
    command = [sys.executable, "-m", "assistant", "--home", str(home), *words]
    with os.fdopen(write, "w") as pipe:
        done = subprocess.run(command, check=False, stdout=pipe, stderr=-1, text=True)
    assert (done.returncode, done.stderr) == (1, "")


@pytest.mark.parametrize("given", [["--home", ""], ["--home="]])
def test_an_empty_home_is_not_the_working_directory(given, run, tmp_path, monkeypatch) -> None:
    """A script's empty variable is refused before anything is made."""
    monkeypatch.chdir(tmp_path)
    before = sorted(tmp_path.iterdir())
    done = run(*given, "memory", "stats")
    assert done.code == 2
    assert "it is empty" in done.err
    assert sorted(tmp_path.iterdir()) == before


def test_help_lists_every_command(run) -> None:
    """The first screen names all there is."""
    shown = run("--help")
    assert shown.code == 0
    for name in COMMANDS:
        assert name in shown.out


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_explains_itself(name, run) -> None:
    """Each command can be loaded and has help."""
    shown = run(name, "--help")
    assert shown.code == 0
    assert "Usage: assistant" in shown.out


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["memry"], "Did you mean 'memory'?"),
        (["memory", "lst"], "Did you mean 'list'?"),
        (["ask", "--sesion", "x", "hello"], "--session"),
        (["memory", "show"], "Missing"),
        (["memory", "list", "--limit", "many"], "--limit"),
    ],
)
def test_a_mistyped_command_is_the_users_error(arguments, said, run) -> None:
    """Exit 2, one line, what was meant, and where help is."""
    ran = run(*arguments)
    assert ran.code == 2
    assert said in ran.err
    assert "--help" in ran.err
    assert ran.out == ""
    assert len(ran.err.splitlines()) == 1


def test_a_mistyped_option_with_json_is_a_json_error(run) -> None:
    """With `--json`, standard output holds one object, whatever goes wrong."""
    ran = run("ask", "hello", "--json", "--nonsense")
    assert ran.code == 2
    assert ran.json["error"]["code"] == "usage"
    assert "--nonsense" in ran.json["error"]["message"]
    assert "assistant ask --help" in ran.json["error"]["hint"]


def test_global_options_may_stand_anywhere(run, tmp_path) -> None:
    """`--home` and `--now` are found before, between and after a command's words."""
    home = str(tmp_path / "other")
    first = run("--home", home, "--now", "2026-03-02T09:00:00+08:00", "memory", "add", "one")
    last = run("memory", "add", "two", f"--home={home}", "--now", "2026-03-03T09:00:00+08:00")
    assert (first.code, last.code) == (0, 0)
    listed = run("memory", "--home", home, "list", "--json").json["memories"]
    assert [memory["created_at"] for memory in listed] == [
        "2026-03-02T01:00:00+00:00",
        "2026-03-03T01:00:00+00:00",
    ]


def test_words_after_two_dashes_are_words(run) -> None:
    """What comes after `--` is text, also if it looks like an option."""
    assert run("memory", "add", "--", "--now is a word here").code == 0
    assert run("memory", "list", "--json").json["memories"][0]["text"] == "--now is a word here"


@pytest.mark.parametrize(
    "now", ["tomorrow", "2026-13-01", "12:00", "", "0001-01-01T00:00:00+14:00"]
)
def test_a_wrong_time_is_refused_before_anything_is_stored(now, run, home) -> None:
    """`--now tomorrow` says what a time looks like."""
    ran = run("--now", now, "memory", "add", "text", "--json")
    assert ran.code == 2
    assert "--now" in ran.json["error"]["message"]
    assert not (home / "ledger.db").exists()


def test_a_time_without_zone_is_the_users(monkeypatch) -> None:
    """Nine o'clock is nine where the user lives."""
    monkeypatch.setenv("ASSISTANT_TIMEZONE", "Asia/Shanghai")
    zone = Settings.load().zone
    assert read_moment("2026-03-02T09:00:00", zone, "--now") == datetime(2026, 3, 2, 1, tzinfo=UTC)
    span = read_span("2026-03-02", "2026-03-02", zone)
    assert span is not None
    assert span.holds(datetime(2026, 3, 2, 15, 59, tzinfo=UTC))
    assert not span.holds(datetime(2026, 3, 2, 16, 0, tzinfo=UTC))


@pytest.mark.parametrize(
    "arguments",
    [
        ("memory", "show", "\udcff"),
        ("memory", "list", "--session", "\udcff"),
        ("memory", "forget", "--subject", "\udcff"),
    ],
)
def test_an_argument_that_is_no_text_is_the_users_error(arguments, run, home) -> None:
    """Bytes of the command line that are no UTF-8 are refused, whatever the option."""
    failed = run(*arguments, "--json")
    assert failed.code == 2
    assert "not text" in failed.json["error"]["message"]


def test_a_home_that_is_a_file_is_refused(run, tmp_path) -> None:
    """The file is named and left alone."""
    file = tmp_path / "file"
    file.write_text("mine")
    ran = run("--home", str(file), "memory", "list", "--json")
    assert ran.code == 2
    assert str(file) in ran.json["error"]["message"]
    assert file.read_text() == "mine"


def test_a_broken_config_is_refused(run, home) -> None:
    """The message names the file, and standard output stays empty without `--json`."""
    home.mkdir()
    (home / "config.toml").write_text("model = ")
    ran = run("memory", "list")
    assert ran.code == 2
    assert "config.toml" in ran.err
    assert ran.out == ""


def test_home_and_its_files_are_private(run, home) -> None:
    """Nobody else on the machine can read what is remembered."""
    assert run("memory", "add", "a secret").code == 0
    assert home.stat().st_mode & 0o777 == 0o700
    for file in home.rglob("*"):
        assert not file.stat().st_mode & 0o077, file


def test_no_model_is_fetched_where_a_server_is_set(run, home, monkeypatch) -> None:
    """`doctor --fetch` says so, wherever the server is named: the environment or the config."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(home.parent / "cache"))
    home.mkdir()
    (home / "config.toml").write_text('openai_base_url = "http://127.0.0.1:9/v1"\n')
    ran = run("doctor", "--fetch")
    assert ran.code == 0
    assert "not needed" in ran.err
    assert not (home.parent / "cache").exists()


def test_no_secret_reaches_the_log_or_the_screen(run, home, monkeypatch) -> None:
    """A key is neither logged nor printed, also with `--verbose`."""
    monkeypatch.setenv("OPENAI_API_KEY", "sk-very-secret")
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:9/v1")
    ran = run("--verbose", "doctor")
    logging.getLogger("assistant").warning("the key is sk-very-secret")
    for handler in logging.getLogger("assistant").handlers:
        handler.flush()
    log = (home / "logs" / "assistant.log").read_text()
    assert "[secret]" in log
    assert "sk-very-secret" not in ran.out + ran.err + log


@pytest.mark.parametrize(
    ("error", "code", "exit_code"),
    [
        (UserError("x"), "bad_input", 2),
        (ModelUnreachable("x"), "model_unreachable", 1),
        (InvalidInput("x"), "bad_input", 2),
        (StorageFull("x"), "storage_full", 2),
        (OSError(28, "No space left on device", "/home/x"), "storage_full", 2),
        (LedgerDamaged("x"), "ledger_damaged", 1),
        (ZeroDivisionError("x"), "unexpected", 1),
    ],
)
def test_every_error_has_a_code_and_an_exit_code(error, code, exit_code) -> None:
    """Users and scripts can tell what to do from either."""
    problem = explain(error, "en")
    assert (problem.code, problem.exit_code) == (code, exit_code)
    assert problem.message


def test_an_unexpected_error_is_one_line_and_its_trace_is_in_the_log(
    run, home, monkeypatch
) -> None:
    """Nobody sees a traceback that did not ask for it."""
    monkeypatch.setattr("memory_store.store.MemoryStore.stats", lambda _self: 1 / 0)
    ran = run("memory", "stats")
    assert ran.code == 1
    assert "Traceback" not in ran.err
    assert "--verbose" in ran.err
    assert "ZeroDivisionError" in (home / "logs" / "assistant.log").read_text()


def test_what_an_error_says_is_not_in_the_log(run, home, monkeypatch) -> None:
    """It may quote the user; the log has the class and the place of it and of its cause."""

    def stats(_self: object) -> None:
        try:
            raise ValueError("the parrot's passport")
        except ValueError as error:
            raise RuntimeError("the parrot's visa") from error

    monkeypatch.setattr("memory_store.store.MemoryStore.stats", stats)
    assert run("memory", "stats").code == 1
    log = (home / "logs" / "assistant.log").read_text()
    assert "RuntimeError" in log
    assert "ValueError" in log
    assert "test_program.py" in log
    assert "RuntimeError: " not in log
    assert "ValueError: " not in log
