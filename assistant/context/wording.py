"""The words, English and Chinese, in which a model is told how old and how current a text is."""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import datetime, timedelta, tzinfo
from typing import Literal

from memory_store import Chunk, Judgement, Verdict

Language = Literal["en", "zh"]

_CHINESE = re.compile(r"[㐀-鿿]")
_WEEKDAYS = ("一", "二", "三", "四", "五", "六", "日")
_NO_PERIOD = timedelta(0)


def language_of(text: str) -> Language:
    """Return the language in which a text of the user's is to be answered."""
    return "zh" if _CHINESE.search(text) else "en"


def language_for(chosen: Language | Literal["auto"], text: str) -> Language:
    """Return the language that the user chose in the settings; with `auto`, that of the text."""
    return language_of(text) if chosen == "auto" else chosen


def quote(text: str, *, opening: str = "") -> str:
    """Return `text` with every line marked as quoted; `opening` says whose it is, if it is said.

    Whatever a text says, none of its lines can look like one of ours: that is why it is marked
    line by line and not with delimiters, which a text could contain. Of a text with an opening
    the further lines are indented, so that none of them can look like an opening.
    """
    indent = "  " if opening else ""
    first, *more = text.splitlines() or [""]
    return "\n".join((f"> {opening}{first}", *(f"> {indent}{line}" for line in more)))


def day(moment: datetime, zone: tzinfo, language: Language) -> str:
    """Return the day of `moment`: `Monday 2 March 2026`, `2026年3月2日星期一`."""
    local = moment.astimezone(zone)
    if language == "zh":
        weekday = _WEEKDAYS[local.weekday()]
        return f"{local.year}年{local.month}月{local.day}日星期{weekday}"
    return f"{local:%A} {local.day} {local:%B} {local.year}"


def ago(moment: datetime, now: datetime, zone: tzinfo, language: Language) -> str:
    """Return how long ago `moment` was: `2 days ago`, `3 周前`; by the user's calendar days."""
    days = (now.astimezone(zone).date() - moment.astimezone(zone).date()).days
    if days < 0:
        return "later" if language == "en" else "之后"
    if days == 0:
        return _within_day(now - moment, language)
    if days == 1:
        return "yesterday" if language == "en" else "昨天"
    for length, english, chinese in ((365, "year", "年"), (30, "month", "个月"), (7, "week", "周")):
        if days >= 2 * length:
            number = days // length
            return f"{number} {english}s ago" if language == "en" else f"{number}{chinese}前"
    return f"{days} days ago" if language == "en" else f"{days}天前"


def _within_day(age: timedelta, language: Language) -> str:
    minutes = int(max(age, _NO_PERIOD).total_seconds() // 60)
    if minutes < 1:
        return "just now" if language == "en" else "刚才"
    number, english, chinese = (
        (minutes, "minute", "分钟") if minutes < 60 else (minutes // 60, "hour", "小时")
    )
    if language == "zh":
        return f"{number}{chinese}前"
    return f"{number} {english}{'s' if number > 1 else ''} ago"


_SPEAKERS = {
    "en": {
        "question": "The user said",
        "answer": "assistant",
        "tool_result": "tool",
        "summary": "summary",
        "note": "note",
    },
    "zh": {
        "question": "用户说",
        "answer": "助手",
        "tool_result": "工具",
        "summary": "摘要",
        "note": "笔记",
    },
}


_FACT_FROM = {
    "en": {
        "user": "The user said",
        "assistant": "Found out by the assistant",
        "tool": "From a tool or a page",
        "import": "From an import",
    },
    "zh": {
        "user": "用户说",
        "assistant": "助手得知",
        "tool": "来自工具或网页",
        "import": "来自导入的资料",
    },
}
_LONGEST_RIVAL = 300


def speaker(chunk: Chunk, language: Language) -> str:
    """Return who said it: `The user said`, `From a tool or a page`, `get_stock(sku="42")`."""
    if chunk.kind == "fact":
        return _FACT_FROM[language][chunk.origin]
    if chunk.kind == "tool_result" and chunk.subject:
        return _one_line(chunk.subject)
    return _SPEAKERS[language][chunk.kind]


def out_of_date(judgement: Judgement, zone: tzinfo, language: Language, *, what: str = "") -> str:
    """Return, in place of a value, that it is known, since when, and the call that gets it anew."""
    when = day(judgement.as_of, zone, language)
    call = _one_line(judgement.call or "")
    if language == "zh":
        known = f"{what or '这个值'}是{when}得知的，已经过时"
        return f"{known}；请调用 {call} 获取现在的值。" if call else f"{known}，现在的值未知。"
    known = f"{what or 'This'} was known on {when} and is out of date"
    return f"{known}; call {call} to get it now." if call else f"{known}; the value now is unknown."


def caveat(judgement: Judgement, zone: tzinfo, language: Language) -> str:
    """Return the remark that goes before a value that is not current."""
    when = day(judgement.as_of, zone, language)
    replaced = judgement.verdict in (Verdict.CHANGED, Verdict.SUPERSEDED)
    call = _one_line(judgement.call or "")
    if language == "zh":
        state = "后来已改变" if replaced else "可能已经过时"
        refresh = f"；调用 {call} 可获取现在的值" if call else ""
        return f"截至{when}，{state}{refresh}"
    state = "has changed since" if replaced else "may be out of date"
    refresh = f"; {call} gets it now" if call else ""
    return f"as of {when}, {state}{refresh}"


def conflict(rival: Chunk, zone: tzinfo, language: Language) -> str:
    """Return, in one line, what says otherwise than a memory, when that was, and who said it."""
    when, who = day(rival.created_at, zone, language), speaker(rival, language)
    text = _one_line(rival.text)[:_LONGEST_RIVAL]
    sure = rival.origin == "user"
    if language == "zh":
        return f"与此矛盾{'' if sure else '，未经用户确认'}：{when}，{who}：{text}"
    doubt = "" if sure else ", not confirmed by the user"
    return f"In conflict with this{doubt}: {when}, {who}: {text}"


def with_conflicts(text: str, rivals: Iterable[Chunk], zone: tzinfo, language: Language) -> str:
    """Return a memory's text with what says otherwise, each on a line of its own."""
    return "\n".join((text, *(conflict(rival, zone, language) for rival in rivals)))


def _one_line(text: str) -> str:
    return " ".join(text.split())
