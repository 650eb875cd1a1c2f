"""The study companion: plans, check-ins, progress and adjustments of one owner, in one place."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import date, datetime, tzinfo
from pathlib import Path
from typing import Protocol
from zoneinfo import ZoneInfo

from sqlalchemy import Connection

from assistant.study.catalogue import Catalogue
from assistant.study.making import Made, Wish, make_plan
from assistant.study.plan import Plan
from assistant.study.plan_check import check_name, check_plan
from assistant.study.plan_store import DEFAULT, Joined, PlanStore
from assistant.study.remembered import plan_draft
from memory_store import Chunk, Draft
from memory_store.ledger import Ledger
from memory_store.protocols import Clock, Embedder


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
        folder: Path | None = None,
    ) -> None:
        """Take the parts.

        Args:
            memory: opens the memory that plans and check-ins are remembered in; None: in none.
            embedder: loads what finds courses by meaning; None: by words only.
            folder: where readable copies of plans go; None writes none.
        """
        self.catalogue = Catalogue(ledger, owner)
        self.plans = PlanStore(ledger, owner, folder)
        self.zone = ZoneInfo(str(getattr(zone, "key", "UTC")))
        self._clock = clock
        self._memory = memory
        self._embedder = embedder

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
            wish, chosen, self.catalogue, today=self.today, zone=self.zone, others=others
        )
        head = self.plans.version(chosen) or 0
        saved = self.save(made.plan.numbered(head), reason=f"goal: {wish.goal.strip()}")
        return Made(saved, made.assumed)

    def save(self, plan: Plan, *, reason: str) -> Plan:
        """Check a plan against the catalogue, store it as a new version, and remember it.

        Raises:
            UserError: it holds an invented course or breaks an order; nothing is stored.
        """
        check_plan(plan, self.catalogue.all())
        return self.plans.save_plan(
            plan, now=self._clock(), reason=reason, joined=self._remembering()
        )

    def undo(self, name: str | None = None) -> Plan:
        """Return to the version before the current one.

        Raises:
            UserError: there is none.
        """
        return self.plans.undo(self.plans.resolve(name), joined=self._remembering())

    def _remembering(self) -> Joined | None:
        """What remembers a plan in the transaction that stores it; the memory is open before it."""
        if self._memory is None:
            return None
        memory = self._memory()

        def remember(plan: Plan, connection: Connection) -> None:
            memory.remember([plan_draft(plan, self.now)], joined=connection)

        return remember
