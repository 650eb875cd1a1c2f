"""What the servers taught us about each model: how it counts, and how long a request may be."""

from __future__ import annotations

from dataclasses import dataclass

from sqlalchemy import text

from memory_store.ledger import Ledger, Migration

MIGRATIONS = (
    Migration(
        "context",
        1,
        ("CREATE TABLE model_counts (model TEXT PRIMARY KEY, ratio REAL, context_limit INTEGER)",),
    ),
)

MARGIN = 0.03
"""What is added to a learned ratio: no two texts are counted differently by the same share."""

_LOWEST, _HIGHEST = 1.0, 3.0
_LEAST_TOKENS = 200  # in a shorter request the template's fixed part hides the ratio
_FALLING = 0.1  # a higher ratio is believed at once, a lower one by and by


@dataclass(frozen=True, slots=True)
class Learned:
    """One model's figures. `ratio`: tokens by the server for each of ours; None: not known."""

    ratio: float | None = None
    limit: int | None = None

    @property
    def factor(self) -> float:
        """What our count is multiplied with for the bound to hold by the server's count."""
        if self.ratio is None or self.ratio <= _LOWEST:
            return _LOWEST
        return min(self.ratio * (1 + MARGIN), _HIGHEST)


class ModelCounts:
    """Keeps what was learned in the ledger, by model."""

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger
        self._known: dict[str, Learned] = {}
        ledger.migrate(MIGRATIONS)

    def of(self, model: str) -> Learned:
        """Return what is known of `model`."""
        if model not in self._known:
            with self._ledger.read() as connection:
                row = connection.execute(
                    text("SELECT ratio, context_limit FROM model_counts WHERE model = :model"),
                    {"model": model},
                ).one_or_none()
            self._known[model] = Learned() if row is None else Learned(row[0], row[1])
        return self._known[model]

    def observe(self, model: str, *, counted: int, reported: int) -> None:
        """Learn from one request: our count of its prompt, and the server's."""
        if counted < _LEAST_TOKENS or reported <= 0:
            return
        seen = min(max(reported / counted, 1 / _HIGHEST), _HIGHEST)
        known = self.of(model)
        old = seen if known.ratio is None else known.ratio
        ratio = seen if seen >= old else old + _FALLING * (seen - old)
        if known.ratio is None or abs(ratio - known.ratio) > 0.001:
            self._save(model, Learned(ratio, known.limit))

    def learn_limit(self, model: str, limit: int) -> None:
        """Remember that the server takes no request longer than `limit`, in its own tokens."""
        known = self.of(model)
        self._save(model, Learned(known.ratio, min(limit, known.limit or limit)))

    def _save(self, model: str, learned: Learned) -> None:
        self._known[model] = learned
        with self._ledger.write() as connection:
            connection.execute(
                text("INSERT OR REPLACE INTO model_counts VALUES (:model, :ratio, :limit)"),
                {"model": model, "ratio": learned.ratio, "limit": learned.limit},
            )
