"""What the person wants changed, from options or from their words, English and Chinese."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Literal

from assistant.errors import UserError
from assistant.phrases import phrase
from assistant.study.days import find_days
from assistant.study.goal import NUMBER, number, read_goal
from assistant.study.minutes import weekly

ChangeKind = Literal["catch_up", "hours", "away", "halve", "end"]

_HALVE = re.compile(
    rf"第\s*(?P<zh>{NUMBER})\s*(?:周|个星期|星期)"
    rf"|\bweek\s+(?P<en>{NUMBER})|\b(?P<nth>\d+)(?:st|nd|rd|th)\s+week"
    r"|\b(?P<word>first|second|third|fourth|fifth|sixth|seventh|eighth|ninth|tenth)\s+week",
    re.IGNORECASE,
)
_THIS_WEEK = re.compile(
    r"\bthis\s+week\b|(?:这|本)(?:一)?个?(?:周|星期|礼拜)"
    r"|(?P<next>\bnext\s+week\b|下(?:一)?个?(?:周|星期|礼拜))",
    re.IGNORECASE,
)
_LESS = re.compile(
    r"减半|一半|[太很](?:紧|满|多|累|重|忙)|忙不过来|吃不消|[学做完跟]不[完过上]来?"
    r"|\bhalve\b|\bhalf\b|\b(?:too|so|very)\s+(?:tight|much|full|heavy|busy|packed|hard)\b"
    r"|\boverload|\bcan'?t\s+(?:manage|keep\s+up|make\s+it|do\s+it\s+all)\b",
    re.IGNORECASE,
)
_AWAY = re.compile(
    r"\baway\b|\bvacation\b|\bholidays?\b|\btravel|\boff\b|\btrip\b|\bbusy\b|\bsick\b"
    r"|\bcan'?t study\b"
    r"|出差|旅行|旅游|休假|度假|请假|放假|不在|没空|没时间|生病|不能学",
    re.IGNORECASE,
)
_HOURS = re.compile(
    rf"(?P<n>{NUMBER})\s*(?:个)?\s*(?:hours?|hrs?|h(?![a-z])|小时|钟头)", re.IGNORECASE
)
_WEEKLY = re.compile(
    r"\bfrom now on\b|\b(?:a|per|each|every)\s+week\b|\bweekly\b|\bonly\b"
    r"|以后|今后|从现在|每周|每星期|只能|只有",
    re.IGNORECASE,
)
_END = re.compile(
    r"\bby\b|\bbefore\b|\buntil\b|\bfinish\b|\bend\b|\bdeadline\b|之前|以前|前|为止|截止|结束|延到|推迟到|提前到",
    re.IGNORECASE,
)
_BEHIND = re.compile(
    r"\bbehind\b|\bcatch(?:ing)? up\b|\bfallen\b|\bslipped\b|落后|跟不上|赶不上|补上|进度慢|没跟上",
    re.IGNORECASE,
)
_ORDINALS = (
    *("first", "second", "third", "fourth", "fifth"),
    *("sixth", "seventh", "eighth", "ninth", "tenth"),
)


@dataclass(frozen=True, slots=True)
class Change:
    """One wish: catch up, other weekly hours from now on, days away, half of a week, another end.

    Attributes:
        minutes: of a week, for `hours`.
        week: the week's number, for `halve`; 0: the week of day `start`.
        start, end: the days away, both included; for `end`, `end` is the new last day.
    """

    kind: ChangeKind
    minutes: int = 0
    week: int = 0
    start: date | None = None
    end: date | None = None


CATCH_UP = Change("catch_up")


def read_change(text: str, *, today: date) -> Change:
    """Return what the text asks for.

    Raises:
        UserError: it asks for nothing known, or for several things.
    """
    days = find_days(text, today=today)
    week = _HALVE.search(text)
    if week and _LESS.search(text):
        return Change("halve", week=_week(week))
    near = _THIS_WEEK.search(text)
    if near and not week and not days:
        return _of_week(text, today, ahead=bool(near["next"]))
    if days and _AWAY.search(text):
        return Change("away", start=days[0].start, end=days[-1].end)
    hours = _HOURS.search(text)
    if hours and _WEEKLY.search(text):
        weekly_minutes = read_goal(text, start=None, today=today).minutes
        return Change("hours", minutes=weekly_minutes or weekly(number(hours["n"])))
    if len(days) == 1 and _END.search(text):
        return Change("end", end=days[0].end)
    if _BEHIND.search(text):
        return CATCH_UP
    raise UserError(phrase("study.change_unknown", text=text))


def _of_week(text: str, today: date, *, ahead: bool) -> Change:
    """What is said of this week or the next: that it is too much, or that there is no time."""
    day = today + timedelta(days=7 * ahead)
    if _LESS.search(text):
        return Change("halve", start=day)
    monday = day - timedelta(days=day.weekday())
    if _AWAY.search(text):
        return Change("away", start=max(today, monday), end=monday + timedelta(days=6))
    if _BEHIND.search(text):
        return CATCH_UP
    raise UserError(phrase("study.change_unknown", text=text))


def _week(match: re.Match[str]) -> int:
    if match["word"]:
        return _ORDINALS.index(match["word"].lower()) + 1
    return round(number(match["zh"] or match["en"] or match["nth"]))
