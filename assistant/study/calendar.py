"""The person's calendar as busy time: an `.ics` file or a folder of them."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, date, datetime, time, timedelta, tzinfo
from pathlib import Path
from typing import Any

from assistant.errors import UserError
from assistant.study.plan import Busy


def read_busy(path: Path, start: date, end: date, zone: tzinfo) -> tuple[Busy, ...]:
    """Return the spans that the calendar takes from day `start` to day `end`, merged, in order.

    Repeated events count at each of their times. What is cancelled, or marked as free
    (transparent), takes none. An event without a zone is in the person's own.

    Raises:
        UserError: there is no such file, or it is not a calendar; the message names it.
    """
    files = sorted(path.glob("**/*.ics")) if path.is_dir() else [path]
    if not files:
        raise UserError(f"the folder {path} holds no .ics file.")
    spans = [span for file in files for span in _spans(file, start, end, zone)]
    return merged(spans)


def merged(spans: Iterable[Busy]) -> tuple[Busy, ...]:
    """Return the spans in order, those that meet joined."""
    joined: list[Busy] = []
    for span in sorted(spans, key=lambda span: (span.start, span.end)):
        if joined and span.start <= joined[-1].end:
            joined[-1] = Busy(joined[-1].start, max(joined[-1].end, span.end))
        else:
            joined.append(span)
    return tuple(joined)


def _spans(file: Path, start: date, end: date, zone: tzinfo) -> list[Busy]:
    import icalendar
    import recurring_ical_events

    try:
        calendar = icalendar.Calendar.from_ical(file.read_bytes())
        events: list[Any] = recurring_ical_events.of(calendar).between(
            datetime.combine(start, time(), zone),
            datetime.combine(end + timedelta(days=1), time(), zone),
        )
        return [_busy(event, zone) for event in events if _takes_time(event)]
    except OSError as error:
        raise UserError(f"the calendar {file} cannot be read: {error.strerror}.") from None
    except Exception as error:  # the parsers raise many kinds for a broken file
        problem = str(error).splitlines()[0][:200] if str(error) else type(error).__name__
        raise UserError(f"{file.name} is not a readable calendar: {problem}.") from None


def _takes_time(event: Any) -> bool:
    free = str(event.get("TRANSP", "OPAQUE")).upper() == "TRANSPARENT"
    return not free and str(event.get("STATUS", "")).upper() != "CANCELLED"


def _busy(event: Any, zone: tzinfo) -> Busy:
    return Busy(_moment(event.start, zone), _moment(event.end, zone))


def _moment(value: date, zone: tzinfo) -> datetime:
    if not isinstance(value, datetime):
        value = datetime.combine(value, time())
    if value.tzinfo is None:
        value = value.replace(tzinfo=zone)
    return value.astimezone(UTC)
