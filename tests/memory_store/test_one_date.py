"""A text that is one date, in English and in Chinese."""

from __future__ import annotations

from datetime import datetime
from zoneinfo import ZoneInfo

import pytest

from memory_store.timeframe import parse_date

BERLIN = ZoneInfo("Europe/Berlin")
NOW = datetime(2026, 5, 20, 14, 30, tzinfo=BERLIN)  # a Wednesday


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("2026-01-18", "2026-01-18"),
        ("yesterday", "2026-05-19"),
        (" on Tuesday ", "2026-05-19"),
        ("last Friday", "2026-05-15"),
        ("5 May", "2026-05-05"),
        ("3 days ago", "2026-05-17"),
        ("前天", "2026-05-18"),
        ("上周三", "2026-05-13"),
        ("5月3日", "2026-05-03"),
        ("2026-02-30", None),
        ("30 February", None),
        ("二月三十日", None),
        ("last week", None),
        ("yesterday and today", None),
        ("yesterday I ran", None),
        ("soon", None),
        ("", None),
    ],
)
def test_reads_one_date(text: str, expected: str | None) -> None:
    """A text that is one date is read as that day; anything else is none."""
    found = parse_date(text, NOW, BERLIN)
    assert (found.isoformat() if found else None) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [("Tuesday", "2026-05-26"), ("5 May", "2027-05-05"), ("周五", "2026-05-22"),
     ("1 March", "2027-03-01"), ("1月1日", "2027-01-01"), ("next Monday", "2026-05-25")],
)  # fmt: skip
def test_reads_the_next_such_date(text: str, expected: str) -> None:
    """Looking ahead, a date without a year is the next one."""
    found = parse_date(text, NOW, BERLIN, ahead=True)
    assert found is not None
    assert found.isoformat() == expected
