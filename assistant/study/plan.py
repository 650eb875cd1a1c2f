"""A plan as data: phases, weeks with dates, tasks in whole minutes; and what was asked for."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import date, datetime, timedelta
from typing import Any, Literal

from assistant.study.minutes import from_hours, to_hours

TaskKind = Literal["course", "review", "project"]
Json = Any


@dataclass(frozen=True, slots=True)
class Resource:
    """Where a task's material is."""

    title: str
    url: str


@dataclass(frozen=True, slots=True)
class Task:
    """One piece of work of a week.

    Attributes:
        id: stable through every version of the plan, such as `kaggle-sql-2`; what is split off
            from it gets a letter (`kaggle-sql-2b`).
        course: the course it belongs to; None for review and project.
    """

    id: str
    title: str
    course: str | None
    minutes: int
    output: str
    resources: tuple[Resource, ...] = ()

    @property
    def optional(self) -> bool:
        """Whether the goal can do without it: reviews and the project."""
        return self.course is None

    def data(self) -> dict[str, Json]:
        """Return the task as the command line's JSON has it."""
        return {
            "id": self.id,
            "title": self.title,
            "course": self.course,
            "hours": to_hours(self.minutes),
            "output": self.output,
            "resources": [{"title": r.title, "url": r.url} for r in self.resources],
        }


@dataclass(frozen=True, slots=True)
class Week:
    """Seven days of the plan, or fewer at its end; `end` is the last day of it."""

    number: int
    start: date
    end: date
    tasks: tuple[Task, ...] = ()

    @property
    def minutes(self) -> int:
        """How long its tasks take together."""
        return sum(task.minutes for task in self.tasks)

    @property
    def days(self) -> tuple[date, ...]:
        """Its days, in order."""
        length = (self.end - self.start).days + 1
        return tuple(self.start + timedelta(days=n) for n in range(length))

    def data(self) -> dict[str, Json]:
        """Return the week as the command line's JSON has it."""
        return {
            "week": self.number,
            "start": self.start.isoformat(),
            "end": self.end.isoformat(),
            "hours": to_hours(self.minutes),
            "tasks": [task.data() for task in self.tasks],
        }


@dataclass(frozen=True, slots=True)
class Phase:
    """Weeks that belong together, from `first` (a week's number) to the next phase."""

    title: str
    self_check: str
    first: int


@dataclass(frozen=True, slots=True)
class Unplaced:
    """A course, or the rest of one, that the time does not hold, and what would make it fit."""

    course: str
    title: str
    minutes: int
    would_fit: tuple[str, ...] = ()

    def data(self) -> dict[str, Json]:
        """Return it as the command line's JSON has it."""
        return {
            "course": self.course,
            "title": self.title,
            "hours": to_hours(self.minutes),
            "would_fit": list(self.would_fit),
        }


@dataclass(frozen=True, slots=True)
class Busy:
    """A span that the person's calendar takes; aware, kept in UTC."""

    start: datetime
    end: datetime


@dataclass(frozen=True, slots=True)
class Terms:
    """What the person asked for, kept so that an adjusted plan obeys it too.

    Attributes:
        minutes_a_week: the time of a whole week without days off.
        off: days without study.
        loads: another weekly time, by the number of the week.
        zone: the IANA name of the zone that the days are days of.
        busy: what the calendar takes between start and end.
    """

    start: date
    end: date
    minutes_a_week: int
    level: str | None = None
    off: frozenset[date] = frozenset()
    loads: Mapping[int, int] = field(default_factory=dict[int, int])
    zone: str = "UTC"
    busy: tuple[Busy, ...] = ()

    def data(self) -> dict[str, Json]:
        """Return the terms as JSON."""
        return {
            "start": self.start.isoformat(),
            "end": self.end.isoformat(),
            "hours": to_hours(self.minutes_a_week),
            "level": self.level,
            "off": sorted(day.isoformat() for day in self.off),
            "loads": {str(week): to_hours(m) for week, m in sorted(self.loads.items())},
            "zone": self.zone,
            "busy": [[b.start.isoformat(), b.end.isoformat()] for b in self.busy],
        }


