"""A plan in words: Markdown to read and print, and the sentences that memory keeps of it."""

from __future__ import annotations

import re

from assistant.study.minutes import spoken
from assistant.study.plan import Plan, Week

_WORDS = {
    "en": {
        "weeks": "{count} weeks",
        "one_week": "1 week",
        "goal": "Goal",
        "week": "Week {number}: {start} to {end}, {time}",
        "frame": "{start} to {end}, {weeks}, {time} in all, {a_week} a week. Version {version}.",
        "output": "output",
        "check": "Self-check",
        "rest": "No study this week.",
        "unplaced": "What does not fit",
        "lacks": "{title}: {time} do not fit. What would fit: {ways}.",
        "or": "; or ",
    },
    "zh": {
        "weeks": "{count} 周",
        "one_week": "1 周",
        "goal": "目标",
        "week": "第 {number} 周：{start} 至 {end}，{time}",
        "frame": "{start} 至 {end}，共 {weeks}，总计 {time}，每周 {a_week}。第 {version} 版。",
        "output": "产出",
        "check": "自测",
        "rest": "本周休息。",
        "unplaced": "放不下的内容",
        "lacks": "{title}：还差 {time}。可行的办法：{ways}。",
        "or": "；或",
    },
}


def words(language: str) -> dict[str, str]:
    """Return the fixed words of a language."""
    return _WORDS[language]


def frame(plan: Plan) -> str:
    """Return the plan's dates, length and hours in one sentence."""
    language, count = plan.language, len(plan.weeks)
    return words(language)["frame"].format(
        start=plan.start,
        end=plan.end,
        weeks=words(language)["one_week" if count == 1 else "weeks"].format(count=count),
        time=spoken(plan.minutes, language),
        a_week=spoken(plan.terms.minutes_a_week, language),
        version=plan.version,
    )


def lacking(plan: Plan) -> list[str]:
    """Return a sentence for each course that does not fit, with what would."""
    text = words(plan.language)
    return [
        text["lacks"].format(
            title=item.title,
            time=spoken(item.minutes, plan.language),
            ways=text["or"].join(item.would_fit),
        )
        for item in plan.unplaced
    ]


def week_line(week: Week, language: str) -> str:
    """Return a week's number, dates and length."""
    time = spoken(week.minutes, language)
    return words(language)["week"].format(
        number=week.number, start=week.start, end=week.end, time=time
    )


def markdown(plan: Plan) -> str:
    """Return the whole plan as Markdown."""
    text = words(plan.language)
    colon = "：" if plan.language == "zh" else ": "
    lines = [f"# {plan.goal}", "", frame(plan), ""]
    for phase, weeks in plan.phase_weeks():
        lines += [f"## {phase.title}", ""]
        for week in weeks:
            lines += [f"### {week_line(week, plan.language)}", ""]
            lines += [_task_line(plan, week, n) for n in range(len(week.tasks))] or [text["rest"]]
            lines.append("")
        lines += [f"**{text['check']}**{colon}{phase.self_check}", ""]
    if plan.unplaced:
        lines += [f"## {text['unplaced']}", "", *(f"- {line}" for line in lacking(plan)), ""]
    return "\n".join(lines)


def _task_line(plan: Plan, week: Week, index: int) -> str:
    task = week.tasks[index]
    title = re.sub(r"([\[\]])", r"\\\1", task.title)  # a title makes no link of its own
    if task.resources:
        title = f"[{title}]({task.resources[0].url})"
    colon = "：" if plan.language == "zh" else ": "
    time = spoken(task.minutes, plan.language)
    output = words(plan.language)["output"]
    return f"- [ ] {title} ({time}, `{task.id}`) · {output}{colon}{task.output}"


def memory_text(plan: Plan) -> str:
    """Return what memory keeps of a plan: its frame, its phases with dates, what is left out."""
    phases = [
        f"{phase.title} ({weeks[0].start} – {weeks[-1].end})" for phase, weeks in plan.phase_weeks()
    ]
    if plan.language == "zh":
        head = f"学习计划“{plan.name}”，目标：{plan.goal}。"
    else:
        head = f"Study plan '{plan.name}', goal: {plan.goal}."
    stop = "。" if plan.language == "zh" else "."
    return "\n".join([f"{head} {frame(plan)}", *(phase + stop for phase in phases), *lacking(plan)])
