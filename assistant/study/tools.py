"""Study by conversation: the tools with which a model plans, logs, looks and adjusts."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Annotated, TypeVar

from pydantic import Field

from assistant.errors import UserError
from assistant.phrases import phrase, say
from assistant.study.change import CATCH_UP, Change, read_change
from assistant.study.companion import Study
from assistant.study.course import read_level
from assistant.study.days import read_date
from assistant.study.echo import echo
from assistant.study.making import Made, Wish
from assistant.study.minutes import spoken
from assistant.study.remembered import PLAN_TOOL, plan_subject
from assistant.study.render import memory_text, week_line
from assistant.study.status import status_text
from assistant.tools.definition import RunContext, Tool, ToolFailed, ToolResult, tool

T = TypeVar("T")

_MAKE = re.compile(
    r"(?<!\bi )\b(?:learn|study)\b.*\b(?:weeks?|months?|by|hours?)\b"
    r"|\b(?:make|create|draw|set|need|want|give)\b.*\bplan\b|^\W*(?:please\s+)?plan\b"
    r"|^(?!.*(?:什么|多少|几[个天小周]|哪))(?:"
    r".*(?:想|我要|打算|准备|帮我|制定|零基础|系统).*学.*(?:周|月|小时|之前|规划|计划)"
    r"|.*(?:想|我要|打算|准备|帮我|制定|零基础|计划).*(?:周|月|小时|之前).*学"
    r"|.*(?<![第\d])\d+\s*个?(?:周|月|星期).*学[会完习])",
    re.I,
)
_READ = re.compile(
    r"\bplan\b|\bthis week\b|\bnext week\b|\bschedule\b|计划|这周|本周|下周|安排", re.I
)
_LOG = re.compile(
    r"\d\s*(?:h|hours?|hrs?|min(?:ute)?s?|m)\b|\bhalf an hour\b|\ban hour\b"
    r"|[\d半一二两三四五六七八九十]\s*个?半?\s*(?:小时|钟头|分钟|刻钟)|打卡",
    re.I,
)
_RATE = re.compile(
    r"(?:h|hours?|hrs?|min(?:ute)?s?)\s*(?:a|an|per|each|every|/)\s*(?:week|day|month)\b"
    r"|每(?:周|天|日|晚|个?月|个?星期)",
    re.I,
)
"""Time at hand, such as `6 hours a week`: that is no time that was spent."""
_STATUS = re.compile(
    r"\bhow far\b|\bprogress\b|\bon track\b|\bbehind\b|\bstatus\b|\boverdue\b|\bstreak\b"
    r"|\bwhat(?:'s| is) next\b|\breview\b"
    r"|进度|落后|学到哪|学了多少|连续|逾期|复习|接下来",
    re.I,
)
_ADJUST = re.compile(
    r"\baway\b|\bbehind\b|\btight\b"
    r"|\btoo (?:much|full|heavy|busy|packed|hard)\b|\boverload|\bhalve\b"
    r"|\badjust\b|\bonly\b.*\bhours?\b|\bfrom now on\b"
    r"|\bapply\b|\bproposal\b|\boption\b|[太很](?:紧|满|多|累|重|忙)|忙不过来|吃不消|减半|出差|旅行|请假|落后|调整|只能|以后每|方案|推迟|提前",
    re.I,
)
_COURSES = re.compile(
    r"\bcourses?\b|\bclasses\b|\bwhat (?:can|should) i (?:learn|study)\b|课", re.I
)
_ASKING = re.compile(
    r"[?？]|\b(?:which|what|find|show|list|search|recommend|suggest|look)\b|什么|哪|推荐|找|查|搜|有没有",
    re.I,
)
"""A search is asked for: an order may be none (提醒我明天上课), a statement one (想找一门课)."""
_OWN_COURSE = re.compile(
    r"\b(?:did|have|had|do|am|was)\s+i\b|我(?:已经?|现在|正在?|在|刚)?(?:学|上|看|读|完成)[^？?]{0,12}课",
    re.I,
)
"""The user's own course is asked for, which memory knows and the catalogue does not."""
_UNDO = re.compile(
    r"\bundo\b|\bwrong\b|\bmistake\b|\btake (?:it|that) back\b|撤销|取消|错了|恢复", re.I
)


