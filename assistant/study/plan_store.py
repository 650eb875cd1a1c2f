"""Plans in the ledger, every version kept; readable copies in the plans folder."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from sqlalchemy import Connection, text

from assistant.errors import UserError
from assistant.phrases import phrase
from assistant.study.plan import Plan, restore, stored
from assistant.study.plan_check import check_name
from assistant.study.render import markdown
from memory_store.ledger import Ledger, Migration

DEFAULT = "default"
MIGRATIONS = (
    Migration(
        "study.plans",
        1,
        (
            "CREATE TABLE study_plans (owner TEXT NOT NULL, name TEXT NOT NULL,"
            " version INTEGER NOT NULL, former INTEGER, created_at TEXT NOT NULL,"
            " reason TEXT NOT NULL, data TEXT NOT NULL, PRIMARY KEY (owner, name, version))",
            "CREATE TABLE study_heads (owner TEXT NOT NULL, name TEXT NOT NULL,"
            " version INTEGER NOT NULL, PRIMARY KEY (owner, name))",
        ),
    ),
)

Joined = Callable[[Plan, Connection], None]
"""What else is written in the transaction that stores a plan."""


@dataclass(frozen=True, slots=True)
class Version:
    """One stored version: when and why it was made, and which one undo returns to."""

    number: int
    former: int | None
    created_at: datetime
    reason: str


class PlanStore:
    """Plans by name, for one owner. Nothing is overwritten: a change is a new version."""

    def __init__(self, ledger: Ledger, owner: str, folder: Path | None = None) -> None:
        """`folder` is where Markdown copies go; None writes none."""
        ledger.migrate(MIGRATIONS)
        self._ledger = ledger
        self._owner = owner
        self._folder = folder

    def names(self) -> list[str]:
        """Return the names of all plans."""
        with self._ledger.read() as connection:
            rows = connection.execute(
                text("SELECT name FROM study_heads WHERE owner = :owner ORDER BY rowid"),
                {"owner": self._owner},
            )
            return [str(row.name) for row in rows]

    def resolve(self, name: str | None) -> str:
        """Return the plan that is meant: the named one, the only one, or `default`.

        Raises:
            UserError: there is none, or several and none is named.
        """
        names = self.names()
        if not names:
            raise UserError(phrase("study.no_plan_yet"))
        if name is None and len(names) > 1 and DEFAULT not in names:
            raise UserError(phrase("study.several_plans", names=" | ".join(names)))
        chosen = name or (names[0] if len(names) == 1 else DEFAULT)
        if chosen not in names:
            raise UserError(phrase("study.no_plan_among", name=chosen, names=tuple(names)))
        return chosen

    def read_plan(self, name: str, version: int | None = None) -> Plan:
        """Return a version of a plan, by default the current one.

        Raises:
            UserError: there is none.
        """
        with self._ledger.read() as connection:
            return self._read(connection, check_name(name), version)

    def version(self, name: str) -> int | None:
        """Return the number of the current version; None where there is no such plan."""
        with self._ledger.read() as connection:
            return self._head(connection, name)

    def versions(self, name: str) -> list[Version]:
        """Return every version of a plan, oldest first."""
        with self._ledger.read() as connection:
            rows = connection.execute(
                text(
                    "SELECT version, former, created_at, reason FROM study_plans"
                    " WHERE owner = :owner AND name = :name ORDER BY version"
                ),
                {"owner": self._owner, "name": name},
            )
            return [
                Version(r.version, r.former, datetime.fromisoformat(r.created_at), r.reason)
                for r in rows
            ]

    def save_plan(
        self, plan: Plan, *, now: datetime, reason: str, joined: Joined | None = None
    ) -> Plan:
        """Store the plan as a new version and make it current; return it with its number.

        Raises:
            UserError: another version became current since this plan was read.
        """
        check_name(plan.name)
        with self._ledger.write() as connection:
            head = self._head(connection, plan.name)
            if head is not None and plan.version not in {0, head}:
                raise UserError(
                    phrase("study.moved_on", name=plan.name, head=head, version=plan.version)
                )
            number = 1 + int(
                connection.execute(
                    text(
                        "SELECT COALESCE(MAX(version), 0) FROM study_plans"
                        " WHERE owner = :owner AND name = :name"
                    ),
                    {"owner": self._owner, "name": plan.name},
                ).scalar_one()
            )
            saved = plan.numbered(number)
            connection.execute(
                text(
                    "INSERT INTO study_plans (owner, name, version, former, created_at, reason,"
                    " data) VALUES (:owner, :name, :version, :former, :at, :reason, :data)"
                ),
                {
                    "owner": self._owner,
                    "name": plan.name,
                    "version": number,
                    "former": head,
                    "at": now.isoformat(),
                    "reason": reason,
                    "data": json.dumps(stored(saved), ensure_ascii=False),
                },
            )
            self._set_head(connection, plan.name, number)
            if joined is not None:
                joined(saved, connection)
        self._write_copy(saved)
        return saved

    def undo(self, name: str, *, joined: Joined | None = None) -> Plan:
        """Make the version before the current one current again, and return it.

        Raises:
            UserError: the current version is the first.
        """
        with self._ledger.write() as connection:
            head = self._head(connection, name)
            former = connection.execute(
                text(
                    "SELECT former FROM study_plans"
                    " WHERE owner = :owner AND name = :name AND version = :version"
                ),
                {"owner": self._owner, "name": name, "version": head},
            ).scalar()
            if former is None:
                raise UserError(phrase("study.nothing_to_undo", name=name))
            self._set_head(connection, name, int(former))
            plan = self._read(connection, name, int(former))
            if joined is not None:
                joined(plan, connection)
        return plan

    def _read(self, connection: Connection, name: str, version: int | None) -> Plan:
        head = self._head(connection, name)
        row = connection.execute(
            text(
                "SELECT data FROM study_plans"
                " WHERE owner = :owner AND name = :name AND version = :version"
            ),
            {"owner": self._owner, "name": name, "version": version or head},
        ).scalar()
        if row is None:
            key = "study.no_version" if head else "study.no_plan"
            raise UserError(phrase(key, version=version, name=name))
        return restore(json.loads(row))

    def _head(self, connection: Connection, name: str) -> int | None:
        row = connection.execute(
            text("SELECT version FROM study_heads WHERE owner = :owner AND name = :name"),
            {"owner": self._owner, "name": name},
        ).scalar()
        return None if row is None else int(row)

    def _set_head(self, connection: Connection, name: str, version: int) -> None:
        connection.execute(
            text(
                "INSERT INTO study_heads (owner, name, version) VALUES (:owner, :name, :version)"
                " ON CONFLICT (owner, name) DO UPDATE SET version = excluded.version"
            ),
            {"owner": self._owner, "name": name, "version": version},
        )

    def _write_copy(self, plan: Plan) -> None:
        if self._folder is None:
            return
        folder = self._folder / check_name(plan.name)
        folder.mkdir(parents=True, exist_ok=True)
        path = folder / f"v{plan.version}.md"
        number = 1
        while path.exists():  # a copy from before the ledger was restored: it is left as it is
            number += 1
            path = folder / f"v{plan.version}-{number}.md"
        with path.open("x", encoding="utf-8") as copy:
            copy.write(markdown(plan))
