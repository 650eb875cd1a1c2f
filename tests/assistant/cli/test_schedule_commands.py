"""The commands of what happens on schedule: remind, jobs, restore; and notes in the chat."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

Run = Callable[..., Any]
WEDNESDAY = "2026-05-20T14:30:00+02:00"


@pytest.fixture(autouse=True)
def berlin(monkeypatch: pytest.MonkeyPatch) -> None:
    """The user lives in Berlin."""
    monkeypatch.setenv("ASSISTANT_TIMEZONE", "Europe/Berlin")


def test_a_reminder_is_added_in_plain_words(run: Run) -> None:
    """`assistant remind …` takes the words as they come, quoted or not, in both languages."""
    run("--now", WEDNESDAY, "remind", "me", "tomorrow", "at", "9", "to", "call", "the", "dentist")
    run("--now", WEDNESDAY, "remind", "提醒我周五交作业")
    run("--now", WEDNESDAY, "remind", "water the plants", "--at", "every Monday at 8")
    run("--now", WEDNESDAY, "remind", "buy milk")
    listed = run("--now", WEDNESDAY, "remind", "list", "--json").json
    assert listed["count"] == 4
    assert [(each["text"], each["due"], each["repeats"]) for each in listed["reminders"]] == [
        ("call the dentist", "2026-05-21T09:00:00+02:00", None),
        ("交作业", "2026-05-22T09:00:00+02:00", None),
        ("water the plants", "2026-05-25T08:00:00+02:00", "FREQ=WEEKLY;BYDAY=MO"),
        ("buy milk", None, None),
    ]


def test_reminders_are_changed_by_number_or_words(run: Run) -> None:
    """snooze, done and cancel take a number or words of the text, and say what became of it."""
    for words in ("call the dentist tomorrow", "buy milk", "feed the cat daily at 8"):
        run("--now", WEDNESDAY, "remind", words)
    snoozed = run("--now", WEDNESDAY, "remind", "snooze", "dentist", "in", "2", "hours", "--json")
    assert snoozed.json["due"] == "2026-05-20T16:30:00+02:00"
    assert run("--now", WEDNESDAY, "remind", "done", "2").out == "Done: 2: buy milk, done\n"
    assert run("remind", "cancel", "cat", "--json").json["status"] == "cancelled"
    assert run("--now", WEDNESDAY, "remind", "list").out.count("\n") == 1
    assert run("--now", WEDNESDAY, "remind", "list", "--all").out.count("\n") == 3


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("remind", "call mom", "--at", "30 February"), "not a time"),
        (("remind", "call mom", "yesterday"), "has passed"),
        (("remind", "done", "nothing"), "no open reminder"),
        (("jobs", "run", "nope"), "no job 'nope'"),
        (("jobs", "history", "nope"), "no job 'nope'"),
        (("restore", "missing.db"), "no file missing.db"),
    ],
)
def test_wrong_input_is_told_and_exits_with_2(
    run: Run, arguments: tuple[str, ...], said: str
) -> None:
    """Wrong input is told in one line, without a traceback, with exit code 2."""
    ran = run("--now", WEDNESDAY, *arguments)
    assert ran.code == 2
    assert said in ran.err
    assert ran.err.count("assistant:") == 1


def test_jobs_are_caught_up_once_and_kept_in_the_history(run: Run) -> None:
    """After three days one run of each job covers what was missed, and the history says so."""
    listed = run("--now", WEDNESDAY, "jobs", "list", "--json").json["jobs"]
    assert [job["name"] for job in listed] == ["check-in", "review", "upkeep", "backup"]
    assert all(job["last"] is None and not job["due_now"] for job in listed)
    later = "2026-05-23T10:00:00+02:00"
    ran = {each["job"]: each for each in run("--now", later, "jobs", "run", "--json").json["runs"]}
    assert ran["check-in"]["covers"] == ran["backup"]["covers"] == 3
    assert ran["backup"]["first_due"] == "2026-05-21T03:30:00+02:00"
    assert run("--now", later, "jobs", "run").out == "Nothing is due.\n"
    past = run("--now", later, "jobs", "history", "backup", "--json").json["runs"]
    assert [each["covers"] for each in past] == [3]
    assert "covers 3 due times" in run("--now", later, "jobs", "history").out


def test_one_command_restores(run: Run, home: Path) -> None:
    """`assistant restore` takes a backup by its name alone, and the memory is as it was."""
    run("--now", WEDNESDAY, "memory", "add", "the zebra is called Ada")
    run("--now", WEDNESDAY, "memory", "add", "the walrus is called Bob")
    run("--now", WEDNESDAY, "jobs", "run", "backup")
    backup = next((home / "backups").glob("ledger-*.db"))
    run("--now", WEDNESDAY, "memory", "add", "a later note")
    run("--now", WEDNESDAY, "memory", "forget", "--query", "walrus", "--yes")
    assert b"walrus" not in backup.read_bytes()
    done = run("--now", WEDNESDAY, "restore", backup.name, "--json").json
    assert done["restored"] == str(backup)
    listed = run("--now", WEDNESDAY, "memory", "list", "--json").json["memories"]
    assert [each["text"] for each in listed] == ["the zebra is called Ada"]


def test_a_due_reminder_is_shown_in_the_next_chat_once(run: Run) -> None:
    """What is due is shown in the next chat, and not again in the one after."""
    run("--now", WEDNESDAY, "remind", "call the dentist tomorrow at 9")
    later = "2026-05-22T10:00:00+02:00"
    first = run("--now", later, "chat", stdin=b"/quit\n")
    assert "Reminder: call the dentist (Thursday 21 May 2026, 09:00)" in first.err
    assert "dentist" not in run("--now", later, "chat", stdin=b"/quit\n").err


def test_a_command_is_run_for_what_is_due(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A notifier that is set gets the note when jobs are run, and the history says so."""
    monkeypatch.setenv("ASSISTANT_NOTIFY_COMMAND", f"cp /dev/stdin {tmp_path / 'note'}")
    run("--now", WEDNESDAY, "remind", "call the dentist tomorrow at 9")
    later = "2026-05-21T09:00:30+02:00"
    assert run("--now", later, "jobs", "run", "--json").json["sent"] == 1
    assert (tmp_path / "note").read_text().startswith("Reminder: call the dentist")
    outgoing = run("--now", later, "jobs", "history", "--json").json["outgoing"]
    assert outgoing[0]["sent_at"] == later


