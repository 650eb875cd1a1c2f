"""`assistant eval`: runs a suite of evaluation cases against the configured model."""

from __future__ import annotations

import json
import re
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from assistant.cli.options import AsJson
from assistant.phrases import phrase, say

if TYPE_CHECKING:
    from assistant.app import App
    from assistant.context.wording import Language
    from assistant.evals.case import Case
    from assistant.evals.report import CaseResult, Difference, Report

app = typer.Typer(no_args_is_help=True)
MOST_RUNS = 100


@app.callback()
def _eval() -> None:  # pyright: ignore[reportUnusedFunction]
    """Run a suite of evaluation cases."""


@app.command()
def run(
    ctx: typer.Context,
    suite: Annotated[str, typer.Argument(help="A shipped suite (core), a YAML file or a folder.")],
    runs: Annotated[
        int, typer.Option(help="How often each case is run.", min=1, max=MOST_RUNS)
    ] = 3,
    model: Annotated[str | None, typer.Option(help="The model's name at its server.")] = None,
    junit: Annotated[
        Path | None, typer.Option(help="Also write JUnit XML here.", metavar="FILE")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Run every case of a suite; a case passes if more than half of its runs do."""
    from assistant.cli.invocation import opened
    from assistant.cli.views import print_json
    from assistant.evals.report import Report, difference, load_earlier, write_junit
    from assistant.evals.suite import load_suite

    cases = load_suite(suite)
    if junit is not None:
        _must_be_writable(junit)
    with opened(ctx, model=model) as assistant:
        last = assistant.settings.home / "evals" / f"{_file_name(suite)}.json"
        earlier = load_earlier(last)
        report = Report(suite, assistant.model.name, tuple(_results(assistant, cases, runs)))
        changed = difference(report, earlier) if earlier else None
        last.parent.mkdir(exist_ok=True)
        last.write_text(json.dumps(report.to_json(), ensure_ascii=False), encoding="utf-8")
        language = assistant.language()
    if junit is not None:
        write_junit(report, junit)
    if as_json:
        print_json({**report.to_json(), "difference": _difference_json(changed)})
    else:
        _print(report, changed, language)


def _results(assistant: App, cases: tuple[Case, ...], runs: int) -> list[CaseResult]:
    from assistant.evals.runner import Runner
    from memory_store.embedding import load_embedder

    local = assistant.settings.local
    runner = Runner(
        assistant.settings,
        models=lambda _case: nullcontext(assistant.model),
        embedder=load_embedder(assistant.settings.embedder),
        language=assistant.language(),
        judge=None if local else assistant.model,  # a small model is no judge
    )
    results: list[CaseResult] = []
    with assistant.waiting(phrase("waiting.suite")) as progress:
        for number, case in enumerate(cases, 1):
            results.append(runner.run(case, runs))
            progress(number, len(cases))
    return results


def _must_be_writable(path: Path) -> None:
    """Raise a UserError now, rather than lose the results of a long run to a mistyped path."""
    from assistant.errors import UserError

    try:
        path.open("ab").close()
    except OSError as error:
        said = phrase("input.unwritable", path=path, problem=error.strerror)
        raise UserError(said) from None


def _file_name(suite: str) -> str:
    return re.sub(r"[^\w.-]", "_", suite)


def _difference_json(changed: Difference | None) -> dict[str, list[str]] | None:
    if changed is None:
        return None
    return {"worse": list(changed.worse), "better": list(changed.better)}


def _print(report: Report, changed: Difference | None, language: Language) -> None:
    from rich.table import Table

    from assistant.cli.views import console

    screen = console()
    for case in report.cases:
        if not case.passed:
            values = {"case": case.id, "right": case.right, "runs": len(case.trials)}
            screen.print(say("eval.failed", language, **values))
            for reason in sorted({why for trial in case.trials for why in trial.failures}):
                screen.print(f"  - {reason}")
    table = Table(box=None, header_style="bold", pad_edge=False)
    for column in say("eval.heads", language).split("|"):
        table.add_column(column, justify="left" if not column else "right")
    for name, (passed, of) in report.rates().items():
        rate = f"{passed / of:.0%}"
        table.add_row(say(f"eval.{name}", language), str(passed), str(of), rate)
    screen.print(table)
    if changed is not None:
        worse = changed.worse or phrase("eval.nothing")
        screen.print(say("eval.worse", language, cases=worse))
        if changed.better:
            screen.print(say("eval.better", language, cases=changed.better))
