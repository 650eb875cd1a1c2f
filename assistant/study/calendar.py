"""The person's calendar as busy time: an `.ics` file or a folder of them (RFC 5545)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import UTC, date, datetime, time, timedelta, tzinfo
from pathlib import Path
from typing import Any

from assistant.errors import UserError
from assistant.phrases import phrase
from assistant.study.plan import Busy

LARGEST = 50_000_000
"""Bytes of a calendar file that are read."""


def read_busy(path: Path, start: date, end: date, zone: tzinfo) -> tuple[Busy, ...]:
    """Return the spans that the calendar takes from day `start` to day `end`, merged, in order.

    Repeated events count at each of their times. What is cancelled, or marked as free
    (transparent), takes none. An event without a zone is in the person's own.

    Raises:
        UserError: there is no such file, or it is not a calendar; the message names it.
    """
    files = sorted(path.glob("**/*.ics")) if path.is_dir() else [path]
    if not files:
        raise UserError(phrase("study.no_ics", path=path))
    first = datetime.combine(start, time(), zone).astimezone(UTC)
    last = datetime.combine(end + timedelta(days=1), time(), zone).astimezone(UTC)
    return merged(span for file in files for span in _spans(file, first, last, zone))


def merged(spans: Iterable[Busy]) -> tuple[Busy, ...]:
    """Return the spans in order, those that meet joined."""
    joined: list[Busy] = []
    for span in sorted(spans, key=lambda span: (span.start, span.end)):
        if joined and span.start <= joined[-1].end:
            joined[-1] = Busy(joined[-1].start, max(joined[-1].end, span.end))
        else:
            joined.append(span)
    return tuple(joined)


def _spans(file: Path, first: datetime, last: datetime, zone: tzinfo) -> list[Busy]:
    import icalendar

    try:
        if file.stat().st_size > LARGEST:
            raise UserError(phrase("study.ics_large", path=file, most=LARGEST // 1_000_000))
        calendar = icalendar.Calendar.from_ical(file.read_bytes())
        if calendar.name != "VCALENDAR":
            raise UserError(phrase("study.not_calendar", name=file.name, kind=calendar.name))
        events: list[Any] = list(calendar.events)
        # An event with a RECURRENCE-ID stands for that one time of a repeated event.
        moved = {
            (str(e.get("UID")), _moment(e["RECURRENCE-ID"].dt, zone))
            for e in events
            if "RECURRENCE-ID" in e
        }
        return [
            span
            for event in events
            if _takes_time(event)
            for span in _times(event, file.name, first, last, zone)
            if "RECURRENCE-ID" in event or (str(event.get("UID")), span.start) not in moved
        ]
    except OSError as error:
        problem = error.strerror
        raise UserError(phrase("study.ics_unreadable", path=file, problem=problem)) from None
    except UserError:
        raise
    except Exception as error:  # the parser raises many kinds for a broken file
        problem = str(error).splitlines()[0][:200] if str(error) else type(error).__name__
        raise UserError(phrase("study.ics_broken", name=file.name, problem=problem)) from None


def _takes_time(event: Any) -> bool:
    free = str(event.get("TRANSP", "OPAQUE")).upper() == "TRANSPARENT"
    return not free and str(event.get("STATUS", "")).upper() != "CANCELLED"


def _times(event: Any, name: str, first: datetime, last: datetime, zone: tzinfo) -> Iterator[Busy]:
    start = event.start
    length = _moment(event.end, zone) - _moment(start, zone)
    own_zone = getattr(start, "tzinfo", None) or zone
    if length < timedelta(0):
        raise UserError(
            phrase(
                "study.ics_backwards",
                name=name,
                event=str(event.get("SUMMARY", "")),
                start=start,
                end=event.end,
            )
        )
    if not length:
        return
    for wall in _walls(event, _wall(start, own_zone), own_zone, first - length, last):
        moment = wall.replace(tzinfo=own_zone).astimezone(UTC)
        if moment < last and moment + length > first:
            yield Busy(moment, moment + length)


def _walls(
    event: Any, start: datetime, zone: tzinfo, first: datetime, last: datetime
) -> Iterable[datetime]:
    """When the event begins, on the clock of its own zone: a repeated one keeps its hour there."""
    from dateutil import rrule

    if "RECURRENCE-ID" in event or not (event.rrules or event.rdates):
        return [start]
    dates: Any = rrule.rruleset()
    dates.rdate(start)
    for rule in event.rrules:
        if str(rule["FREQ"][0]).upper() in {"SECONDLY", "MINUTELY", "HOURLY"}:
            raise UserError(phrase("study.ics_often", event=event.get("SUMMARY")))
        if "UNTIL" in rule:
            rule["UNTIL"] = [_wall(until, zone) for until in rule["UNTIL"]]
        dates.rrule(rrule.rrulestr(rule.to_ical().decode(), dtstart=start))
    for extra in event.rdates:
        dates.rdate(_wall(extra[0], zone))
    for left_out in event.exdates:
        dates.exdate(_wall(left_out, zone))
    day = timedelta(days=1)
    return dates.between(_wall(first, zone) - day, _wall(last, zone) + day, inc=True)


def _wall(value: date, zone: tzinfo) -> datetime:
    if not isinstance(value, datetime):
        return datetime.combine(value, time())
    return value if value.tzinfo is None else value.astimezone(zone).replace(tzinfo=None)


def _moment(value: date, zone: tzinfo) -> datetime:
    if not isinstance(value, datetime):
        value = datetime.combine(value, time())
    if value.tzinfo is None:
        value = value.replace(tzinfo=zone)
    return value.astimezone(UTC)