def test_a_damaged_ledger_is_restored_by_one_command(run: Run, home: Path) -> None:
    """Where the ledger is damaged, the commands say what to do, and doing it helps."""
    run("--now", WEDNESDAY, "memory", "add", "the zebra is called Ada")
    run("--now", WEDNESDAY, "jobs", "run", "backup")
    backup = next((home / "backups").glob("ledger-*.db"))
    for suffix in ("-wal", "-shm"):
        (home / f"ledger.db{suffix}").unlink(missing_ok=True)
    (home / "ledger.db").write_bytes(b"no ledger " * 1000)
    broken = run("memory", "list")
    assert broken.code == 1
    assert "assistant restore" in broken.err
    assert run("--now", WEDNESDAY, "restore", str(backup)).code == 0
    assert "Ada" in run("--now", WEDNESDAY, "memory", "list").out
    assert next(home.glob("ledger.db.damaged-*")).read_bytes().startswith(b"no ledger")


def test_overdue_jobs_run_apart_from_the_chat(home: Path) -> None:
    """A chat that is opened after days starts the overdue jobs in a process of its own."""
    from assistant.app import App
    from assistant.cli.due import catch_up_apart
    from assistant.cli.invocation import Invocation
    from assistant.settings import Settings
    from memory_store.testing import FrozenClock

    home.mkdir()
    clock = FrozenClock(datetime.fromisoformat(WEDNESDAY))
    with App.open(Settings.load(home), clock=clock) as app:
        assert catch_up_apart(app, Invocation(home=home, now=WEDNESDAY)) is None
        clock.advance(timedelta(days=3))
        later = Invocation(home=home, now=clock.now.isoformat())
        process = catch_up_apart(app, later)
        assert process is not None
        assert process.wait(120) == 0
        assert {run.job for run in app.schedule.runner.history()} == {
            "check-in",
            "upkeep",
            "backup",
        }
        assert catch_up_apart(app, later) is None