def _asks_for_courses(question: str) -> bool:
    return (
        _COURSES.search(question) is not None
        and _ASKING.search(question) is not None
        and _OWN_COURSE.search(question) is None
    )


PlanName = Annotated[
    str | None, Field(description="the plan's name; leave out where there is only one")
]
ChangeText = Annotated[
    str,
    Field(
        description="the change in the user's own words, such as 'week 3 is too tight, halve it',"
        " 'away 12-19 May', 'only 4 hours a week from now on'; empty: catch up"
    ),
]


def study_tools(open_study: Callable[[], Study]) -> tuple[Tool, ...]:
    """Return the tools that work on the study companion, which is opened when one is called."""

    def subject(plan: str | None, week: int | None) -> str:
        name = open_study().plans.resolve(plan)
        return plan_subject(name) if week is None else f"{plan_subject(name)}.week.{week}"

    def version(plan: str | None, week: int | None) -> str | None:
        study = open_study()
        number = study.plans.version(study.plans.resolve(plan))
        return None if number is None else str(number)

    @tool(
        description="Makes and stores a study plan for a goal, with real courses, dates and hours."
        " Pass the goal in the user's own words; what they say of time in it is read from there.",
        when=lambda question: _MAKE.search(question) is not None,
        remembered=False,
    )
    def make_study_plan(
        goal: Annotated[str, Field(min_length=1, description="in the user's own words")],
        *,
        hours_a_week: Annotated[float | None, Field(description="if not in the goal")] = None,
        weeks: Annotated[int | None, Field(description="how many, if not in the goal")] = None,
        start: Annotated[str | None, Field(description="first day, if it is not today")] = None,
        end: Annotated[str | None, Field(description="last day, if not in the goal")] = None,
        level: Annotated[str | None, Field(description="beginner, intermediate, advanced")] = None,
        plan: PlanName = None,
        run: RunContext,
    ) -> ToolResult:
        def make() -> Made:
            study = open_study()
            wish = Wish(
                goal,
                start=read_date(start, today=study.today) if start else None,
                end=read_date(end, today=study.today) if end else None,
                weeks=weeks,
                hours=hours_a_week,
                level=read_level(level),
            )
            return study.make(wish, plan)

        made = _tried(run, make)
        told = [memory_text(made.plan), say("study.made", run.language)]
        told += [say("study.by_meaning", run.language)] if made.by_meaning else []
        return ToolResult("\n".join(told))

    @tool(
        name=PLAN_TOOL,
        description="Tells the study plan: its dates, phases, and the tasks of one week.",
        max_age="0s",
        subject=subject,
        validator=version,
        when=lambda question: _READ.search(question) is not None,
    )
    def read_plan(
        run: RunContext,
        plan: PlanName = None,
        week: Annotated[int | None, Field(description="a week's number, for its tasks")] = None,
    ) -> ToolResult:
        return ToolResult(_tried(run, lambda: _plan_text(open_study(), plan, week)))

    @tool(
        description="Logs what the user studied. Pass their own words; give minutes or the task's"
        " id only where the words do not say it. What is unclear is asked back.",
        when=lambda question: _LOG.search(question) is not None and _RATE.search(question) is None,
        remembered=False,
    )
    def log_study(
        run: RunContext,
        text: Annotated[str, Field(min_length=1, description="the user's own words")],
        *,
        minutes: Annotated[int | None, Field(ge=1, le=1440)] = None,
        task: Annotated[str | None, Field(description="a task's id from the plan")] = None,
        day: Annotated[str | None, Field(description="YYYY-MM-DD or yesterday")] = None,
        plan: PlanName = None,
    ) -> ToolResult:
        def log() -> str:
            study = open_study()
            said = text if minutes is None else f"{text} ({minutes} min)"
            when = read_date(day, today=study.today, past=True) if day else None
            entry = study.check_in(said, day=when, task=task, name=plan)
            return echo(study.plan(plan), entry, study.catalogue.all(), run.language)

        return ToolResult(_tried(run, log))

    @tool(
        description="Tells how far the user is: hours planned and studied, pace, forecast end,"
        " what is overdue, what comes next, what to review today.",
        live=True,
        when=lambda question: _STATUS.search(question) is not None,
        remembered=False,
    )
    def study_status(run: RunContext, plan: PlanName = None) -> ToolResult:
        def tell() -> str:
            study = open_study()
            current = study.plan(plan)
            progress, due = study.progress(current.name), study.due(current.name)
            return status_text(current, progress, due, run.language)

        return ToolResult(_tried(run, tell))

    @tool(
        description="Computes the ways to change the study plan, each with its consequences."
        " Nothing is stored: the user picks one, then use apply_adjustment.",
        when=lambda question: _ADJUST.search(question) is not None,
        remembered=False,
    )
    def propose_adjustments(
        run: RunContext, change: ChangeText = "", plan: PlanName = None
    ) -> ToolResult:
        def tell() -> str:
            study = open_study()
            found = study.propose(_change(study, change), plan)
            if not found:
                return say("study.nothing_to_change", run.language)
            asked = say("study.which_one", run.language)
            return "\n".join([*(f"{p.number}. {p.summary}" for p in found), asked])

        return ToolResult(_tried(run, tell))

    @tool(
        description="Stores one of the proposals of propose_adjustments, when the user has picked"
        " it. Pass the same change and the proposal's number.",
        when=lambda question: _ADJUST.search(question) is not None,
        remembered=False,
    )
    def apply_adjustment(
        run: RunContext,
        number: Annotated[int, Field(ge=1, description="the proposal that the user picked")],
        change: ChangeText = "",
        plan: PlanName = None,
    ) -> ToolResult:
        def store() -> str:
            study = open_study()
            chosen = study.adjust(_change(study, change), number, plan)
            version = chosen.plan.version
            return say("study.stored", run.language, version=version, summary=chosen.summary)

        return ToolResult(_tried(run, store))

    @tool(
        description="Takes back the last change of the study plan, or the last entry of the log.",
        when=lambda question: _UNDO.search(question) is not None,
        remembered=False,
    )
    def undo_study(
        run: RunContext,
        what: Annotated[str, Field(pattern="^(plan|log)$", description="plan or log")],
        plan: PlanName = None,
    ) -> ToolResult:
        def back() -> str:
            study = open_study()
            if what == "plan":
                former = study.undo(plan)
                values = {"plan": former.name, "version": former.version}
                return say("study.undone", run.language, **values)
            note = study.undo_check_in(name=plan).said.note
            return say("study.log_undone", run.language, note=note)

        return ToolResult(_tried(run, back))

    @tool(
        description="Finds courses of the catalogue about a topic, with their length.",
        when=_asks_for_courses,
        remembered=False,
    )
    def find_courses(
        run: RunContext,
        topic: Annotated[str, Field(min_length=1)],
        level: Annotated[str | None, Field(description="beginner, intermediate, advanced")] = None,
    ) -> ToolResult:
        def find() -> str:
            study = open_study()
            found = study.catalogue.search(
                topic, level=read_level(level), embedder=study.embedder()
            )
            names = [
                f"{item.course.name(run.language)} ({item.course.id}, {item.course.level},"
                f" {spoken(item.course.minutes, run.language)})"
                for item in found[:8]
            ]
            return "\n".join(names) or say("study.no_such_course", run.language)

        return ToolResult(_tried(run, find))

    return (
        make_study_plan,
        read_plan,
        log_study,
        study_status,
        propose_adjustments,
        apply_adjustment,
        undo_study,
        find_courses,
    )


def _tried(run: RunContext, work: Callable[[], T]) -> T:
    try:
        return work()
    except UserError as error:
        error.speak(run.language)
        raise ToolFailed(" ".join(filter(None, (str(error), error.hint)))) from None


def _change(study: Study, text: str) -> Change:
    return read_change(text, today=study.today) if text.strip() else CATCH_UP


def _plan_text(study: Study, name: str | None, week: int | None) -> str:
    plan = study.plan(name)
    today = study.today
    current = next((w for w in plan.weeks if w.start <= today <= w.end), None)
    chosen = current
    if week is not None:
        if not 1 <= week <= len(plan.weeks):
            raise UserError(phrase("study.no_week", last=len(plan.weeks), week=week))
        chosen = plan.weeks[week - 1]
    lines = [memory_text(plan)]
    if chosen is not None:
        lines.append(week_line(chosen, plan.language))
        lines += [
            f"- {task.title} ({spoken(task.minutes, plan.language)}, {task.id})"
            for task in chosen.tasks
        ]
    return "\n".join(lines)
