"""A plan for other programs: calendar (RFC 5545), CSV, JSON, Markdown."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from assistant.study.availability import sittings
from assistant.study.minutes import to_hours
from assistant.study.plan import Plan
from assistant.study.render import markdown, week_line

DOMAIN = "study.memory-assistant"


def export(plan: Plan, form: str, now: datetime, former: Sequence[Plan] = ()) -> str:
    """Return the plan as `md`, `ics`, `json` or `csv`.

    Args:
        former: its other versions, whose events a calendar is told to drop.
    """
    match form:
        case "ics":
            return calendar(plan, now, former)
        case "csv":
            return table(plan)
        case "json":
            return json.dumps(plan.data(), ensure_ascii=False)
        case _:
            return markdown(plan)


def calendar(plan: Plan, now: datetime, former: Sequence[Plan] = ()) -> str:
    """Return the plan as a calendar: one event a sitting, in the plan's zone.

    An event's UID is its plan, task and sitting, so that importing again updates it; SEQUENCE
    grows with time (RFC 5545, 3.8.7.4). What only a former version has is cancelled.
    """
    import icalendar

    result: Any = icalendar.Calendar()
    result.add("prodid", "-//memory-assistant//study//EN")
    result.add("version", "2.0")
    result.add("method", "PUBLISH")
    result.add("x-wr-calname", plan.goal)
    current = _events(plan)
    gone = {uid: event for other in former for uid, event in _events(other).items()}
    for uid, event in {**gone, **current}.items():
        event.add("uid", uid)
        event.add("dtstamp", now.astimezone(UTC))
        event.add("sequence", int(now.timestamp()) // 60)
        event.add("status", "CONFIRMED" if uid in current else "CANCELLED")
        result.add_component(event)
    year = timedelta(days=366)
    result.add_missing_timezones(first_date=plan.start - year, last_date=plan.end + year)
    return str(result.to_ical(), "utf-8")


def _events(plan: Plan) -> dict[str, Any]:
    """The events of a plan by UID: its sittings, and the self-check at each phase's end."""
    import icalendar

    zone = ZoneInfo(plan.terms.zone)
    weeks = {task.id: week for week, task in plan.placed()}
    events: dict[str, Any] = {}
    for sitting in sittings(plan):
        task = sitting.task
        event: Any = icalendar.Event()
        event.add("summary", task.title)
        event.add("dtstart", sitting.start.astimezone(zone))
        event.add("dtend", sitting.end.astimezone(zone))
        where = "\n".join(resource.url for resource in task.resources)
        lines = [week_line(weeks[task.id], plan.language), task.output, where]
        event.add("description", "\n".join(line for line in lines if line))
        if task.resources and task.resources[0].url:
            event.add("url", task.resources[0].url)
        events[f"{plan.name}.{task.id}.{sitting.number}@{DOMAIN}"] = event
    for number, (phase, held) in enumerate(plan.phase_weeks(), 1):
        event = icalendar.Event()
        event.add("summary", f"✓ {phase.title}")
        event.add("dtstart", held[-1].end)
        event.add("transp", "TRANSPARENT")
        event.add("description", phase.self_check)
        events[f"{plan.name}.phase-{number}@{DOMAIN}"] = event
    return events


def table(plan: Plan) -> str:
    """Return the plan as CSV, one task a line."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(
        ["phase", "week", "start", "end", "task", "title", "course", "hours", "output", "url"]
    )
    for phase, weeks in plan.phase_weeks():
        for week in weeks:
            for task in week.tasks:
                url = task.resources[0].url if task.resources else ""
                row = [phase.title, week.number, week.start, week.end, task.id, task.title]
                row += [task.course or "", to_hours(task.minutes), task.output, url]
                writer.writerow([_safe(cell) for cell in row])
    return out.getvalue()


def _safe(cell: object) -> object:
    """Keep a text that a spreadsheet would take for a formula a text (OWASP, CSV injection)."""
    return f"'{cell}" if isinstance(cell, str) and cell[:1] in {"=", "+", "-", "@"} else cell
