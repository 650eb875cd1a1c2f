"""The chunk: one remembered piece of text with its time, place, subject and freshness contract."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Literal, get_args

from memory_store.errors import InvalidInput

Kind = Literal["question", "answer", "tool_result", "summary", "fact", "note"]
Origin = Literal["user", "assistant", "tool", "import"]

KINDS: tuple[Kind, ...] = get_args(Kind)
ORIGINS: tuple[Origin, ...] = get_args(Origin)


LONGEST_AGE = timedelta(days=365_000)


def to_utc(moment: datetime, name: str = "time") -> datetime:
    """Return `moment` in UTC.

    Raises:
        InvalidInput: `moment` has no time zone, so that nobody can say when it was, or is out of
            range.
    """
    if moment.tzinfo is None or moment.utcoffset() is None:
        raise InvalidInput(f"{name} {moment.isoformat()} has no time zone; give an aware datetime.")
    try:
        return moment.astimezone(UTC)
    except OverflowError:
        raise InvalidInput(
            f"{name} {moment.isoformat()} is no time of the years 1 to 9999."
        ) from None


@dataclass(frozen=True, slots=True)
class Interval:
    """A span of time, start included and end excluded, both aware and kept in UTC."""

    start: datetime
    end: datetime

    def __post_init__(self) -> None:
        object.__setattr__(self, "start", to_utc(self.start, "interval start"))
        object.__setattr__(self, "end", to_utc(self.end, "interval end"))
        if self.end < self.start:
            raise InvalidInput(f"interval ends ({self.end}) before it starts ({self.start}).")

    def holds(self, moment: datetime) -> bool:
        """Whether `moment` lies in the span."""
        return self.start <= moment < self.end


@dataclass(frozen=True, slots=True)
class Scope:
    """Where a chunk was made: whose it is, and in which session, turn and step of the loop."""

    owner: str
    session: str = ""
    turn: str = ""
    step: int = 0


@dataclass(frozen=True, slots=True)
class Freshness:
    """A freshness contract in HTTP caching's terms (RFC 9111), declared where the data is made.

    Attributes:
        max_age: how long the text may be used as current. None: it does not age.
            Zero: it must be revalidated at every use.
        validator: the name of what can tell the source's current version (a tool's name), or None.
        tag: the source's version tag, read before the text was made.
        call: the canonical call that makes the text anew, such as `get_stock(sku="42")`.
    """

    max_age: timedelta | None = None
    validator: str | None = None
    tag: str | None = None
    call: str | None = None

    def __post_init__(self) -> None:
        if self.max_age is not None and self.max_age < timedelta(0):
            raise InvalidInput(f"max_age {self.max_age} is negative; use zero for 'always ask'.")
        if self.max_age is not None and self.max_age > LONGEST_AGE:
            raise InvalidInput(f"max_age {self.max_age} is too long; use None for 'never'.")


@dataclass(frozen=True, slots=True)
class Draft:
    """What a caller hands to `MemoryStore.remember`; the store adds id, owner, time and tokens.

    Attributes:
        about: the span of time that the text speaks of (event time), where it is known.
        subject: the key of what it is about: for a tool result the canonical call, for a fact a
            slot such as `user.city`. The newest chunk of a subject is the current one.
        created_at: aware; None means the store's clock.
        origin: whose word it is. `user` is also what was read out of nothing but the user's own
            words; what the assistant has from a tool's or a page's text is `tool`. Only the user's
            word supersedes the user's word.
        derived_from: ids of the chunks that this one was made from; their staleness is inherited.
    """

    kind: Kind
    text: str
    session: str = ""
    turn: str = ""
    step: int = 0
    created_at: datetime | None = None
    about: Interval | None = None
    subject: str | None = None
    freshness: Freshness = field(default_factory=Freshness)
    origin: Origin = "user"
    derived_from: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Chunk:
    """One stored piece of memory. It never changes; see `Draft` for the fields' meaning.

    Attributes:
        id: time-sortable (ULID); ids grow in the order in which chunks were stored, also when
            the clock goes back.
        created_at: when it was recorded, UTC.
        checked_at: when its source was last seen to be unchanged, UTC; `created_at` at first.
        tokens: by the store's token counter.
        copies: how many times exactly this was said (exact duplicates are stored once).
    """

    id: str
    kind: Kind
    text: str
    scope: Scope
    created_at: datetime
    checked_at: datetime
    about: Interval | None
    subject: str | None
    freshness: Freshness
    origin: Origin
    derived_from: tuple[str, ...]
    tokens: int
    copies: int = 1
