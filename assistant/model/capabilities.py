"""What each model was seen to be able to do, kept in the ledger, so that nothing is tried twice."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from sqlalchemy import text

from assistant.model.chat_model import ChatModel
from memory_store.ledger import Ledger, Migration

MIGRATIONS = (
    Migration(
        "models",
        1,
        (
            "CREATE TABLE model_features (address TEXT NOT NULL, name TEXT NOT NULL,"
            " feature TEXT NOT NULL, works INTEGER NOT NULL,"
            " PRIMARY KEY (address, name, feature))",
        ),
    ),
)

Feature = Literal["tools", "response_schema"]


@dataclass(frozen=True, slots=True)
class Capability:
    """What is known of one model; None: not tried yet.

    Attributes:
        tools: whether it calls tools natively.
        response_schema: whether its replies can be made to follow a JSON Schema.
    """

    tools: bool | None = None
    response_schema: bool | None = None


class Capabilities:
    """The record of every model, by its address and name. A later finding replaces an earlier."""

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger
        ledger.migrate(MIGRATIONS)

    def of(self, model: ChatModel) -> Capability:
        """Return what is known of `model`."""
        with self._ledger.read() as connection:
            rows = connection.execute(
                text(
                    "SELECT feature, works FROM model_features"
                    " WHERE address = :address AND name = :name"
                ),
                {"address": model.address, "name": model.name},
            )
            return Capability(**{str(row.feature): bool(row.works) for row in rows})

    def learn(self, model: ChatModel, feature: Feature, works: bool) -> None:
        """Remember whether a feature works with `model`."""
        with self._ledger.write() as connection:
            connection.execute(
                text(
                    "INSERT OR REPLACE INTO model_features (address, name, feature, works)"
                    " VALUES (:address, :name, :feature, :works)"
                ),
                {
                    "address": model.address,
                    "name": model.name,
                    "feature": feature,
                    "works": int(works),
                },
            )
