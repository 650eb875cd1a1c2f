"""A plan for other programs: calendar (RFC 5545), CSV, JSON, Markdown."""

from __future__ import annotations

import csv
import io
import json
from datetime import UTC, datetime
from typing import Any
from zoneinfo import ZoneInfo

from assistant.study.availability import sittings
from assistant.study.minutes import to_hours
from assistant.study.plan import Plan
from assistant.study.render import markdown, week_line

DOMAIN = "study.memory-assistant"


def export(plan: Plan, form: str, now: datetime) -> str:
    """Return the plan as `md`, `ics`, `json` or `csv`."""
    match form:
        case "ics":
            return calendar(plan, now)
        case "csv":
            return table(plan)
        case "json":
            return json.dumps(plan.data(), ensure_ascii=False)
        case _:
            return markdown(plan)


def calendar(plan: Plan, now: datetime) -> str:
    """Return the plan as a calendar: one event a sitting, in the plan's zone.

    An event's UID is its plan, task and sitting, so that a later version updates it; SEQUENCE is
    the plan's version.
    """
    import icalendar

    zone = ZoneInfo(plan.terms.zone)
    result: Any = icalendar.Calendar()
    result.add("prodid", "-//memory-assistant//study//EN")
    result.add("version", "2.0")
    result.add("method", "PUBLISH")
    result.add("x-wr-calname", plan.goal)
    weeks = {task.id: week for week, task in plan.placed()}
    for sitting in sittings(plan):
        task = sitting.task
        event: Any = icalendar.Event()
        event.add("uid", f"{plan.name}.{task.id}.{sitting.number}@{DOMAIN}")
        event.add("summary", task.title)
        event.add("dtstart", sitting.start.astimezone(zone))
        event.add("dtend", sitting.end.astimezone(zone))
        event.add("dtstamp", now.astimezone(UTC))
        event.add("sequence", plan.version)
        where = "\n".join(resource.url for resource in task.resources)
        lines = [week_line(weeks[task.id], plan.language), task.output, where]
        event.add("description", "\n".join(line for line in lines if line))
        if task.resources:
            event.add("url", task.resources[0].url)
        result.add_component(event)
    for phase, held in plan.phase_weeks():
        event = icalendar.Event()
        event.add("uid", f"{plan.name}.phase-{phase.first}@{DOMAIN}")
        event.add("summary", f"✓ {phase.title}")
        event.add("dtstart", held[-1].end)
        event.add("dtstamp", now.astimezone(UTC))
        event.add("sequence", plan.version)
        event.add("transp", "TRANSPARENT")
        event.add("description", phase.self_check)
        result.add_component(event)
    result.add_missing_timezones()
    return str(result.to_ical(), "utf-8")


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
