"""What a memory is, holds and was checked for, in words a person reads, English and Chinese."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import datetime, timedelta, tzinfo
from typing import TYPE_CHECKING

from assistant.context.wording import Language, ago
from memory_store import Chunk, Judgement

if TYPE_CHECKING:
    from memory_store.stats import Stats
    from memory_store.verify import Verification

Row = tuple[str, str]
"""A name and what is said of it."""

_CHINESE = {
    "question": "提问",
    "answer": "回答",
    "tool_result": "工具结果",
    "summary": "摘要",
    "fact": "事实",
    "note": "笔记",
    "fresh": "有效",
    "revalidated": "已核实有效",
    "stale": "可能过时",
    "superseded": "已被取代",
    "changed": "来源已变",
    "user": "你",
    "assistant": "助理",
    "tool": "工具",
    "import": "导入",
    "kind": "类型",
    "remembered": "记于",
    "verdict": "状态",
    "subject": "主题",
    "said by": "来自",
    "session": "会话",
    "speaks of": "所说时间",
    "lifetime": "有效期",
    "made by": "由此得到",
    "made from": "依据",
    "said again": "重复次数",
    "memories": "记忆",
    "state": "状态",
    "contradicted": "有矛盾",
    "sessions": "会话",
    "subjects": "主题",
    "oldest": "最早",
    "newest": "最新",
    "not yet indexed": "待编入索引",
    "on disk": "占用空间",
    "embedder": "嵌入模型",
    "index in use by": "索引正被使用",
}


def named(word: str, language: Language) -> str:
    """Return a kind, a verdict or a row's name in the user's language."""
    return _CHINESE[word] if language == "zh" else word.replace("_", " ")


def of_chunk(
    chunk: Chunk,
    judgement: Judgement,
    session: str | None,
    *,
    now: datetime,
    zone: tzinfo,
    language: Language,
) -> Iterator[Row]:
    """Yield what is known of one memory; `session` is the name of where it was said."""
    zh = language == "zh"
    verdict = named(str(judgement.verdict), language)
    age = ago(chunk.created_at, now, zone, language)
    rows = {
        "id": chunk.id,
        "kind": named(chunk.kind, language),
        "remembered": f"{_time(chunk.created_at, zone)}, {age}",
        "verdict": verdict if zh else f"{verdict}: {judgement.reason}",
        "subject": chunk.subject,
        "said by": named(chunk.origin, language),
        "session": session,
        "speaks of": chunk.about
        and f"{_time(chunk.about.start, zone)} – {_time(chunk.about.end, zone)}",
        "lifetime": _lifetime(chunk.freshness.max_age),
        "made by": chunk.freshness.call,
        "made from": ", ".join(chunk.derived_from),
        "said again": str(chunk.copies - 1) if chunk.copies > 1 else "",
    }
    for name, value in rows.items():
        if value:
            yield ("id" if name == "id" else named(name, language)), value


def of_stats(stats: Stats, zone: tzinfo, language: Language) -> Iterator[Row]:
    """Yield what a memory holds; what is nothing is left out, but for the count of memories."""
    waiting = stats.pending and (
        f"{stats.pending}，照样能找到"
        if language == "zh"
        else f"{stats.pending}, found all the same"
    )
    rows = {
        "memories": f"{stats.chunks}{_counted(stats.kinds, language)}",
        "state": _counted(stats.verdicts, language, plural=False).strip(": ："),
        "said again": stats.copies,
        "contradicted": stats.conflicts,
        "sessions": stats.sessions,
        "subjects": stats.subjects,
        "oldest": stats.oldest and _time(stats.oldest, zone),
        "newest": stats.newest and _time(stats.newest, zone),
        "not yet indexed": waiting,
        "on disk": f"{(stats.ledger_bytes + stats.index_bytes) / 1e6:.1f} MB",
        "embedder": stats.embedder,
        "index in use by": stats.holder,
    }
    for name, value in rows.items():
        if value:
            yield named(name, language), str(value)


def of_verification(found: Verification, language: Language) -> str:
    """Return what a check found; the problems, each with its remedy, on lines of their own."""
    zh = language == "zh"
    if not found.ok:
        opening = "发现问题：" if zh else "There are problems:"
        return "\n".join((opening, *(f"- {problem}" for problem in found.problems)))
    waiting = found.passages - found.indexed
    if zh:
        rest = f"，{waiting} 段待编入索引" if waiting else ""
        return f"一切正常：{found.chunks} 条记忆，{found.passages} 段文字{rest}。"
    rest = f", of these not yet in the index, and found all the same: {waiting}" if waiting else ""
    return f"All is well; memories: {found.chunks}, passages: {found.passages}{rest}."


def _counted(counts: Mapping[str, int], language: Language, *, plural: bool = True) -> str:
    told = [
        f"{count} {_many(name, count) if plural and language == 'en' else named(name, language)}"
        for name, count in counts.items()
        if count
    ]
    if language == "zh":
        return "：" + "，".join(told) if told else ""
    return ": " + ", ".join(told) if told else ""


def _many(kind: str, count: int) -> str:
    name = named(kind, "en")
    return (
        name if count == 1 else f"{name.removesuffix('y')}ies" if kind == "summary" else f"{name}s"
    )


def _time(moment: datetime, zone: tzinfo) -> str:
    return f"{moment.astimezone(zone):%Y-%m-%d %H:%M}"


def _lifetime(max_age: timedelta | None) -> str:
    return "" if max_age is None else str(max_age)
