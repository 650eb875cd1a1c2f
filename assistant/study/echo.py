"""How a check-in was read, told back in words, so that nothing is guessed silently."""

from __future__ import annotations

from collections.abc import Mapping

from assistant.study.check_in import OUTSIDE
from assistant.study.course import Course
from assistant.study.minutes import spoken
from assistant.study.plan import Plan
from assistant.study.study_log import Entry


def echo(plan: Plan, entry: Entry, courses: Mapping[str, Course]) -> str:
    """Return what an entry of the log says, and what it does not say clearly."""
    said, zh = entry.said, plan.language == "zh"
    if entry.removed:
        return (
            f"打卡 {entry.id} 不再计入，历史保留。"
            if zh
            else f"Entry {entry.id} no longer counts; its history stays."
        )
    course = courses.get(said.group)
    outside = "计划外" if zh else "outside the plan"
    group = outside if said.group == OUTSIDE else said.group
    name = course.name(plan.language) if course else group
    lines = [f"[{entry.id}] {said.day}: {spoken(said.minutes, plan.language)}, {name}"]
    if said.done:
        tasks = plan.tasks()
        done = "; ".join(tasks[task].title for task in said.done)
        lines.append(f"{'完成' if zh else 'Done'}: {done}")
    if said.stuck:
        lines.append(f"{'卡在' if zh else 'Stuck on'}: {said.stuck}")
    if said.group == OUTSIDE:
        lines.append(
            "计划里没有相关内容：时间已记录，但不计入任何任务。"
            if zh
            else "Nothing in the plan is about this: the time counts, but for no task."
        )
    elif said.unread:
        lines.append(
            "没有标记任何任务为完成：不清楚完成的是计划中的哪一部分。"
            if zh
            else "No task is marked done: which part of the plan it finishes is not clear."
        )
    return "\n".join(lines)


def unclear(entry: Entry) -> bool:
    """Whether the person may want to say more exactly what it was."""
    return not entry.removed and (entry.said.group == OUTSIDE or entry.said.unread)
