"""`assistant memory`: what is added is found, shown, listed and forgotten, in both languages."""

import json
import os
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import UTC, datetime

import pytest

from memory_store import Draft, MemoryStore


@pytest.fixture
def add(run):
    """Add a text at a day of March 2026 and return its id."""

    def add(text: str, day: int = 2, **options: str) -> str:
        words = [word for name, value in options.items() for word in (f"--{name}", value)]
        ran = run("--now", f"2026-03-{day:02}T09:00:00Z", "memory", "add", text, "--json", *words)
        assert ran.code == 0, ran.err
        return ran.json["id"]

    return add


def test_what_is_added_is_found_in_its_language(add, run) -> None:
    """A search in either language finds the memory with its verdict."""
    city = add("My sister lives in Lisbon.")
    algebra = add("我在学线性代数，每周有6小时。")
    for query, expected in (("where does my sister live?", city), ("线性代数每周几小时", algebra)):
        found = run("--now", "2026-03-04T09:00:00Z", "memory", "search", query, "--json").json
        assert found["memories"][0]["id"] == expected
        assert found["memories"][0]["verdict"] == "fresh"
        assert found["memories"][0]["score"] > 0


def test_the_newer_fact_of_a_subject_supersedes_the_older(add, run) -> None:
    """The older stays in the list, marked, and a search leaves it out and says why."""
    old = add("I live in Lisbon.", subject="user.city")
    new = add("I live in Porto.", 9, subject="user.city")
    listed = run("--now", "2026-03-10T09:00:00Z", "memory", "list", "--json").json["memories"]
    assert {m["id"]: m["verdict"] for m in listed} == {old: "superseded", new: "fresh"}
    found = run("--now", "2026-03-10T09:00:00Z", "memory", "search", "where do I live", "--json")
    assert [memory["id"] for memory in found.json["memories"]] == [new]
    assert [(left["id"], bool(left["reason"])) for left in found.json["dropped"]] == [(old, True)]


def test_list_filters_by_kind_subject_and_time(add, run) -> None:
    """Each option narrows the list."""
    note = add("a note", 2)
    fact = add("I live in Porto.", 5, subject="user.city")

    def ids(*options: str) -> list[str]:
        return [
            memory["id"] for memory in run("memory", "list", "--json", *options).json["memories"]
        ]

    assert ids() == [note, fact]
    assert ids("--kind", "fact") == [fact]
    assert ids("--subject", "user.city") == [fact]
    assert ids("--until", "2026-03-02") == [note]
    assert ids("--since", "2026-03-03") == [fact]
    assert ids("--limit", "1") == [fact]


def test_show_tells_all_of_one_memory(add, run) -> None:
    """Text, time, verdict and its reason."""
    memory = add("I live in Porto.", subject="user.city")
    shown = run("memory", "show", memory, "--json").json
    assert shown["text"] == "I live in Porto."
    assert shown["subject"] == "user.city"
    assert shown["verdict"] == "fresh"
    assert shown["reason"]
    human = run("memory", "show", memory).out
    assert "I live in Porto." in human
    assert memory in human


def test_a_conflict_is_shown_with_the_memory(add, run, home) -> None:
    """Both values, dated, with who said them; what a page says is not confirmed by the user."""
    said = add("I live in Porto.", subject="user.city")
    with MemoryStore.open(home) as store:
        page = Draft("fact", "The city is Paris.", subject="user.city", origin="tool")
        [read] = store.remember([replace(page, created_at=datetime(2026, 3, 3, tzinfo=UTC))])
    conflict = "not confirmed by the user: Tuesday 3 March 2026, From a tool or a page: The city is"
    for command in (("show", said), ("search", "where do I live")):
        shown = " ".join(run("--now", "2026-03-10T09:00:00Z", "memory", *command).out.split())
        assert "I live in Porto. In conflict with this," in shown
        assert conflict in shown
    told = run("--now", "2026-03-10T09:00:00Z", "memory", "show", said, "--json").json
    assert told["conflicts_with"] == [read.id]


def test_an_unknown_id_is_the_users_error(run) -> None:
    """Exit 2 and how to find the right one."""
    ran = run("memory", "show", "nothing", "--json")
    assert ran.code == 2
    assert ran.json["error"]["code"] == "not_found"


