"""How a check-in was read, told back in words, so that nothing is guessed silently."""

from __future__ import annotations

from collections.abc import Mapping

from assistant.phrases import Phrase, phrase, say
from assistant.study.check_in import OUTSIDE
from assistant.study.course import Course
from assistant.study.minutes import spoken
from assistant.study.plan import Plan
from assistant.study.study_log import Entry


def echo(plan: Plan, entry: Entry, courses: Mapping[str, Course], language: str) -> str:
    """Return what an entry of the log says, and what it does not say clearly."""
    said = entry.said
    if entry.removed:
        return say("study.entry_gone", language, entry=entry.id)
    name = group_name(said.group, courses, language)
    time = spoken(said.minutes, language)
    lines = [phrase("study.entry", entry=entry.id, day=said.day, time=time, name=name)]
    if said.done:
        tasks = plan.tasks()
        titles = tuple(tasks[task].title if task in tasks else task for task in said.done)
        lines.append(phrase("study.done", tasks=titles))
    if said.stuck:
        lines.append(phrase("study.stuck", stuck=said.stuck))
    if said.group == OUTSIDE:
        lines.append(phrase("study.counts_for_none"))
    elif said.unread:
        lines.append(phrase("study.which_done"))
    return "\n".join(line.text(language) for line in lines)


def group_name(group: str, courses: Mapping[str, Course], language: str) -> str | Phrase:
    """Return what time was spent on, in words: a course, review, project, or none of the plan."""
    if group == OUTSIDE:
        return phrase("study.outside")
    return courses[group].name(language) if group in courses else group


def unclear(entry: Entry) -> bool:
    """Whether the person may want to say more exactly what it was."""
    return not entry.removed and (entry.said.group == OUTSIDE or entry.said.unread)
