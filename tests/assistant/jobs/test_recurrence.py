"""Local times on the days when the clock changes."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from itertools import pairwise
from zoneinfo import ZoneInfo

from assistant.jobs.recurrence import Recurrence, daily, weekly

BERLIN = ZoneInfo("Europe/Berlin")


def _utc(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


def test_eight_stays_eight_when_the_clock_changes() -> None:
    """A daily time keeps its wall-clock hour over both changes of the year."""
    spring = list(daily(8, 0, BERLIN).between(_utc("2026-03-27 12:00"), _utc("2026-03-30 12:00")))
    autumn = list(daily(8, 0, BERLIN).between(_utc("2026-10-23 12:00"), _utc("2026-10-26 12:00")))
    assert [f"{time:%d %H}" for time in spring] == ["28 07", "29 06", "30 06"]
    assert [f"{time:%d %H}" for time in autumn] == ["24 06", "25 07", "26 07"]


def test_a_skipped_time_happens_once_after_the_gap() -> None:
    """02:30 on the night it does not exist happens at 03:30, once."""
    times = list(daily(2, 30, BERLIN).between(_utc("2026-03-28 12:00"), _utc("2026-03-30 12:00")))
    assert [f"{time.astimezone(BERLIN):%d %H:%M}" for time in times] == ["29 03:30", "30 02:30"]
    late = daily(2, 30, BERLIN).after(_utc("2026-03-29 01:10"))  # 03:10 in Berlin
    assert late == _utc("2026-03-29 01:30")


def test_a_doubled_time_happens_the_first_time_only() -> None:
    """02:30 on the night that has it twice happens once, the first time."""
    times = list(daily(2, 30, BERLIN).between(_utc("2026-10-24 12:00"), _utc("2026-10-26 12:00")))
    assert times == [_utc("2026-10-25 00:30"), _utc("2026-10-26 01:30")]
    between = daily(2, 30, BERLIN).after(_utc("2026-10-25 01:10"))  # the second 02:10
    assert between == _utc("2026-10-26 01:30")


def test_hours_are_elapsed_time() -> None:
    """Every hour is 60 minutes apart, also while the clock is put back."""
    hourly = Recurrence("FREQ=HOURLY", datetime(2026, 10, 24), BERLIN)  # noqa: DTZ001
    times = list(hourly.between(_utc("2026-10-24 22:00"), _utc("2026-10-25 04:00")))
    assert len(times) == 6
    assert all(b - a == timedelta(hours=1) for a, b in pairwise(times))


def test_weekly_falls_on_its_weekday_across_the_new_year() -> None:
    """A weekly time falls on its weekday of the wall clock, over a year's end too."""
    times = list(
        weekly("SU", 18, 0, BERLIN).between(_utc("2026-12-20 18:00"), _utc("2027-01-10 20:00"))
    )
    assert [f"{time.astimezone(BERLIN):%m-%d %a}" for time in times] == [
        "12-27 Sun",
        "01-03 Sun",
        "01-10 Sun",
    ]