def test_forget_removes_for_good_and_a_dry_run_does_not(add, run, home) -> None:
    """What is forgotten is in no list, search or file; in a pipe that takes `--yes`."""
    memory = add("the parrot's name is Zaphod")
    kept = add("the cat's name is Trillian")
    dry = run("memory", "forget", memory, "--dry-run", "--json").json
    assert dry["forgotten"] == [memory]
    assert dry["dry_run"]
    assert len(run("memory", "list", "--json").json["memories"]) == 2
    refused = run("memory", "forget", memory, "--json")
    assert refused.code == 2
    assert "--yes" in refused.json["error"]["hint"]
    assert len(run("memory", "list", "--json").json["memories"]) == 2
    done = run("memory", "forget", memory, "--yes", "--json").json
    assert done["forgotten"] == [memory]
    assert [m["id"] for m in run("memory", "list", "--json").json["memories"]] == [kept]
    files = [path for path in home.rglob("*") if path.is_file()]
    assert not [path for path in files if b"Zaphod" in path.read_bytes()]


def test_forget_reaches_the_log_of_an_earlier_version(add, run, home) -> None:
    """The lines that quote it go, and no others."""
    memory = add("the parrot's passport is ZX-99817")
    log = home / "logs" / "assistant.log"
    log.write_text("first\ntool find(id='ZX-99817') failed\nlast\n")
    (home / "logs" / "assistant.log.1").write_text("The parrot's passport is due\n")
    assert "Forgotten." in run("memory", "forget", memory, "--yes").out
    assert log.read_text() == "first\nlast\n"
    files = [path for path in home.rglob("*") if path.is_file()]
    assert not [path for path in files if b"ZX-99817" in path.read_bytes()]


def test_forget_takes_a_copy_of_what_was_said_elsewhere_too(add, run) -> None:
    """It says that the other stays, and takes this one."""
    add("good morning", 2)
    memory = add("good morning", 9)
    ran = run("memory", "forget", "--since", "2026-03-09", "--yes")
    assert "stay there" in ran.out
    assert "Forgotten." in ran.out
    [left] = run("memory", "list", "--json").json["memories"]
    assert left["id"] == memory
    assert run("memory", "list", "--since", "2026-03-09", "--json").json["memories"] == []


def test_forget_without_a_condition_is_refused(add, run) -> None:
    """Nothing is forgotten by mistake."""
    add("kept")
    ran = run("memory", "forget", "--json")
    assert ran.code == 2
    assert len(run("memory", "list", "--json").json["memories"]) == 1


def test_text_is_shown_as_it_is_written(add, run) -> None:
    """Markup in a memory is text."""
    add("use [bold]this[/bold] and :smile: {braces}")
    assert "[bold]this[/bold] and :smile: {braces}" in run("memory", "list").out


@pytest.mark.parametrize(
    ("stdin", "said"),
    [
        (b"", "empty"),
        (b" \n ", "empty"),
        (b"\xff\xfe\x00binary", "not UTF-8"),
        (b"a\x00b", "not text"),
        (b"x" * 2_000_000, "200,000 characters"),
        ("界".encode() * 1_000_000, "200,000 characters"),
    ],
)
def test_what_is_no_text_is_refused(stdin, said, run) -> None:
    """Empty, binary and endless input: one clear line, exit 2, nothing stored."""
    ran = run("memory", "add", "-", stdin=stdin)
    assert ran.code == 2
    assert said in ran.err
    assert run("memory", "list", "--json").json["memories"] == []


def test_text_is_read_from_a_pipe(run) -> None:
    """`echo text | assistant memory add -` works."""
    assert run("memory", "add", "-", stdin="来自管道 from a pipe\n".encode()).code == 0
    assert run("memory", "list", "--json").json["memories"][0]["text"] == "来自管道 from a pipe"


def test_an_unknown_kind_is_named(run) -> None:
    """The message says which kinds there are."""
    ran = run("memory", "list", "--kind", "rumour")
    assert ran.code == 2
    assert "rumour" in ran.err
    assert "tool_result" in ran.err


