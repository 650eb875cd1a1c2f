"""Checking what callers hand in: a draft is stored faithfully, or refused with what is wrong."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime
from types import NoneType
from typing import cast

from memory_store.chunk import KINDS, ORIGINS, Draft, Freshness, Interval, to_utc
from memory_store.errors import InvalidInput
from memory_store.identity import is_id

MAX_CHARACTERS = 4_000_000
"""The longest text of one chunk."""

MOST = 2**31 - 1
"""The highest number of a step, or of anything else that is counted."""

_TYPES: dict[str, tuple[type, ...]] = {
    "text": (str,),
    "session": (str,),
    "turn": (str,),
    "step": (int,),
    "created_at": (datetime, NoneType),
    "about": (Interval, NoneType),
    "subject": (str, NoneType),
    "freshness": (Freshness,),
    "derived_from": (tuple, list),
}


def checked(drafts: object) -> tuple[Draft, ...]:
    """The drafts, all of which can be stored.

    Raises:
        InvalidInput: names what cannot, its value and what is allowed.
    """
    if isinstance(drafts, Draft) or not isinstance(drafts, Iterable):
        raise InvalidInput(f"drafts is one {type(drafts).__name__}; give a list of Draft.")
    return tuple(check(draft) for draft in cast("Iterable[object]", drafts))


def check(draft: object) -> Draft:
    """Refuse a draft that cannot be stored faithfully.

    Raises:
        InvalidInput: names the field, its value and what is allowed.
    """
    if not isinstance(draft, Draft):
        raise InvalidInput(f"{draft!r:.60} is a {type(draft).__name__}; give a Draft.")
    for name, kinds in _TYPES.items():
        value = getattr(draft, name)
        if not isinstance(value, kinds):
            wanted = " or ".join(kind.__name__ for kind in kinds)
            raise InvalidInput(f"{name} {value!r:.60} is a {type(value).__name__}; give {wanted}.")
    _check_values(draft)
    return draft


def _check_values(draft: Draft) -> None:
    check_kind(draft.kind)
    one_of("origin", draft.origin, ORIGINS)
    if not draft.text.strip():
        raise InvalidInput("text is empty; a chunk needs something to remember.")
    if len(draft.text) > MAX_CHARACTERS:
        raise InvalidInput(
            f"text has {len(draft.text):,} characters, more than {MAX_CHARACTERS:,}; split it."
        )
    if draft.subject is not None and not draft.subject.strip():
        raise InvalidInput("subject is blank; leave it out or name what the text is about.")
    if abs(draft.step) > MOST:
        raise InvalidInput(f"step {draft.step:.3g} is out of range; at most {MOST:,}.")
    if draft.created_at is not None:
        to_utc(draft.created_at, "created_at")
    contract = draft.freshness
    for name, value in (
        ("text", draft.text),
        ("session", draft.session),
        ("turn", draft.turn),
        ("subject", draft.subject),
        *((name, getattr(contract, name)) for name in ("validator", "tag", "call")),
    ):
        if value is not None:
            check_unicode(name, value)
    for source in draft.derived_from:
        check_unicode("derived_from", source)
        if not is_id(source):
            raise InvalidInput(f"derived_from {source!r:.60} is not a chunk id.")


def check_kind(kind: str) -> None:
    """Refuse a kind that does not exist."""
    one_of("kind", kind, KINDS)


def check_listing(kind: str | None, limit: int | None) -> None:
    """Refuse a listing that could never hold anything."""
    if kind is not None:
        check_kind(kind)
    if limit is not None and limit < 0:
        raise InvalidInput(f"limit {limit} is negative; give the most chunks, or none for all.")


def several(name: str, values: Iterable[str]) -> frozenset[str]:
    """The values, of which a single text is none: its letters would be taken for them."""
    if isinstance(values, str):
        raise InvalidInput(f"{name} {values!r:.60} is one text; give a list of them.")
    return frozenset(values)


def one_of(name: str, value: str, known: Sequence[str]) -> None:
    """Refuse a word that means nothing here."""
    if value not in known:
        raise InvalidInput(f"{name} {value!r} is unknown; use one of {', '.join(known)}.")


def check_text(name: str, value: object) -> str:
    """Refuse what is no text."""
    if not isinstance(value, str):
        raise InvalidInput(f"{name} {value!r:.60} is a {type(value).__name__}; give str.")
    return value


def check_unicode(name: str, value: object) -> None:
    """Refuse what no file could keep: half a surrogate pair stands for no character."""
    value = check_text(name, value)
    try:
        value.encode()
    except UnicodeEncodeError as error:
        raise InvalidInput(
            f"{name} holds a lone surrogate at character {error.start}, which is not text;"
            " decode its source with errors='replace'."
        ) from error
