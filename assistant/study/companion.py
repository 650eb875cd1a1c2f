"""The study companion: plans, check-ins, progress and adjustments of one owner, in one place."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import date, datetime, tzinfo
from pathlib import Path
from typing import Literal, Protocol
from zoneinfo import ZoneInfo

from sqlalchemy import Connection

from assistant.context.wording import Language, language_for
from assistant.errors import UserError
from assistant.phrases import phrase
from assistant.study.adjust import Proposal, propose
from assistant.study.catalogue import Catalogue
from assistant.study.change import Change
from assistant.study.check_in import group_of, read_check_in
from assistant.study.diff import Diff, diff
from assistant.study.echo import group_name
from assistant.study.making import Made, Wish, make_plan
from assistant.study.plan import Plan
from assistant.study.plan_check import check_name, check_plan
from assistant.study.plan_store import DEFAULT, Joined, PlanStore
from assistant.study.progress import Progress, measure
from assistant.study.remembered import plan_draft, progress_draft
from assistant.study.reviews import Due, reviews
from assistant.study.study_log import Entry, Reviewed, StudyLog
from memory_store import Chunk, Draft
from memory_store.ledger import Ledger
from memory_store.protocols import Clock, Embedder

DAY_MINUTES = 24 * 60


class Memory(Protocol):
    """What the companion needs of a memory store."""

    def remember(
        self, drafts: Sequence[Draft], *, joined: Connection | None = None
    ) -> tuple[Chunk, ...]:
        """Store drafts in the caller's transaction."""
        ...


