"""The words of reminders and notes, English and Chinese, in the language of what was asked."""

from __future__ import annotations

from datetime import datetime, tzinfo
from typing import TYPE_CHECKING

from assistant.context.wording import Language, day
from assistant.phrases import say

if TYPE_CHECKING:
    from assistant.jobs.reminders import Reminder

_DAYS = {
    "MO": ("Monday", "一"), "TU": ("Tuesday", "二"), "WE": ("Wednesday", "三"),
    "TH": ("Thursday", "四"), "FR": ("Friday", "五"), "SA": ("Saturday", "六"),
    "SU": ("Sunday", "日"),
}  # fmt: skip
_UNITS = {
    "MINUTELY": ("minute", "分钟"), "HOURLY": ("hour", "小时"), "DAILY": ("day", "天"),
    "WEEKLY": ("week", "周"), "MONTHLY": ("month", "个月"), "YEARLY": ("year", "年"),
}  # fmt: skip


def when(moment: datetime, zone: tzinfo, language: Language) -> str:
    """A time as people say it: `Thursday 21 May 2026, 09:00`, `2026年5月21日星期四 09:00`."""
    clock = f"{moment.astimezone(zone):%H:%M}"
    if language == "zh":
        return f"{day(moment, zone, 'zh')} {clock}"
    return f"{day(moment, zone, 'en')}, {clock}"


def repeats(rule: str, language: Language) -> str:
    """How a rule repeats, in words: `every 2 weeks on Friday`, `每2周周五`; empty for none."""
    if not rule:
        return ""
    parts = dict(part.split("=", 1) for part in rule.split(";"))
    unit, count = _UNITS[parts["FREQ"]], int(parts.get("INTERVAL", "1"))
    days = [_DAYS[name] for name in parts.get("BYDAY", "").split(",") if name]
    month, dates = parts.get("BYMONTH"), parts.get("BYMONTHDAY", "").split(",")[-1]
    if language == "zh":
        head = f"每{count if count > 1 else ''}{unit[1]}"
        tail = "、".join(f"周{name[1]}" for name in days)
        return (
            head
            + tail
            + (f"{month}月" if month else "")
            + (f"{_date(dates, language)}" if dates else "")
        )
    head = f"every {count} {unit[0]}s" if count > 1 else f"every {unit[0]}"
    tail = " on " + ", ".join(name[0] for name in days) if days else ""
    if month:
        return f"{head} on {int(month):02}-{int(dates):02}"
    return head + tail + (f" on {_date(dates, language)}" if dates else "")


def _date(number: str, language: Language) -> str:
    if number == "-1":
        return "最后一天" if language == "zh" else "the last day"
    return f"{number}日" if language == "zh" else f"day {number}"


def describe(reminder: Reminder, now: datetime, zone: tzinfo, language: Language) -> str:
    """A reminder in one line: number, text, when, how it repeats, and what has become of it."""
    parts = [f"{reminder.number}: {reminder.text}"]
    if reminder.status != "open":
        parts.append(say(f"remind.is_{reminder.status}", language))
    elif reminder.due is None:
        parts.append(say("remind.to_do", language))
    else:
        parts.append(when(reminder.due, zone, language))
        parts += [repeats(reminder.rule, language)] if reminder.rule else []
        parts += [say("remind.reminded", language)] if reminder.told else []
        parts += [say("remind.overdue", language)] if reminder.overdue(now) else []
    return ("，" if language == "zh" else ", ").join(parts)


def reminder_note(
    task: str, due: datetime, zone: tzinfo, *, missed: int, language: Language
) -> str:
    """What the user is told when a reminder is due; `missed`: later times merged into this."""
    key = "remind.note_missed" if missed else "remind.note"
    return say(key, language, task=task, when=when(due, zone, language), missed=missed)
