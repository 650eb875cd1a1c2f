"""`assistant study` on the command line: the promised JSON, and clear errors with exit code 2."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from assistant.cli.main import main
from assistant.study.companion import Study

NOW = ["--now", "2026-11-30T09:00:00+00:00"]


@pytest.fixture(autouse=True)
def alone(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The memory is tested apart; here the commands work without it, as they do with none."""
    mask = os.umask(0o022)
    take = Study.__init__

    def without(self: Study, *args: Any, **more: Any) -> None:
        take(self, *args, **{**more, "memory": None, "embedder": None})

    monkeypatch.setattr(Study, "__init__", without)
    monkeypatch.setenv("ASSISTANT_TIMEZONE", "Europe/Lisbon")
    yield
    os.umask(mask)


def run(capsys: pytest.CaptureFixture[str], *words: str, now: list[str] = NOW) -> dict[str, Any]:
    capsys.readouterr()
    assert main([*now, "study", *words, "--json"]) == 0
    return json.loads(capsys.readouterr().out)


def test_the_whole_contract_in_json(capsys: pytest.CaptureFixture[str]) -> None:
    """Plan, log, status, adjust, diff, undo and export print what the contract promises."""
    plan = run(capsys, "plan", "Learn machine learning", "--start", "2026-11-30", "--weeks", "12",
               "--hours", "8", "--level", "beginner")  # fmt: skip
    assert (plan["plan"], plan["version"], plan["unplaced"]) == ("default", 1, [])
    weeks = [week for phase in plan["phases"] for week in phase["weeks"]]
    assert [week["hours"] for week in weeks] == [8] * 12
    first = plan["phases"][0]["weeks"][0]["tasks"][0]["id"]
    entry = run(capsys, "log", f"2h {first}, done, stuck on loops", "--date", "yesterday")["entry"]
    assert (entry["minutes"], entry["done"], entry["stuck"]) == (120, [first], "loops")
    assert entry["date"] == "2026-11-29"
    later = ["--now", "2026-12-07T09:00:00+00:00"]
    status = run(capsys, "status", now=later)
    assert list(status) == [
        *("as_of", "planned_hours", "actual_hours", "spi", "streak"),
        *("forecast_end", "overdue", "next", "reviews_due"),
    ]
    assert (status["planned_hours"], status["actual_hours"]) == (8, 2)
    proposals = run(capsys, "adjust", "--halve-week", "3", now=later)["proposals"]
    assert [proposal["number"] for proposal in proposals] == [1, 2, 3]
    applied = run(capsys, "adjust", "--halve-week", "3", "--apply", "1", now=later)
    assert applied["version"] == 2
    current = run(capsys, "export", now=later)
    assert current["version"] == 2
    assert current["phases"][0]["weeks"][2]["hours"] == 4
    assert run(capsys, "diff", now=later)["tasks"]
    assert run(capsys, "undo", now=later) == plan


@pytest.mark.parametrize(
    "words",
    [
        ["adjust", "第三周太紧，减半"],
        ["adjust", "--away", "2026-12-12", "2026-12-19"],
        ["adjust", "--hours", "4"],
        ["adjust", "--end", "2027-04-01"],
        ["adjust"],
        ["status"],
        ["log", "--list"],
        ["log", "2小时Python，学完了"],
        ["courses", "search", "机器学习"],
        ["courses", "show", "kaggle-python"],
        ["courses", "add", "Bookbinding", "--weeks", "3", "--hours", "2-3"],
        ["review"],
    ],
)
def test_each_command_has_words_and_json(
    capsys: pytest.CaptureFixture[str], words: list[str]
) -> None:
    """With --json standard output is one JSON object; without, there is something to read."""
    run(capsys, "plan", "我零基础，想用3个月系统学习机器学习，每周8小时")
    assert isinstance(run(capsys, *words), dict)
    assert main([*NOW, "study", *words]) == 0
    assert capsys.readouterr().out.strip()


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["plan", "ml", "--weeks", "3", "--hours", "0"], "0"),
        (["plan", "ml", "--weeks", "3", "--hours", "200"], "200"),
        (["plan", "python", "--start", "2026-02-30", "--weeks", "2", "--hours", "2"], "2026-02-30"),
        (["plan", "python", "--start", "2027-01-01", "--end", "2026-01-01", "--hours", "2"],
         "before it starts"),
        (["plan", "python", "--weeks", "2", "--hours", "2", "--course", "nope"], "nope"),
        (["plan", "python", "--weeks", "2", "--hours", "2", "--plan", "../x"], "plan name"),
        (["plan", "python", "--weeks", "2", "--hours", "2", "--off", "someday"], "someday"),
        (["plan", "python", "--weeks", "2", "--hours", "2", "--load", "x"], "WEEK=HOURS"),
        (["status"], "no study plan yet"),
        (["courses", "show", "nope"], "nope"),
        (["courses", "search", "x", "--level", "wizard"], "wizard"),
        (["courses", "add", "X", "--weeks", "0", "--hours", "1"], "weeks"),
        (["courses", "import", "/nowhere.csv"], "cannot be read"),
    ],
)  # fmt: skip
def test_wrong_input_is_said_and_exits_2(
    capsys: pytest.CaptureFixture[str], words: list[str], said: str
) -> None:
    """The error names what was wrong, as JSON where JSON is asked for."""
    assert main([*NOW, "study", *words, "--json"]) == 2
    error = json.loads(capsys.readouterr().out)["error"]
    assert said in error["message"]


