"""A suite's results: pass rates by category, the difference from the last run, JSON and JUnit."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from xml.etree import ElementTree

from assistant.messages import Json


@dataclass(frozen=True, slots=True)
class Trial:
    """One run of one case. `failures` is empty when it passed; `seconds` is wall time."""

    failures: tuple[str, ...]
    tokens: int
    steps: int
    seconds: float


@dataclass(frozen=True, slots=True)
class CaseResult:
    """A case with its trials. It passes if more than half of them do: two of three."""

    id: str
    category: str
    language: str
    trials: tuple[Trial, ...]

    @property
    def right(self) -> int:
        """How many trials passed."""
        return sum(not trial.failures for trial in self.trials)

    @property
    def passed(self) -> bool:
        """Whether the case passes."""
        return self.right * 2 > len(self.trials)


@dataclass(frozen=True, slots=True)
class Report:
    """The results of a suite with one model."""

    suite: str
    model: str
    cases: tuple[CaseResult, ...]

    @property
    def passed(self) -> int:
        """How many cases passed."""
        return sum(case.passed for case in self.cases)

    def rates(self) -> dict[str, tuple[int, int]]:
        """Return (passed, all) by category, then by language, then of `all`."""
        counts: dict[str, list[bool]] = defaultdict(list)
        for key in ("category", "language"):
            for case in sorted(self.cases, key=lambda case: str(getattr(case, key))):
                counts[getattr(case, key)].append(case.passed)
        counts["all"] = [case.passed for case in self.cases]
        return {name: (sum(values), len(values)) for name, values in counts.items()}

    def to_json(self) -> dict[str, Json]:
        """Return the report as `--json` writes it and as the next run compares with it."""
        cases = [{**asdict(case), "passed": case.passed} for case in self.cases]
        rates = {name: {"passed": ok, "of": of} for name, (ok, of) in self.rates().items()}
        return {"suite": self.suite, "model": self.model, "rates": rates, "cases": cases}


@dataclass(frozen=True, slots=True)
class Difference:
    """What changed since an earlier report, by case id."""

    worse: tuple[str, ...]
    better: tuple[str, ...]


def difference(report: Report, earlier: Json) -> Difference:
    """Compare with an earlier report's JSON; cases that only one of them has do not count."""
    before = {case["id"]: bool(case["passed"]) for case in earlier["cases"]}
    both = [case for case in report.cases if case.id in before]
    return Difference(
        worse=tuple(case.id for case in both if before[case.id] and not case.passed),
        better=tuple(case.id for case in both if case.passed and not before[case.id]),
    )


def load_earlier(path: Path) -> Json:
    """Return the report that an earlier run left, or None where there is none that can be read."""
    try:
        earlier: Json = json.loads(path.read_text(encoding="utf-8"))
        difference(Report("", "", ()), earlier)
    except (OSError, ValueError, TypeError, LookupError):
        return None
    return earlier


def write_junit(report: Report, path: Path) -> None:
    """Write the report in JUnit's XML form, which CI systems show."""
    failed = len(report.cases) - report.passed
    attributes = {"name": report.suite, "tests": str(len(report.cases)), "failures": str(failed)}
    suite = ElementTree.Element("testsuite", attributes)
    for case in report.cases:
        seconds = sum(trial.seconds for trial in case.trials)
        element = ElementTree.SubElement(
            suite, "testcase", classname=case.category, name=case.id, time=f"{seconds:.3f}"
        )
        if not case.passed:
            message = f"{case.right} of {len(case.trials)} runs passed"
            ElementTree.SubElement(element, "failure", message=message).text = _reasons(case.trials)
    ElementTree.ElementTree(suite).write(path, encoding="utf-8", xml_declaration=True)


def _reasons(trials: Sequence[Trial]) -> str:
    lines = [f"run {n}: {why}" for n, trial in enumerate(trials, 1) for why in trial.failures]
    text = "\n".join(lines)
    return "".join(letter for letter in text if letter >= " " or letter in "\t\n")
