"""The words of a plan, English and Chinese: task titles, outputs, phases and their self-checks."""

from __future__ import annotations

from collections.abc import Sequence

from assistant.study.minutes import spoken
from assistant.study.plan import Plan, Resource, Task
from assistant.study.scheduler import Piece

_STAGES = {
    "en": ("Foundations", "Core", "Depth", "Practice and project"),
    "zh": ("打基础", "核心内容", "深入", "实践与项目"),
}


def task_of(piece: Piece, goal: str, language: str) -> Task:
    """Return the piece as a task that says what to do and what comes out of it."""
    if piece.course is None:
        return _filler(piece, goal, language)
    name = piece.course.name(language)
    if language == "zh":
        title = f"{name}：第 {piece.number} 部分，共 {piece.total} 部分"
        output = f"第 {piece.number} 部分的笔记，并独立完成其练习"
    else:
        title = f"{name}: part {piece.number} of {piece.total}"
        output = f"Notes on part {piece.number}, and its exercises solved on your own"
    title = continued(title, language) if piece.rest else title
    resources = (Resource(name, piece.course.url),) if piece.course.url else ()
    return Task(piece.key, title, piece.course.id, piece.minutes, output, resources)


def _filler(piece: Piece, goal: str, language: str) -> Task:
    review = piece.key.startswith("review")
    many = f" {piece.number}/{piece.total}" if piece.total > 1 else ""
    if language == "zh":
        title = f"复习{many}" if review else f"项目实践{many}"
        output = (
            "一页纸的总结：凭记忆写出要点，再对照笔记补全"
            if review
            else f"为目标“{goal}”做出的小项目：可运行的成果和一段说明"
        )
    else:
        title = f"Review{many}" if review else f"Project{many}"
        output = (
            "One page from memory with the main points, then completed from your notes"
            if review
            else f"A small project for “{goal}”: something that runs, and a paragraph about it"
        )
    return Task(piece.key, title, None, piece.minutes, output)


def continued(title: str, language: str) -> str:
    """Return the title of what goes on with a task that was cut in two."""
    mark = "（续）" if language == "zh" else " (continued)"
    return title if title.endswith(mark) else title + mark


def phase_title(number: int, total: int, courses: Sequence[str], language: str) -> str:
    """Return a phase's title: its stage and the courses it holds."""
    stages = _STAGES[language]
    stage = stages[-1] if number == total > 1 else stages[min(number - 1, len(stages) - 2)]
    names = ("、" if language == "zh" else ", ").join(courses)
    colon = "：" if language == "zh" else ": "
    return f"{stage}{colon}{names}" if names else stage


def self_check(courses: Sequence[str], language: str) -> str:
    """Return how the person finds out at a phase's end whether they have it."""
    if language == "zh":
        names = "、".join(f"《{name}》" for name in courses)
        about = (
            f"不看笔记，能讲清{names}本阶段的三个要点，并独立做对五道题中的四道" if names else ""
        )
        return (about or "能向别人演示成果，并说明每一步为什么这样做") + "；否则先复习再继续。"
    names = ", ".join(courses)
    about = f"Without notes, explain three main ideas of {names}, and solve four of five exercises"
    shown = about if names else "Show the result to someone and say why each step is as it is"
    return f"{shown}; if not, review before you go on."


def would_fit(
    minutes: int, weeks: int, a_week: int | None, title: str, language: str
) -> tuple[str, ...]:
    """Return what would make a course fit: `weeks` more, or `a_week` minutes more a week."""
    lacking = spoken(minutes, language)
    if language == "zh":
        longer, without = f"再延长 {weeks} 周", f"不学《{title}》（缺 {lacking}）"
        more = [] if a_week is None else [f"每周再多 {spoken(a_week, language)}"]
    else:
        longer = f"{weeks} {'week' if weeks == 1 else 'weeks'} longer"
        without = f"without {title} ({lacking} too long)"
        more = [] if a_week is None else [f"{spoken(a_week)} more each week"]
    return (longer, *more, without)


_KINDS = {
    "extend": ("Keep everything and end later", "延长", "内容不变，延长时间"),
    "intensify": ("Keep the end and study more each week", "加量", "结束日期不变，每周多学一些"),
    "trim": ("Keep end and hours, leave something out", "删减", "日期和时间不变，删减内容"),
    "reorder": ("Finish first what is nearest to its end", "重排", "先学完最接近完成的"),
    "shorten": ("Finish earlier", "提前", "提前学完"),
    "deepen": ("Use the added time for a larger project", "加深", "多出的时间用于更大的项目"),
    "lighten": ("Study less each week", "减负", "每周少学一些"),
}


def kind_name(kind: str, language: str) -> str:
    """Return a proposal's kind in one word."""
    return _KINDS[kind][1] if language == "zh" else kind


def proposal_summary(kind: str, before: Plan, after: Plan, most: int, lost: int) -> str:
    """Return a proposal and its consequences in one sentence, by figures that code computed."""
    language = before.language
    english, _, chinese = _KINDS[kind]
    if language == "zh":
        end = f"{after.end} 结束" + ("" if after.end == before.end else f"（原为 {before.end}）")
        gone = f"，去掉 {spoken(lost, language)}的内容" if lost else "，内容不减"
        return f"{chinese}：{end}，每周最多 {spoken(most, language)}{gone}。"
    end = f"ends {after.end}" + ("" if after.end == before.end else f" instead of {before.end}")
    gone = f"{spoken(lost)} of work left out" if lost else "nothing left out"
    return f"{english}: {end}, at most {spoken(most)} a week, {gone}."
