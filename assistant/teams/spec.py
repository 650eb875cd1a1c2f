"""A team's declaration: a small YAML file, or the same as data from Python."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from assistant.errors import UserError
from assistant.phrases import phrase, recognised
from assistant.yaml_file import read_yaml

EXAMPLES = Path(__file__).parent / "examples"
LARGEST_FILE = 200_000
"""Bytes of a team's file."""
Name = Annotated[str, Field(min_length=1, max_length=64, pattern=r"^[^\s:：]+$")]


class Member(BaseModel):
    """One agent of a team: its prompt, and the names of the tools it may call.

    Attributes:
        returns_to: the earlier stage that gets the work back when this one refuses it (pipeline).
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    name: Name
    prompt: str = Field(min_length=1)
    tools: tuple[str, ...] = ()
    returns_to: Name | None = None


class TeamSpec(BaseModel):
    """A whole team.

    Attributes:
        kind: `pipeline` hands the work from member to member in their order; `planner` lets the
            first member plan steps for the second; `coordinator` lets the first choose who acts.
        done: the mark that a member ends finished work with; without it work is not accepted.
        redo: the mark that a checking member refuses work with.
        retries: how often a member that failed is asked again.
        rounds: how often work may be sent back, planned anew, or given out by a coordinator.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    kind: Literal["pipeline", "planner", "coordinator"]
    members: Annotated[tuple[Member, ...], Field(min_length=1, max_length=16)]
    done: str = Field("[DONE]", min_length=1)
    redo: str = Field("[REDO]", min_length=1)
    retries: int = Field(1, ge=0, le=5)
    rounds: int = Field(3, ge=1, le=50)

    @model_validator(mode="after")
    def _fits(self) -> Self:
        names = [member.name for member in self.members]
        if len(set(names)) != len(names):
            raise ValueError(f"two members have one name: {', '.join(names)}")
        if self.kind == "planner" and len(names) != 2:
            raise ValueError("a planner team has two members: the planner, then the executor")
        if self.kind == "coordinator" and len(names) < 2:
            raise ValueError("a coordinator team has a coordinator and at least one more member")
        for place, member in enumerate(self.members):
            if member.returns_to is None:
                continue
            if self.kind != "pipeline" or member.returns_to not in names[:place]:
                earlier = ", ".join(names[:place]) or "none"
                raise ValueError(
                    f"{member.name} returns work to {member.returns_to!r},"
                    f" which is no earlier stage of a pipeline (earlier: {earlier})"
                )
        return self

    def member(self, name: str) -> Member | None:
        """The member of that name, or None."""
        return next((member for member in self.members if member.name == name), None)


def load_team(name: str) -> TeamSpec:
    """Read a team from a YAML file, or a shipped example by name.

    Raises:
        UserError: there is no such file, or it is broken; the message names the field.
    """
    example = EXAMPLES / f"{name}.yaml"
    path = Path(name) if Path(name).is_file() else example
    if not path.is_file():
        known = ", ".join(sorted(file.stem for file in EXAMPLES.glob("*.yaml")))
        hint = phrase("file.no_team_hint", names=known)
        raise UserError(phrase("file.no_team", name=name), hint=hint)
    content = read_yaml(path, phrase("file.team"), LARGEST_FILE)
    try:
        return TeamSpec.model_validate(content)
    except ValidationError as error:
        problem = error.errors()[0]
        place = ".".join(str(part) for part in problem["loc"]) or phrase("file.whole")
        said = recognised(problem["msg"], "value")
        raise UserError(phrase("file.wrong", path=path, place=place, problem=said)) from None
