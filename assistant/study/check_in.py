"""Reading a check-in such as `2h linear algebra, finished part 3, stuck on eigenvalues`.

The grammar, English and Chinese: a duration (2h, 1h30, 90 min, half an hour, 1.5小时, 半小时), what
it was (a course's name or topic, a task's id, review, project), whether it is done (done, finished,
completed, 学完, 完成; `part 3`, 第3部分 say which part), what is hard (stuck on, 卡在), and a day
(yesterday, 昨天). The whole text is the note. What could be read in two ways is asked.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta

from assistant.errors import UserError
from assistant.phrases import phrase
from assistant.study.course import Course
from assistant.study.goal import NUMBER, number
from assistant.study.plan import Plan, Task
from assistant.study.search import plain, terms_in

OUTSIDE = "other"
"""The course of time that was spent on something outside the plan."""

_ALONE = r"(?<![-–−~])(?<![\d.])(?<!\d[eE到至])"
"""Before a number that is no end of a range, of a negative or of a longer number."""
_HOURS = (
    rf"{_ALONE}(?P<h>{NUMBER})\s*(?:个)?(?P<half>半)?\s*(?:-\s*)?(?:hours?|hrs?|h(?![a-z])|小时|钟头)(?P<half2>半)?"
    r"(?:\s*(?:and\s+|又)?(?P<hm>\d+|[一二三四五六七八九十]+)\s*(?:minutes?|mins?|m(?![a-z])|分钟?|(?![\w.])))?"
)
_DURATION = re.compile(
    rf"(?P<hour_and_half>\b(?:an\s+)?hour\s+and\s+a\s+half\b)|(?P<half_hour>\bhalf\s+an?\s+hour\b|半个?(?:小时|钟头))"
    rf"|{_HOURS}|{_ALONE}(?P<m>{NUMBER})\s*(?:-\s*)?(?:minutes?|mins?|m(?![a-z])|分钟|分(?!之))"
    r"|(?P<quarters>[一两二三])刻钟",
    re.IGNORECASE,
)
_NOT_DONE = re.compile(
    r"\bnot\s+(?:yet\s+)?(?:done|finished|completed)\b"
    r"|\b(?:didn't|did not|haven't|couldn't)\s+finish(?:ed)?\b"
    r"|(?:没|未|没有|还没|还没有)\s*(?:学完|看完|做完|完成|搞定|读完)",
    re.IGNORECASE,
)
_DONE = re.compile(
    r"\b(?:done|finish(?:ed)?|complete[d]?)\b|学完|看完|做完|读完|完成|搞定", re.IGNORECASE
)
_STUCK = re.compile(
    r"(?:\bstuck\s+(?:on|at|in|with)|\bstruggl(?:ed|ing)\s+with)\s+(?P<en>[^,，;；。!\n]+)"
    r"|卡在\s*(?P<zh>[^,，;；。!\n]+?)(?:了|上)?(?=[,，;；。!\n]|$)",
    re.IGNORECASE,
)
_PART = re.compile(
    r"\bparts?\s*#?(?P<en>\d+)|第\s*(?P<zh>\d+|[一二三四五六七八九十]+)\s*部分", re.IGNORECASE
)
_DAY = {"yesterday": 1, "昨天": 1, "昨日": 1, "前天": 2, "today": 0, "今天": 0, "今日": 0}
_DAY_WORD = re.compile(r"\b(?:yesterday|today)\b|昨天|昨日|前天|今天|今日", re.IGNORECASE)
_CHAPTER = re.compile(
    r"\b(?:chapter|unit|lesson|lecture|week|section|video)s?\s*\d+|第\s*[\d一二三四五六七八九十]+\s*[章节课讲]",
    re.IGNORECASE,
)
_EMPTY = re.compile(
    r"\b(?:i|studied|study|learned|learnt|learning|worked|spent|did|on|for|of|a|an|the|and|about|in|it|to|my"
    r"|of study|some)\b|学习了?|学了?|看了?|做了?|花了?|我|了|的|用",
    re.IGNORECASE,
)
_FILLERS = {
    "review": re.compile(r"\breview(?:ed|ing)?\b|复习", re.IGNORECASE),
    "project": re.compile(r"\bprojects?\b|项目", re.IGNORECASE),
}


@dataclass(frozen=True, slots=True)
class CheckIn:
    """What a check-in says.

    Attributes:
        minutes: how long.
        group: the course, `review` or `project`; `other` where it is outside the plan.
        done: ids of the tasks that it finishes.
        stuck: what was hard; empty where nothing was.
        unread: says "finished", but not which task of the plan that is.
    """

    day: date
    minutes: int
    group: str
    done: tuple[str, ...]
    note: str
    stuck: str
    unread: bool = False


def read_check_in(
    text: str,
    plan: Plan,
    courses: Mapping[str, Course],
    *,
    finished: set[str],
    today: date,
    day: date | None = None,
    task: str | None = None,
) -> CheckIn:
    """Return what the text says of the plan.

    Args:
        finished: ids of the tasks that are finished before this.
        day: when it was; None: the text's own day word, or today.
        task: the id of the task that it is about, where the person named it apart.

    Raises:
        UserError: it has no duration, several, or could be about several courses.
    """
    stuck = _STUCK.search(text)
    rest = text[: stuck.start()] + text[stuck.end() :] if stuck else text
    minutes = _minutes(rest)
    spoken_day = _DAY_WORD.search(rest)
    if day is None:
        day = today - timedelta(days=_DAY[spoken_day[0].lower()] if spoken_day else 0)
    about = _DAY_WORD.sub(" ", _DURATION.sub(" ", rest))
    waiting = [t for _, t in plan.placed() if t.id not in finished]
    named_task = _task(task or "", plan) or _named_task(about, plan)
    group = group_of(named_task) if named_task else _group(about, plan, courses, waiting, day)
    says_done = bool(_DONE.search(_NOT_DONE.sub(" ", about)))
    done: tuple[str, ...] = ()
    if says_done and group != OUTSIDE:
        done = _finished(about, plan, group, named_task, waiting)
    hard = (stuck["en"] or stuck["zh"]).strip() if stuck else ""
    return CheckIn(day, minutes, group, done, text.strip(), hard, says_done and not done)


def group_of(task: Task) -> str:
    """Return what time on a task counts for: its course, or `review`, or `project`."""
    return task.course or task.id.rpartition("-")[0]


def _minutes(text: str) -> int:
    found = list(_DURATION.finditer(text))
    if not found:
        raise UserError(phrase("study.no_duration"))
    if len(found) > 1:
        shown = tuple(match[0].strip() for match in found)
        raise UserError(phrase("study.several_durations", shown=shown))
    minutes, shown = _duration(found[0]), found[0][0].strip()
    if minutes > 24 * 60:
        raise UserError(phrase("study.over_a_day", shown=shown))
    if minutes == 0:
        raise UserError(phrase("study.no_minutes", shown=shown))
    return minutes


def _duration(match: re.Match[str]) -> int:
    if match["hour_and_half"]:
        return 90
    if match["half_hour"]:
        return 30
    if match["quarters"]:
        return round(number(match["quarters"]) * 15)
    if match["m"]:
        return round(number(match["m"]))
    half = 0.5 if match["half"] or match["half2"] else 0
    return round((number(match["h"]) + half) * 60) + round(number(match["hm"] or "0"))


def _task(name: str, plan: Plan) -> Task | None:
    if not name:
        return None
    tasks = plan.tasks()
    if name not in tasks:
        raise UserError(phrase("study.no_task", task=name, plan=plan.name))
    return tasks[name]


def _named_task(text: str, plan: Plan) -> Task | None:
    words = set(re.findall(r"[\w.+-]+", plain(text)))
    return next((t for t in plan.tasks().values() if t.id.lower() in words), None)


def _group(
    text: str, plan: Plan, courses: Mapping[str, Course], waiting: Sequence[Task], day: date
) -> str:
    """What the text is about: the course that it names, or the only one that is at hand.

    A topic that several courses of the plan have means the one that is at hand, the first of
    them. Topics that no course has together are two things, which is asked.
    """
    groups = list(dict.fromkeys(group_of(task) for _, task in plan.placed()))
    named = {group: terms_in(courses[group], text) for group in groups if group in courses}
    every = {term for terms in named.values() for term in terms}
    whole = {term for term in every if not any(term != t and term in t for t in every)}
    if whole:
        meant = [group for group, terms in named.items() if terms >= whole]
        if meant:
            return _at_hand(meant, plan, waiting, day)[0]
        return _only([g for g, terms in named.items() if terms & whole], courses, plan.language)
    for group, pattern in _FILLERS.items():
        if group in groups and pattern.search(text):
            return group
    for known in (_NOT_DONE, _DONE, _PART, _CHAPTER, _EMPTY):
        text = known.sub(" ", text)
    if re.search(r"\w", text):
        return OUTSIDE
    return _only(_at_hand(groups, plan, waiting, day), courses, plan.language)


def _at_hand(groups: list[str], plan: Plan, waiting: Sequence[Task], day: date) -> list[str]:
    """Of several groups, those with unfinished work up to this week; else the next with any."""
    if len(groups) < 2:
        return groups
    open_ids = {task.id for task in waiting}
    begun = [t for w, t in plan.placed() if w.start <= day and t.id in open_ids]
    current = dict.fromkeys(group_of(task) for task in begun if group_of(task) in groups)
    if current:
        return list(current)
    following = [group_of(task) for task in waiting if group_of(task) in groups]
    return following[:1] or groups


def _only(groups: Sequence[str], courses: Mapping[str, Course], language: str) -> str:
    if len(groups) == 1:
        return groups[0]
    names = tuple(courses[g].name(language) if g in courses else g for g in groups)
    raise UserError(phrase("study.which_course", names=names))


def _finished(
    text: str, plan: Plan, group: str, named_task: Task | None, waiting: Sequence[Task]
) -> tuple[str, ...]:
    """The tasks that are done: the named one, all of the part named, or the group's next one."""
    if named_task is not None:
        return (named_task.id,)
    own = [task.id for task in plan.tasks().values() if group_of(task) == group]
    if part := _PART.search(text):
        wanted = re.escape(f"{group}-{round(number(part['en'] or part['zh']))}")
        return tuple(name for name in own if re.fullmatch(wanted + "[a-z]*", name))
    if _CHAPTER.search(text):
        return ()
    following = [task.id for task in waiting if group_of(task) == group]
    return tuple(following[:1])