class Study:
    """All that `assistant study` and the study tools do. No model is needed for any of it."""

    def __init__(
        self,
        ledger: Ledger,
        *,
        clock: Clock,
        zone: tzinfo,
        owner: str = "me",
        memory: Callable[[], Memory] | None = None,
        embedder: Callable[[], Embedder] | None = None,
        language: Language | Literal["auto"] = "auto",
        folder: Path | None = None,
    ) -> None:
        """Take the parts.

        Args:
            memory: opens the memory that plans and check-ins are remembered in; None: in none.
            embedder: loads what finds courses by meaning; None: by words only.
            language: of plans and of what is told of them; `auto`: that of each goal.
            folder: where readable copies of plans go; None writes none.
        """
        self.catalogue = Catalogue(ledger, owner)
        self.plans = PlanStore(ledger, owner, folder)
        self.log = StudyLog(ledger, owner)
        self.zone = ZoneInfo(str(getattr(zone, "key", "UTC")))
        self._clock = clock
        self._memory = memory
        self._embedder = embedder
        self._language: Language | Literal["auto"] = language

    def language(self, plan: Plan) -> Language:
        """Return the language in which the user is told of a plan: the chosen one, or its own."""
        return language_for(self._language, plan.goal)

    @property
    def last_goal(self) -> str:
        """The goal of the plan whose name was taken last; empty where there is none."""
        names = self.plans.names()
        return self.plans.read_plan(names[-1]).goal if names else ""

    @property
    def now(self) -> datetime:
        """The time, in the user's zone."""
        return self._clock().astimezone(self.zone)

    @property
    def today(self) -> date:
        """The user's day."""
        return self.now.date()

    def embedder(self) -> Embedder | None:
        """Return what finds courses by meaning, if there is any."""
        return self._embedder() if self._embedder is not None else None

    def plan(self, name: str | None = None, version: int | None = None) -> Plan:
        """Return the current version of a plan, or the version named."""
        return self.plans.read_plan(self.plans.resolve(name), version)

    def make(self, wish: Wish, name: str | None = None) -> Made:
        """Make a plan and store it: as the first version, or as the next where the name is taken.

        Raises:
            UserError: the wish is incomplete or impossible; nothing is stored.
        """
        chosen = check_name(name or DEFAULT)
        others = [self.plans.read_plan(other) for other in self.plans.names() if other != chosen]
        made = make_plan(
            wish,
            chosen,
            self.catalogue,
            language=language_for(self._language, wish.goal),
            today=self.today,
            zone=self.zone,
            others=others,
            embedder=self.embedder,
        )
        head = self.plans.version(chosen) or 0
        saved = self.save(made.plan.numbered(head), reason=f"goal: {wish.goal.strip()}")
        return replace(made, plan=saved)

    def save(self, plan: Plan, *, reason: str) -> Plan:
        """Check a plan against the catalogue, store it as a new version, and remember it.

        Raises:
            UserError: it holds an invented course or breaks an order; nothing is stored.
        """
        standings = measure(plan, self.log.entries(plan.name), self.now).standings
        finished = {standing.task.id for standing in standings if standing.complete}
        check_plan(plan, self.catalogue.all(), finished)
        return self.plans.save_plan(
            plan, now=self._clock(), reason=reason, joined=self._remembering()
        )

    def undo(self, name: str | None = None) -> Plan:
        """Return to the version before the current one.

        Raises:
            UserError: there is none.
        """
        return self.plans.undo(self.plans.resolve(name), joined=self._remembering())

    def progress(self, name: str | None = None) -> Progress:
        """Return where a plan stands now."""
        plan = self.plan(name)
        return measure(plan, self.log.entries(plan.name), self.now)

    def due(self, name: str | None = None) -> list[Due]:
        """Return the finished topics whose review is due today or overdue."""
        progress = self.progress(name)
        reviewed = self.log.reviews(self.plans.resolve(name))
        return [item for item in reviews(progress, reviewed, self.zone) if item.day <= self.today]

    def review(self, task: str, rating: int, name: str | None = None) -> date:
        """Record how a review went, and return the day of the next one.

        Raises:
            UserError: the task is not finished, so that there is nothing to review.
        """
        plan = self.plans.resolve(name)
        progress = self.progress(plan)
        if not any(s.task.id == task and s.complete and s.task.course for s in progress.standings):
            raise UserError(phrase("study.not_finished", task=task, plan=plan))
        self.log.add_review(plan, Reviewed(task, self._clock(), rating))
        every = reviews(progress, self.log.reviews(plan), self.zone)
        return next(item.day for item in every if item.task.id == task)

    def check_in(
        self,
        text: str,
        *,
        day: date | None = None,
        task: str | None = None,
        amends: int | None = None,
        name: str | None = None,
    ) -> Entry:
        """Log what was done, or correct what was logged, and return it as it was read.

        Raises:
            UserError: the text is ambiguous, the day lies ahead, or there is no such entry.
        """
        plan = self.plan(name)
        amended = self.log.find(plan.name, amends) if amends is not None else None
        others = [e for e in self.log.entries(plan.name) if amended is None or e.id != amended.id]
        finished = {s.task.id for s in measure(plan, others, self.now).standings if s.complete}
        said = read_check_in(
            text,
            plan,
            self.catalogue.all(),
            finished=finished,
            today=self.today,
            day=day or (amended.said.day if amended else None),
            task=task,
        )
        if said.day > self.today:
            raise UserError(phrase("study.still_to_come", day=said.day))
        others_that_day = sum(e.said.minutes for e in self.log.entries() if e.said.day == said.day)
        already = amended.said.minutes if amended and amended.said.day == said.day else 0
        if (minutes := others_that_day - already + said.minutes) > DAY_MINUTES:
            raise UserError(phrase("study.full_day", day=said.day, hours=minutes / 60))
        if amended is None:
            return self._store(plan, lambda ledger: self.log.add(ledger, plan.name, said, self.now))
        return self._store(plan, lambda ledger: self.log.amend(ledger, amended, said, self.now))

    def undo_check_in(self, identifier: int | None = None, name: str | None = None) -> Entry:
        """Take an entry of the log out of the count, by default the last; its history stays."""
        plan = self.plan(name)
        entry = self.log.find(plan.name, identifier)
        return self._store(plan, lambda ledger: self.log.remove(ledger, entry, self.now))

    def propose(self, change: Change, name: str | None = None) -> list[Proposal]:
        """Return the ways to answer a change; none where nothing has to change.

        Raises:
            UserError: the change is impossible.
        """
        plan = self.plan(name)
        return propose(plan, self.progress(plan.name), change, self.catalogue.all())

    def adjust(self, change: Change, number: int, name: str | None = None) -> Proposal:
        """Store the proposal of that number as the plan's next version, and return it.

        Raises:
            UserError: there is no such proposal; nothing is stored.
        """
        proposals = self.propose(change, name)
        chosen = next((p for p in proposals if p.number == number), None)
        if chosen is None:
            key = "study.no_proposal" if proposals else "study.no_proposals"
            raise UserError(phrase(key, number=number, last=len(proposals)))
        return replace(chosen, plan=self.save(chosen.plan, reason=chosen.summary))

    def diff(
        self, before: int | None = None, after: int | None = None, name: str | None = None
    ) -> Diff:
        """Return what differs between two versions, by default what the last change did.

        Raises:
            UserError: there is no such version, or nothing to compare with.
        """
        plan = self.plan(name, after)
        if before is None:
            versions = {version.number: version for version in self.plans.versions(plan.name)}
            # After an undo, what it took back is the change that was made last.
            undone = [n for n, v in versions.items() if n > plan.version == v.former]
            before = max(undone) if undone and after is None else versions[plan.version].former
        if before is None:
            raise UserError(phrase("study.first_version", version=plan.version, name=plan.name))
        return diff(self.plan(plan.name, before), plan)

    def _store(self, plan: Plan, write: Callable[[Connection], Entry]) -> Entry:
        """Write an entry, and the progress that it makes as a memory, in one transaction."""
        memory = self._memory() if self._memory is not None else None
        before = self.log.entries(plan.name)
        with self.log.ledger.write() as connection:
            entry = write(connection)
            if memory is not None:
                known = [other for other in before if other.id != entry.id]
                known += [] if entry.removed else [entry]
                memory.remember([self._draft(plan, entry, known)], joined=connection)
        return entry

    def _draft(self, plan: Plan, entry: Entry, entries: Sequence[Entry]) -> Draft:
        group = entry.said.group
        known = sorted(entries, key=lambda one: (one.said.day, one.id))
        standings = measure(plan, known, self.now).standings
        own = [standing for standing in standings if group_of(standing.task) == group]
        return progress_draft(
            group_name(group, self.catalogue.all(), plan.language),
            group,
            own,
            entry,
            logged=sum(one.said.minutes for one in known if one.said.group == group),
            language=plan.language,
        )

    def _remembering(self) -> Joined | None:
        """What remembers a plan in the transaction that stores it; the memory is open before it."""
        if self._memory is None:
            return None
        memory = self._memory()

        def remember(plan: Plan, connection: Connection) -> None:
            memory.remember([plan_draft(plan, self.now)], joined=connection)

        return remember
