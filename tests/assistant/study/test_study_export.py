"""A plan for other programs, and the chart of its progress."""

from __future__ import annotations

import csv
import io
import json
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

import icalendar
import pytest

from assistant.study.change import Change
from assistant.study.chart import draw
from assistant.study.companion import Study
from assistant.study.course import read_course
from assistant.study.export import export
from assistant.study.making import Wish

NOW = datetime(2026, 11, 30, 1, tzinfo=UTC)
WISH = Wish("学习机器学习，每周6小时", weeks=20, start=date(2026, 12, 7))


def events(text: str) -> dict[str, Any]:
    calendar: Any = icalendar.Calendar.from_ical(text)
    return {str(event["UID"]): event for event in calendar.walk("VEVENT")}


@pytest.mark.parametrize("zone", ["Asia/Shanghai", "Europe/Lisbon", "America/New_York", "UTC"])
def test_the_calendar_keeps_its_hour_across_the_change_of_clocks(
    open_study: Any, zone: str
) -> None:
    """Every sitting begins at seven in the evening there, in winter and in summer."""
    plan = open_study(zone=zone).make(WISH).plan
    text = export(plan, "ics", NOW)
    first = [e for uid, e in events(text).items() if uid.endswith(".1@study.memory-assistant")]
    starts = {event.start.strftime("%H:%M") for event in events(text).values() if event.get("URL")}
    assert first
    assert "19:00" in starts
    assert min(starts) == "19:00"
    if zone != "UTC":
        assert f"TZID:{zone}" in text
        assert text.index("BEGIN:VTIMEZONE") < text.index("BEGIN:VEVENT")


def test_the_calendars_events_are_as_long_as_the_plan(study: Study) -> None:
    """The sittings of the calendar add up to the plan's minutes."""
    plan = study.make(WISH).plan
    length = sum(
        int((event.end - event.start).total_seconds())
        for event in events(export(plan, "ics", NOW)).values()
        if "TRANSP" not in event
    )
    assert length == plan.minutes * 60


def test_importing_again_updates_the_same_events(study: Study) -> None:
    """A later version has every UID of the former one: the same sittings, or cancelled ones."""
    plan = study.make(WISH).plan
    before = events(export(plan, "ics", NOW))
    changed = study.adjust(Change("halve", week=3), 1).plan
    after = events(export(changed, "ics", NOW + timedelta(hours=1), [plan]))
    assert before.keys() <= after.keys()
    assert all(after[uid]["SEQUENCE"] > before[uid]["SEQUENCE"] for uid in before)
    length = sum(
        int((event.end - event.start).total_seconds())
        for event in after.values()
        if "TRANSP" not in event and event["STATUS"] == "CONFIRMED"
    )
    assert length == changed.minutes * 60


def test_json_and_csv_hold_every_task(study: Study) -> None:
    """Both list each task once; the JSON is the one that `plan --json` prints."""
    plan = study.make(WISH).plan
    data = json.loads(export(plan, "json", NOW))
    assert data == plan.data()
    rows = list(csv.DictReader(io.StringIO(export(plan, "csv", NOW))))
    assert [row["task"] for row in rows] == [task.id for _, task in plan.placed()]
    assert round(sum(float(row["hours"]) for row in rows) * 60) == plan.minutes


def test_the_json_has_the_promised_shape(study: Study) -> None:
    """The keys of plan, phase, week, task and resource are those of the contract."""
    data = study.make(WISH).plan.data()
    assert list(data) == ["plan", "version", "goal", "start", "end", "phases", "unplaced"]
    phase = data["phases"][0]
    assert list(phase) == ["title", "self_check", "weeks"]
    week = phase["weeks"][0]
    assert list(week) == ["week", "start", "end", "hours", "tasks"]
    task = week["tasks"][0]
    assert list(task) == ["id", "title", "course", "hours", "output", "resources"]
    assert list(task["resources"][0]) == ["title", "url"]


def test_the_chart_is_a_png(study: Study, tmp_path: Path) -> None:
    """Planned, done and forecast are drawn to a file."""
    plan = study.make(Wish("Learn SQL", weeks=3, hours=3)).plan
    study.check_in("1h SQL")
    path = tmp_path / "chart.png"
    draw(plan, study.log.entries(plan.name), study.progress(), path, "en")
    assert path.read_bytes().startswith(b"\x89PNG")


def test_a_plan_of_one_week_is_one_week(study: Study) -> None:
    """The Markdown counts weeks as people do."""
    plan = study.make(Wish("Learn SQL", weeks=1, hours=3)).plan
    assert ", 1 week, 3 h in all" in export(plan, "md", study.now)


def test_a_title_makes_no_link_of_its_own(study: Study) -> None:
    """Brackets in a course's title are letters in Markdown."""
    data = {"id": "odd", "title": "SQL](http://evil.example) [x", "weeks": 1, "hours": 2}
    study.catalogue.add([read_course({**data, "url": "https://example.com/"}, "odd")])
    plan = study.make(Wish("SQL", weeks=1, hours=2, courses=("odd",))).plan
    assert "[SQL\\](http://evil.example) \\[x: part 1 of 1](https://example.com/)" in export(
        plan, "md", study.now
    )
