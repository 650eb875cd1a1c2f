"""When something repeats: an RFC 5545 rule on the user's wall clock, right across clock changes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, tzinfo
from functools import lru_cache
from itertools import takewhile
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from dateutil.rrule import rrule, rruleset

_STEPS = {"MINUTELY": timedelta(minutes=1), "HOURLY": timedelta(hours=1)}
# No zone ever skipped more than the day that Samoa left out in 2011.
_WIDEST_JUMP = timedelta(hours=26)


@dataclass(frozen=True, slots=True)
class Recurrence:
    """A rule such as `FREQ=WEEKLY;BYDAY=MO` (RFC 5545, 3.3.10), seen in a zone.

    Days, weeks, months and years follow the wall clock: 08:00 stays 08:00 when the clock changes.
    A time that the clock skips happens as much later as was skipped, one that comes twice happens
    the first time (PEP 495, fold=0). Hours and minutes are elapsed time.

    Attributes:
        start: the wall-clock time of the first occurrence, without a zone.
    """

    rule: str
    start: datetime
    zone: tzinfo

    def after(self, moment: datetime) -> datetime | None:
        """The first occurrence after `moment`, UTC; None where there is none."""
        return next(self._from(moment), None)

    def between(self, after: datetime, until: datetime) -> Iterator[datetime]:
        """The occurrences after `after`, up to and including `until`, UTC."""
        return takewhile(lambda time: time <= until, self._from(after))

    def _from(self, moment: datetime) -> Iterator[datetime]:
        step = self._step()
        if step is not None:
            yield from self._elapsed(moment, step)
            return
        local = moment.astimezone(self.zone).replace(tzinfo=None)
        for wall in _parsed(self.rule, self.start).xafter(local - _WIDEST_JUMP):
            time = wall.replace(tzinfo=self.zone).astimezone(UTC)
            if time > moment:
                yield time

    def _step(self) -> timedelta | None:
        parts = dict(part.split("=", 1) for part in self.rule.split(";"))
        step = _STEPS.get(parts["FREQ"])
        return step * int(parts.get("INTERVAL", "1")) if step else None

    def _elapsed(self, moment: datetime, step: timedelta) -> Iterator[datetime]:
        start = self.start.replace(tzinfo=self.zone).astimezone(UTC)
        count = max(0, (moment - start) // step + 1)
        while True:
            yield start + count * step
            count += 1


def daily(hour: int, minute: int, zone: tzinfo) -> Recurrence:
    """Every day at that time of the wall clock."""
    return Recurrence("FREQ=DAILY", _since(hour, minute), zone)


def weekly(day: str, hour: int, minute: int, zone: tzinfo) -> Recurrence:
    """Every week on `day` (MO, TU, WE, TH, FR, SA, SU) at that time of the wall clock."""
    return Recurrence(f"FREQ=WEEKLY;BYDAY={day}", _since(hour, minute), zone)


def _since(hour: int, minute: int) -> datetime:
    return datetime(2020, 1, 1, hour, minute)  # noqa: DTZ001 - a wall-clock time has no zone


@lru_cache(maxsize=256)
def _parsed(rule: str, start: datetime) -> rrule | rruleset:
    from dateutil.rrule import rrulestr

    return rrulestr(rule, dtstart=start, cache=True)
