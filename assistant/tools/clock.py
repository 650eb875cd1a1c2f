"""Tools of time: what time it is, and how many days lie between two dates."""

from __future__ import annotations

import re
from datetime import UTC, date, datetime, timedelta
from typing import Annotated
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from pydantic import Field

from assistant.context.wording import Language, day
from assistant.tools.definition import RunContext, Tool, ToolFailed, ToolResult, tool
from assistant.tools.when import asks_for_days, asks_for_time, dates_in

_TODAY = {"today", "now", "今天", "今日", "现在"}
_SHIFTED = {"tomorrow": 1, "明天": 1, "yesterday": -1, "昨天": -1, "后天": 2, "前天": -2}
_YMD = re.compile(r"(\d{4})\s*[-/.年]\s*(\d{1,2})\s*[-/.月]\s*(\d{1,2})\s*日?号?")


def in_words(moment: datetime, language: Language) -> str:
    """Return a moment as people say it: `Monday 2 March 2026, 09:00 (UTC+08:00)`."""
    comma = "," if language == "en" else ""
    return f"{day(moment, moment.tzinfo or UTC, language)}{comma} {moment:%H:%M} ({_zone(moment)})"


@tool(
    description="Tells the current date, weekday and time. For another place give its IANA zone.",
    live=True,
    when=asks_for_time,
)
def get_current_time(
    run: RunContext,
    zone: Annotated[
        str | None, Field(description="IANA time zone such as Asia/Shanghai; leave out for here")
    ] = None,
) -> ToolResult:
    """Say what time it is, here or in `zone`."""
    now = run.now
    if zone is not None and zone.strip():
        try:
            now = now.astimezone(ZoneInfo(zone.strip()))
        except (ZoneInfoNotFoundError, ValueError, OSError):
            raise ToolFailed(
                f"There is no time zone {zone!r}; use an IANA name such as Europe/Lisbon."
            ) from None
    said = in_words(now, run.language)
    return ToolResult(f"现在是{said}。" if run.language == "zh" else f"It is {said}.")


@tool(
    description="Counts the days from one date to another. Dates are YYYY-MM-DD, or today.",
    when=asks_for_days,
)
def days_between(
    run: RunContext,
    *,
    start: Annotated[str, Field(description="first date, YYYY-MM-DD, or today")] = "today",
    end: Annotated[str, Field(description="second date, YYYY-MM-DD, or today")],
) -> ToolResult:
    """Say how many days lie between two dates."""
    first, last = _day(start, run.now.date()), _day(end, run.now.date())
    given = {text.strip().lower() for text in (start, end)}
    if first == last and dates_in(run.question) == 1:  # "until 20 March", given as both
        first, given = run.now.date(), _TODAY
    days = (last - first).days
    # A count from today holds for today only.
    relative = not given.isdisjoint(_TODAY | _SHIFTED.keys())
    return ToolResult(
        _count(first, last, days, run.language), max_age=_rest_of_day(run.now) if relative else None
    )


def _count(first: date, last: date, days: int, language: Language) -> str:
    if language == "zh":
        way = "" if days >= 0 else "（后者更早）"
        return f"从{first}到{last}相差{abs(days)}天{way}。"
    way = "" if days >= 0 else " (the second date is the earlier one)"
    unit = "day" if abs(days) == 1 else "days"
    return f"From {first} to {last} there are {abs(days)} {unit}{way}."


def _day(text: str, today: date) -> date:
    plain = text.strip().lower()
    if plain in _TODAY:
        return today
    if plain in _SHIFTED:
        return today + timedelta(days=_SHIFTED[plain])
    match = _YMD.match(plain)
    try:
        if match is not None:
            return date(int(match[1]), int(match[2]), int(match[3]))
        return datetime.fromisoformat(plain).date()
    except ValueError:
        raise ToolFailed(f"{text!r} is no date of the calendar; write it as YYYY-MM-DD.") from None


def _rest_of_day(now: datetime) -> timedelta:
    midnight = (now + timedelta(days=1)).replace(hour=0, minute=0, second=0, microsecond=0)
    return midnight - now


def _zone(moment: datetime) -> str:
    key = getattr(moment.tzinfo, "key", None)
    return str(key) if key else (moment.tzname() or f"{moment:%z}")


TOOLS: tuple[Tool, ...] = (get_current_time, days_between)
