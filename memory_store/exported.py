"""The lines of an export: how they are written, and how strictly they are read."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Annotated, Any, TypeVar

from pydantic import BaseModel, ConfigDict, Field, PlainValidator, ValidationError

from memory_store.checking import MOST, check, check_text
from memory_store.chunk import (
    LONGEST_AGE,
    Chunk,
    Draft,
    Freshness,
    Interval,
    Kind,
    Origin,
    Scope,
    to_utc,
)
from memory_store.errors import InvalidInput
from memory_store.identity import is_id
from memory_store.tables import to_micros
from memory_store.writing import Occurrence

_Line = TypeVar("_Line", bound="_Strict")


@dataclass(frozen=True, slots=True)
class Entry:
    """A chunk of an export file: its line, and (place in the order of all, occurrence) each."""

    line: int
    chunk: Chunk
    said: tuple[tuple[int, Occurrence], ...]


def _moment(value: object) -> datetime:
    return to_utc(datetime.fromisoformat(check_text("time", value)))


Moment = Annotated[datetime, PlainValidator(_moment)]
Whole = Annotated[int, Field(ge=-MOST, le=MOST)]
Count = Annotated[int, Field(ge=0, le=MOST)]
Row = Annotated[int, Field(ge=0, lt=2**63)]
Seconds = Annotated[float, Field(ge=0, le=LONGEST_AGE.total_seconds())]
Micros = Annotated[
    int,
    Field(
        ge=to_micros(datetime.min.replace(tzinfo=UTC)),
        le=to_micros(datetime.max.replace(tzinfo=UTC)),
    ),
]


class _Strict(BaseModel):
    """Takes each value as it stands or not at all: no text is a number, no number a truth."""

    model_config = ConfigDict(strict=True, frozen=True)


class Head(_Strict):
    """The first line, as far as an import needs it."""

    format: str = ""
    version: int = 0
    chunks: int = 0


class _ChunkLine(_Strict):
    id: str
    kind: Kind
    text: str
    session: str
    turn: str
    step: Whole
    created_at: Moment
    checked_at: Moment
    about: tuple[Moment, Moment] | None
    subject: str | None
    max_age: Seconds | None
    validator: str | None
    tag: str | None
    call: str | None
    origin: Origin
    derived_from: tuple[str, ...]
    tokens: Count
    copies: Annotated[Count, Field(ge=1)]
    said: Annotated[tuple[tuple[Row, str, str, Whole, Micros], ...], Field(min_length=1)]


def parse(model: type[_Line], line: bytes) -> _Line:
    """Read one line.

    Raises:
        InvalidInput: it is not JSON, or a field is missing or of another kind.
    """
    try:
        return model.model_validate_json(line)
    except ValidationError as error:
        problem = error.errors(include_url=False)[0]
    place, said = ".".join(map(str, problem["loc"])), problem["msg"].removeprefix("Value error, ")
    match problem["type"]:
        case "json_invalid":
            said = f"not JSON ({said.removeprefix('Invalid JSON: ')})."
        case "model_type":
            said = "not a JSON object."
        case "missing":
            said = f"{place} is missing."
        case _:
            said = f"{place} {problem['input']!r:.60}: {said}"
    raise InvalidInput(said)


def read_line(number: int, line: bytes, owner: str) -> Entry:
    """Read the line of a chunk, which becomes the owner's.

    Raises:
        InvalidInput: it says nothing that could have been exported.
    """
    value = parse(_ChunkLine, line)
    draft = check(
        Draft(
            kind=value.kind,
            text=value.text,
            session=value.session,
            turn=value.turn,
            step=value.step,
            created_at=value.created_at,
            about=None if value.about is None else Interval(*value.about),
            subject=value.subject,
            freshness=Freshness(
                None if value.max_age is None else timedelta(seconds=value.max_age),
                value.validator,
                value.tag,
                value.call,
            ),
            origin=value.origin,
            derived_from=value.derived_from,
        )
    )
    if not is_id(value.id):
        raise InvalidInput(f"id {value.id!r:.60} is not a chunk id.")
    chunk = Chunk(
        id=value.id,
        kind=draft.kind,
        text=draft.text,
        scope=Scope(owner, draft.session, draft.turn, draft.step),
        created_at=value.created_at,
        checked_at=value.checked_at,
        about=draft.about,
        subject=draft.subject,
        freshness=draft.freshness,
        origin=draft.origin,
        derived_from=draft.derived_from,
        tokens=value.tokens,
        copies=value.copies,
    )
    said = (
        (place, Occurrence(session, turn, step, at))
        for place, session, turn, step, at in value.said
    )
    return Entry(number, chunk, tuple(said))


def line_of(chunk: Chunk, said: Sequence[Sequence[Any]]) -> dict[str, Any]:
    """The line of a chunk and of where it was said, as `read_line` takes it."""
    contract, about = chunk.freshness, chunk.about
    return {
        "id": chunk.id,
        "kind": chunk.kind,
        "text": chunk.text,
        "session": chunk.scope.session,
        "turn": chunk.scope.turn,
        "step": chunk.scope.step,
        "created_at": chunk.created_at.isoformat(),
        "checked_at": chunk.checked_at.isoformat(),
        "about": None if about is None else [about.start.isoformat(), about.end.isoformat()],
        "subject": chunk.subject,
        "max_age": None if contract.max_age is None else contract.max_age.total_seconds(),
        "validator": contract.validator,
        "tag": contract.tag,
        "call": contract.call,
        "origin": chunk.origin,
        "derived_from": list(chunk.derived_from),
        "tokens": chunk.tokens,
        "copies": chunk.copies,
        "said": said,
    }