@dataclass(frozen=True, slots=True)
class Plan:
    """One version of a plan. It never changes; an adjustment makes the next version."""

    name: str
    version: int
    goal: str
    language: str
    terms: Terms
    phases: tuple[Phase, ...]
    weeks: tuple[Week, ...]
    unplaced: tuple[Unplaced, ...] = ()

    @property
    def start(self) -> date:
        """The first day."""
        return self.terms.start

    @property
    def end(self) -> date:
        """The last day."""
        return self.terms.end

    @property
    def minutes(self) -> int:
        """How long all tasks take together."""
        return sum(week.minutes for week in self.weeks)

    def placed(self) -> Iterator[tuple[Week, Task]]:
        """Every task with its week, in the order of work."""
        for week in self.weeks:
            for task in week.tasks:
                yield week, task

    def tasks(self) -> dict[str, Task]:
        """Every task by id, in the order of work."""
        return {task.id: task for _, task in self.placed()}

    def phase_weeks(self) -> list[tuple[Phase, tuple[Week, ...]]]:
        """Each phase with its weeks."""
        ends = [phase.first for phase in self.phases[1:]] + [len(self.weeks) + 1]
        return [
            (phase, self.weeks[phase.first - 1 : until - 1])
            for phase, until in zip(self.phases, ends, strict=True)
        ]

    def numbered(self, version: int) -> Plan:
        """Return the plan under another version number."""
        return replace(self, version=version)

    def data(self) -> dict[str, Json]:
        """Return the plan as the command line's JSON has it."""
        return {
            "plan": self.name,
            "version": self.version,
            "goal": self.goal,
            "start": self.start.isoformat(),
            "end": self.end.isoformat(),
            "phases": [
                {
                    "title": phase.title,
                    "self_check": phase.self_check,
                    "weeks": [week.data() for week in weeks],
                }
                for phase, weeks in self.phase_weeks()
            ],
            "unplaced": [item.data() for item in self.unplaced],
        }


def stored(plan: Plan) -> dict[str, Json]:
    """Return the plan as the ledger keeps it: its public JSON, and the terms."""
    return {**plan.data(), "language": plan.language, "terms": plan.terms.data()}


def restore(data: Mapping[str, Json]) -> Plan:
    """Return the plan that `stored` wrote."""
    phases: list[Phase] = []
    weeks: list[Week] = []
    for phase in data["phases"]:
        phases.append(Phase(phase["title"], phase["self_check"], len(weeks) + 1))
        weeks += [_week(week) for week in phase["weeks"]]
    return Plan(
        name=data["plan"],
        version=data["version"],
        goal=data["goal"],
        language=data["language"],
        terms=_terms(data["terms"]),
        phases=tuple(phases),
        weeks=tuple(weeks),
        unplaced=tuple(
            Unplaced(u["course"], u["title"], from_hours(u["hours"]), tuple(u["would_fit"]))
            for u in data["unplaced"]
        ),
    )


def _week(data: Mapping[str, Json]) -> Week:
    tasks = tuple(
        Task(
            id=task["id"],
            title=task["title"],
            course=task["course"],
            minutes=from_hours(task["hours"]),
            output=task["output"],
            resources=tuple(Resource(r["title"], r["url"]) for r in task["resources"]),
        )
        for task in data["tasks"]
    )
    start, end = date.fromisoformat(data["start"]), date.fromisoformat(data["end"])
    return Week(data["week"], start, end, tasks)


def _terms(data: Mapping[str, Json]) -> Terms:
    return Terms(
        start=date.fromisoformat(data["start"]),
        end=date.fromisoformat(data["end"]),
        minutes_a_week=from_hours(data["hours"]),
        level=data["level"],
        off=frozenset(date.fromisoformat(day) for day in data["off"]),
        loads={int(week): from_hours(hours) for week, hours in data["loads"].items()},
        zone=data["zone"],
        busy=tuple(
            Busy(datetime.fromisoformat(start), datetime.fromisoformat(end))
            for start, end in data["busy"]
        ),
    )
