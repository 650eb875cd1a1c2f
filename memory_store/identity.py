"""Chunk ids (ULIDs that grow in the order of storing) and the digests that tell duplicates."""

from __future__ import annotations

import hashlib
import json
import secrets
from collections.abc import Iterator
from datetime import datetime

from memory_store.chunk import Chunk, Draft
from memory_store.tables import to_micros

_ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"  # Crockford's base 32, as the ULID spec has it
_LENGTH = 26
_RANDOM_BITS = 80
_AFTER_ALL = "76EZ91ZPZZ"  # the milliseconds of the last ids; more would leave no room for new ones


def new_ids(now: datetime, last: str) -> Iterator[str]:
    """Yield ULIDs greater than `last` and than each other, whatever the clock says.

    Called within the write transaction, so that ids of all processes grow in one order.
    """
    value = _decode(last) if last else 0
    while True:
        by_clock = (max(0, to_micros(now) // 1000) << _RANDOM_BITS) | secrets.randbits(_RANDOM_BITS)
        value = max(by_clock, value + 1)
        yield _encode(value)


def digest(owner: str, draft: Draft | Chunk) -> bytes:
    """What makes two of them the same thing said again: all but where and when it was said."""
    contract = draft.freshness
    about = draft.about
    parts = [
        owner,
        draft.kind,
        draft.origin,
        draft.subject,
        draft.text,
        None if contract.max_age is None else contract.max_age.total_seconds(),
        contract.validator,
        contract.call,
        None if about is None else (to_micros(about.start), to_micros(about.end)),
        sorted(draft.derived_from),
    ]
    return hashlib.sha256(json.dumps(parts).encode()).digest()[:16]


def tombstone(chunk_id: str) -> bytes:
    """The mark that stays of a forgotten chunk: a hash of its id, nothing of its text."""
    return hashlib.sha256(f"forgotten {chunk_id}".encode()).digest()[:16]


def is_id(value: str) -> bool:
    """Whether `value` has the form of a chunk id, of a time up to the year 9999."""
    return len(value) == _LENGTH and value < _AFTER_ALL and set(value) <= set(_ALPHABET)


def _encode(value: int) -> str:
    return "".join(_ALPHABET[(value >> shift) & 31] for shift in range(125, -1, -5))


def _decode(text: str) -> int:
    value = 0
    for letter in text:
        value = value << 5 | _ALPHABET.index(letter)
    return value
