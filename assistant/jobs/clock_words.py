"""The time of day in a text: "at 9", "half past 3 pm", "noon", 早上9点, 下午三点半 …"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache

from memory_store import words_en, words_zh

MORNING = 9
"""The hour that a day without a time means."""

_PARTS = {
    "morning": 9, "afternoon": 15, "evening": 19, "tonight": 20, "night": 20,
    "凌晨": 5, "早上": 9, "早晨": 9, "清晨": 7, "上午": 9, "中午": 12, "下午": 15, "傍晚": 18,
    "晚上": 20, "夜里": 22, "今晚": 20, "明晚": 20, "今早": 9, "明早": 9, "早": 9, "晚": 20,
}  # fmt: skip
_EARLY = frozenset({"morning", "凌晨", "早上", "早晨", "清晨", "上午", "今早", "明早", "早"})
_PART = (
    r"(?P<part>凌晨|早上|早晨|清晨|上午|中午|下午|傍晚|晚上|夜里|今晚|明晚|今早|明早"
    r"|早(?=[\d一二三四五六七八九十]|$)|晚(?=[\d一二三四五六七八九十]|$)"
    r"|\b(?:morning|afternoon|evening|tonight|night)\b)"
)
_HOUR_WORDS = "one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve"


@dataclass(frozen=True, slots=True)
class TimeOfDay:
    """A time on the wall clock.

    Attributes:
        days: 1 where the time is at the day's end (晚上12点, midnight).
        certain: whether morning or afternoon was said; a bare "at 9" may mean 21:00.
        spans: which words of the text name it.
    """

    hour: int
    minute: int
    days: int
    certain: bool
    spans: tuple[tuple[int, int], ...]


def find_time(text: str) -> TimeOfDay | None:
    """Find the time of day that `text` names: a clock time, or else a part of the day."""
    part = _part(text)
    for pattern in _patterns():
        for match in pattern.finditer(text):
            time = _read(match, part)
            if time is not None:
                return time
    if part is None:
        return None
    return TimeOfDay(_PARTS[part["part"].lower()], 0, 0, True, (_with_lead(text, part),))


def _part(text: str) -> re.Match[str] | None:
    return re.search(_PART, text, re.I)


def _with_lead(text: str, part: re.Match[str]) -> tuple[int, int]:
    lead = re.search(r"\b(?:in\s+the|at|this|the)\s+$", text[: part.start()], re.I)
    return (lead.start() if lead else part.start()), part.end()


def _read(match: re.Match[str], part: re.Match[str] | None) -> TimeOfDay | None:
    groups = match.groupdict()
    if groups.get("noon"):
        midnight = groups["noon"].lower() in ("midnight", "午夜", "半夜")
        return TimeOfDay(0 if midnight else 12, 0, int(midnight), True, (match.span(),))
    hour, minute = _hour(groups["hour"]), _minute(groups)
    if hour is None or minute is None or hour > 24 or minute > 59:
        return None
    if groups.get("to"):
        hour, minute = (hour - 1) % 24, 60 - minute
    meridiem = (groups.get("meridiem") or "").lower().replace(".", "")
    word = part["part"].lower() if part is not None and not meridiem else ""
    hour, days = _on_the_clock(hour, meridiem, word, padded=groups["hour"].startswith("0"))
    spans = [match.span()]
    if word and part is not None and not match.start() <= part.start() < match.end():
        spans.append(_with_lead(match.string, part))
    certain = bool(meridiem or word) or hour > 12 or groups["hour"].startswith("0")
    return TimeOfDay(hour, minute, days, certain, tuple(spans))


def _on_the_clock(hour: int, meridiem: str, part: str, *, padded: bool) -> tuple[int, int]:
    """The hour of 24, and the days that it lies beyond the one named."""
    if hour == 24:
        return 0, 1
    if meridiem:
        return hour % 12 + 12 * (meridiem == "pm") if hour <= 12 else hour, 0
    if part in _EARLY or hour > 12:
        return (0 if part == "凌晨" and hour == 12 else hour), 0
    if part in ("晚上", "夜里", "night", "tonight", "今晚", "明晚", "晚") and hour in (
        12,
        *range(5),
    ):
        return hour % 12, 1
    if part:
        return hour % 12 + 12 if hour != 11 or part != "中午" else 11, 0
    # Nobody means three in the night by "at 3".
    return (hour + 12 if 1 <= hour <= 5 and not padded else hour), 0


def _hour(text: str) -> int | None:
    word = text.lower()
    if word in words_en.NUMBERS:
        return int(words_en.NUMBERS[word])
    try:
        return words_zh.whole(text)
    except (ValueError, KeyError):
        return None


def _minute(groups: dict[str, str | None]) -> int | None:
    fraction, minute = groups.get("fraction"), groups.get("minute")
    if fraction:
        quarter = {"half": 30, "quarter": 15, "半": 30, "一刻": 15, "三刻": 45}
        word = fraction.lower().split()[-1]
        return quarter.get(word) or int(word)
    if not minute:
        return 0
    try:
        return words_zh.whole(minute.removeprefix("零").removeprefix("〇") or "0")
    except (ValueError, KeyError):
        return None


@cache
def _patterns() -> tuple[re.Pattern[str], ...]:
    meridiem = r"(?P<meridiem>am\b|pm\b|a\.m\.?|p\.m\.?)"
    chinese = r"(?:\d{1,2}|[一二两三四五六七八九十零]{1,3})"
    rows = (
        rf"(?:\b(?:at|by|around)\s+|@\s*|(?<=\d)T|\b)(?P<hour>\d{{1,2}}):(?P<minute>\d\d)(?::\d\d)?"
        rf"(?![:\d])\s*{meridiem}?",
        rf"(?:\b(?:at|by|around)\s+|@\s*|\b)(?P<hour>\d{{1,2}})\s*{meridiem}",
        rf"\bat\s+(?P<hour>\d{{1,2}})[.h](?P<minute>\d\d)(?!\d)\s*{meridiem}?",
        rf"(?:\bat\s+)?\b(?P<fraction>half|(?:a\s+)?quarter|\d\d?)\s+(?:past|(?P<to>to))\s+"
        rf"(?P<hour>\d{{1,2}}|{_HOUR_WORDS})\b(?:\s*{meridiem})?",
        rf"(?:\b(?:at|around)\s+|@\s*)(?P<hour>\d{{1,2}}|{_HOUR_WORDS})\b(?![:.,]?\d|\s*%)"
        r"(?:\s*o['’]?clock)?",
        rf"\b(?P<hour>\d{{1,2}}|{_HOUR_WORDS})\s*o['’]?clock",
        rf"{_PART}?的?(?P<hour>{chinese})(?:点钟?|时(?=[\d整半\s，,。]|$)|:(?=\d\d))(?!建议|要求|内容|意见|关于|钱|心)"
        rf"(?:(?P<fraction>半|一刻|三刻)|(?P<minute>[零〇]?{chinese})分?|整(?!理))?(?:之前|以前|前)?",
        r"(?:\bat\s+)?\b(?P<noon>noon|midday|midnight)\b",
        r"(?P<noon>正午|午夜|半夜)",
    )  # fmt: skip
    return tuple(re.compile(row, re.I) for row in rows)