def test_export_writes_a_file_and_overwrites_none(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    """A file that is there is left as it is, unless --force says otherwise."""
    run(capsys, "plan", "Learn SQL in 3 weeks, 3 hours a week")
    path = tmp_path / "plan.ics"
    assert main(["study", "export", "--ics", "--out", str(path)]) == 0
    before = path.read_bytes()
    assert before.startswith(b"BEGIN:VCALENDAR\r\n")
    assert b"TZID:Europe/Lisbon" in before
    assert main(["study", "export", "--md", "--out", str(path)]) == 2
    assert path.read_bytes() == before
    assert main(["study", "export", "--md", "--csv"]) == 2
    assert main(["study", "export", "--md", "--out", str(tmp_path / "no" / "plan.md")]) == 2
    assert main(["study", "export", "--md", "--out", str(path), "--force"]) == 0


def test_a_cycle_in_an_imported_file_exits_2(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    """Courses that need each other are refused, with the cycle shown."""
    path = tmp_path / "cycle.yaml"
    path.write_text(
        "- {id: a, title: A, weeks: 1, hours: 1, prerequisites: [b]}\n"
        "- {id: b, title: B, weeks: 1, hours: 1, prerequisites: [a]}\n"
    )
    assert main(["study", "courses", "import", str(path)]) == 2
    assert "cycle" in capsys.readouterr().err


def test_an_entry_is_amended_without_being_told_again(capsys: pytest.CaptureFixture[str]) -> None:
    """`--amend N --task ID`, as the program suggests it, keeps the words and the day."""
    run(capsys, "plan", "Learn Python", "--start", "2026-11-23", "--weeks", "4", "--hours", "5",
        "--course", "kaggle-python", "--course", "kaggle-pandas")  # fmt: skip
    first = run(capsys, "log", "2h python yesterday")["entry"]
    again = run(capsys, "log", "--amend", str(first["id"]), "--task", "kaggle-python-2")["entry"]
    assert (again["id"], again["date"], again["minutes"]) == (first["id"], "2026-11-29", 120)


def test_course_ids_are_shown_whole(capsys: pytest.CaptureFixture[str]) -> None:
    """What `--course` takes can be copied from the table, in a narrow terminal too."""
    assert main(["study", "courses", "search", "machine learning", "--words"]) == 0
    assert "kaggle-intermediate-ml" in capsys.readouterr().out


def test_the_log_shows_what_an_amendment_takes(capsys: pytest.CaptureFixture[str]) -> None:
    """Entry numbers and task ids are whole, in a narrow terminal too; former words are kept."""
    run(capsys, "plan", "Learn SQL", "--weeks", "8", "--hours", "3")
    done = run(capsys, "log", "1h SQL, done")["entry"]["done"]
    run(capsys, "log", "2h SQL, done", "--amend", "1")
    os.environ["COLUMNS"] = "40"
    try:
        assert main([*NOW, "study", "log", "--list"]) == 0
    finally:
        del os.environ["COLUMNS"]
    lines = capsys.readouterr().out.splitlines()
    assert [line[:5] for line in lines if "[" in line] == ["✗ [1]", "  [1]"]
    assert all(any(line.endswith(task) for line in lines) for task in done)


def test_markup_in_a_title_is_only_text(capsys: pytest.CaptureFixture[str]) -> None:
    """A course whose title holds markup is listed, shown and planned as it is."""
    title = "[/bold]SQL [red]tricks[/red] =1+1"
    run(capsys, "courses", "add", title, "--weeks", "2", "--hours", "3", "--id", "odd")
    goal = ["plan", "[/bold] tricks", "--course", "odd", "--weeks", "3", "--hours", "3"]
    for words in (["courses", "search", "tricks", "--words"], ["courses", "show", "odd"], goal):
        assert main([*NOW, "study", *words]) == 0
        assert "[/bold]" in capsys.readouterr().out


def test_diff_after_undo_says_what_was_taken_back(capsys: pytest.CaptureFixture[str]) -> None:
    """It tells the way back, from the version undone to the one that is current again."""
    run(capsys, "plan", "Learn SQL", "--weeks", "8", "--hours", "3")
    run(capsys, "adjust", "--halve-week", "2", "--apply", "1")
    assert main([*NOW, "study", "undo"]) == 0
    capsys.readouterr()
    assert main([*NOW, "study", "diff"]) == 0
    assert "default: back from 2 to 1" in capsys.readouterr().out
    found = run(capsys, "diff")
    assert (found["before"], found["after"]) == (2, 1)