def test_stats_count_what_is_there(add, run) -> None:
    """Counts by kind and verdict, as data and for people."""
    add("one")
    add("I live in Porto.", subject="user.city")
    stats = run("memory", "stats", "--json").json
    assert stats["chunks"] == 2
    assert stats["kinds"] == {"note": 1, "fact": 1}
    first = run("memory", "stats").out.splitlines()[0]
    assert first.split() == ["memories", "2:", "1", "fact,", "1", "note"]


def test_owners_are_apart(add, run, monkeypatch) -> None:
    """Another owner of the same home sees nothing of the first."""
    add("mine alone")
    monkeypatch.setenv("ASSISTANT_OWNER", "other")
    assert run("memory", "list", "--json").json["memories"] == []
    assert run("memory", "search", "alone", "--json").json["memories"] == []


@pytest.mark.parametrize(
    ("language", "words"),
    [
        ("en", ("2: 1 fact, 1 note", "All is well; memories: 2", "fact", "user", "fresh: ")),
        ("zh", ("2：事实 1，笔记 1", "一切正常：2 条记忆", "事实", "你", "有效")),
    ],
)
def test_people_read_words_and_not_values(add, run, monkeypatch, language, words) -> None:
    """In the language that is set; what there is none of is not named."""
    monkeypatch.setenv("ASSISTANT_LANGUAGE", language)
    add("one")
    memory = add("I live in Porto.", subject="user.city")
    stats, verified = run("memory", "stats").out, run("memory", "verify").out
    shown = run("memory", "show", memory).out
    assert words[0] in stats
    assert words[1] in verified
    assert all(word in shown for word in words[2:])
    assert not [word for word in ("None", "True", "{") if word in stats + verified + shown]


def test_an_export_replaces_no_file_unasked(add, run, tmp_path) -> None:
    """Exit 2 and how to say yes; the file is as it was."""
    add("one")
    file = tmp_path / "out.jsonl"
    file.write_text("mine")
    refused = run("memory", "export", str(file))
    assert (refused.code, file.read_text()) == (2, "mine")
    assert "--yes" in refused.err
    assert run("memory", "export", str(file), "--yes").code == 0
    assert "one" in file.read_text()


def test_control_characters_are_taken_out(run) -> None:
    """Of arguments and of pipes, so that no memory can command a terminal; lines stay."""
    for ran in (
        run("memory", "add", "a\x1b[31m\x07b\x9b"),
        run("memory", "add", "-", stdin=b"c\x1b]0;\x07\r\nd\te"),
    ):
        assert ran.code == 0, ran.err
    texts = [memory["text"] for memory in run("memory", "list", "--json").json["memories"]]
    assert texts == ["a[31mb", "c]0;\nd\te"]


def test_too_large_a_limit_is_the_users_error(run) -> None:
    """Exit 2, and what is allowed."""
    assert run("memory", "list", "--limit", "9" * 25).code == 2


@pytest.mark.parametrize("option", ["session", "subject", "query", "since", "until"])
def test_forget_refuses_an_empty_option(add, run, option) -> None:
    """An unset shell variable does not make everything go."""
    add("precious")
    ran = run("memory", "forget", f"--{option}", "", "--yes")
    assert ran.code == 2
    assert f"--{option} is empty" in ran.err
    assert len(run("memory", "list", "--json").json["memories"]) == 1


def test_an_export_into_a_pipe_holds_nothing_else(add, run, tmp_path) -> None:
    """What leads to a pipe is written to, not replaced, and no remark stands in between."""
    add("roses")
    pipe, link = tmp_path / "pipe", tmp_path / "link"
    os.mkfifo(pipe)
    link.symlink_to(pipe)
    with ThreadPoolExecutor() as threads:
        read = threads.submit(pipe.read_text, "utf-8")
        ran = run("memory", "export", str(link))
        lines = read.result(30).splitlines()
    assert (ran.code, ran.out) == (0, "")
    assert json.loads(lines[1])["text"] == "roses"
    assert pipe.is_fifo()
    assert link.is_symlink()


def test_too_long_a_file_name_is_the_users_error(run, tmp_path) -> None:
    """The system's word is told, and a name that it allows is taken."""
    ran = run("memory", "export", str(tmp_path / ("x" * 300)))
    assert ran.code == 2
    assert "too long" in ran.err
    assert run("memory", "export", str(tmp_path / ("x" * 250))).code == 0
