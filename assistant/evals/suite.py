"""Suites: the shipped ones by name, YAML files, folders of them."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from assistant.errors import UserError
from assistant.evals.case import Case
from assistant.messages import Json
from assistant.phrases import Phrase, phrase, recognised
from assistant.yaml_file import read_yaml

SHIPPED = Path(__file__).parent / "suites"
LARGEST_FILE = 2_000_000
"""Bytes of one suite file; a suite is written by hand."""


class _SuiteFile(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)
    cases: Annotated[tuple[Case, ...], Field(min_length=1)]


def load_suite(name: str) -> tuple[Case, ...]:
    """Return the cases of a shipped suite by name, of a YAML file, or of a folder of such files.

    Raises:
        UserError: there is no such suite, or a file is broken; the message names file and case.
    """
    given = Path(name)
    shipped = SHIPPED / name
    found = given if given.exists() else shipped if shipped.is_dir() else None
    if found is None:
        names = ", ".join(sorted(path.name for path in SHIPPED.iterdir() if path.is_dir()))
        hint = phrase("file.no_suite_hint", names=names)
        raise UserError(phrase("file.no_suite", name=name), hint=hint)
    files = sorted(found.glob("*.yaml")) if found.is_dir() else [found]
    if not files:
        raise UserError(phrase("file.no_yaml", folder=found))
    cases = [case for file in files for case in _load_file(file)]
    seen: set[str] = set()
    for case in cases:
        if case.id in seen:
            raise UserError(phrase("file.twice", name=name, case=case.id))
        seen.add(case.id)
    return tuple(cases)


def _load_file(path: Path) -> tuple[Case, ...]:
    content = read_yaml(path, phrase("file.suite"), LARGEST_FILE)
    try:
        return _SuiteFile.model_validate(content).cases
    except ValidationError as error:
        raise UserError(_first_problem(path, error, content)) from None


def _first_problem(path: Path, error: ValidationError, content: Json) -> Phrase:
    problem = error.errors()[0]
    place = [str(part) for part in problem["loc"]]
    with suppress(LookupError, TypeError):  # the case has no id, or the file no cases
        place[1] = f"{place[1]} ({content['cases'][problem['loc'][1]]['id']})"
    return phrase(
        "file.wrong_found",
        path=path,
        place=".".join(place) or phrase("file.whole"),
        problem=recognised(problem["msg"], "value"),
        found=f"{problem['input']!r:.80}",
    )
