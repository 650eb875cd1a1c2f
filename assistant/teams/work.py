"""How a member's work is asked for, tried again, and read: finished, sent back, or failed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from assistant.errors import RunFailed
from assistant.phrases import Phrase
from assistant.teams.message import Status, Transcript, as_text
from assistant.teams.spec import Member, TeamSpec


@dataclass(frozen=True, slots=True)
class Assignment:
    """What a member is given: its task, and the messages to it as quoted text."""

    task: str
    material: str


Worker = Callable[[Member, Assignment], str]
"""Lets a member work and returns its text. Raises `RunFailed` where it cannot."""


@dataclass(frozen=True, slots=True)
class Output:
    """A member's work, its marks removed."""

    text: str
    status: Status


@dataclass(frozen=True, slots=True)
class TeamResult:
    """The end of a team's run.

    Attributes:
        answer: the finished text; what there is of it where the run failed.
        problem: why the run stopped; None when it finished.
    """

    answer: str
    problem: Phrase | None
    transcript: Transcript

    @property
    def finished(self) -> bool:
        """Whether the team finished its work."""
        return self.problem is None


def read_output(text: str, spec: TeamSpec) -> Output:
    """Read the marks of a member's text: finished, refused, or neither, which is incomplete."""
    stripped = text.strip()
    if spec.redo in stripped:
        return Output(stripped.replace(spec.redo, "").strip(), "returned")
    if spec.done in stripped:
        return Output(stripped.replace(spec.done, "").strip(), "complete")
    return Output(stripped, "incomplete")


@dataclass(frozen=True, slots=True)
class TeamRun:
    """One run of a team: who is in it, what is asked, who does the work, what was said."""

    spec: TeamSpec
    request: str
    worker: Worker
    transcript: Transcript

    def work(self, member: Member, task: str, material: str) -> Output:
        """Let a member work until its output is finished or refused, trying again by the policy.

        What failed or was not marked as finished stays in the transcript, as a message to the
        member itself, and the member is told; nothing is overwritten.
        """
        output = Output("", "incomplete")
        for attempt in range(1 + self.spec.retries):
            complaint = f"(What you handed in was not accepted: {self._complaint(output)})"
            asked = task if attempt == 0 else f"{task}\n\n{complaint}"
            try:
                output = read_output(self.worker(member, Assignment(asked, material)), self.spec)
            except RunFailed as error:
                output = Output(str(error), "failed")
            if output.status == "complete" or (output.status == "returned" and member.returns_to):
                return output
            self.transcript.hand_over(member.name, member.name, task, output.text, output.status)
        return output

    def received_by(self, member: Member) -> str:
        """The messages to a member, as the text that it reads."""
        return as_text(self.transcript.received_by(member.name))

    def end(self, answer: str, problem: Phrase | None = None) -> TeamResult:
        """Return the run's result."""
        return TeamResult(answer, problem, self.transcript)

    def _complaint(self, output: Output) -> str:
        if output.status == "failed":
            return output.text or "it failed"
        return f"finished work ends with {self.spec.done}"
