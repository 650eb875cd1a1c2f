"""One evaluation suite over several models or settings: pass rates, tokens and steps as rows."""

from __future__ import annotations

from collections.abc import Generator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from assistant.app import App
from assistant.evals.case import Case
from assistant.evals.runner import Models, Runner
from assistant.evals.scripted import model_of, scripted
from assistant.messages import Json
from assistant.model.client import OpenAIChatModel
from assistant.settings import Settings
from assistant.testing import Reply, says
from memory_store.extras import frame, needs
from memory_store.protocols import Embedder

if TYPE_CHECKING:
    from pandas import DataFrame


@dataclass(frozen=True)
class Candidate:
    """A model with settings, under the name that it has in tables.

    Attributes:
        models: gives the model of each trial.
        settings: what differs from the user's settings, such as `{"context_limit": 4096}`.
    """

    name: str
    models: Models
    settings: Mapping[str, Any] = field(default_factory=dict[str, Any])


def compare(
    cases: Sequence[Case],
    candidates: Sequence[Candidate],
    settings: Settings,
    *,
    embedder: Embedder,
    trials: int = 1,
    progress: bool = True,
) -> DataFrame:
    """Run every case with every candidate; return one row a trial.

    Columns: candidate, case, category, language, trial, passed, tokens (of the largest request),
    steps, seconds, failures.
    """
    rows: list[dict[str, Any]] = []
    total = len(cases) * len(candidates)
    with needs("tqdm").tqdm(total=total, leave=False, mininterval=1, disable=not progress) as bar:
        for one in candidates:
            chosen = settings.model_copy(update=dict(one.settings))
            runner = Runner(chosen, one.models, embedder)
            for case in cases:
                result = runner.run(case, trials)
                rows += [
                    {
                        "candidate": one.name,
                        "case": case.id,
                        "category": case.category,
                        "language": case.language,
                        "trial": number,
                        "passed": not trial.failures,
                        "tokens": trial.tokens,
                        "steps": trial.steps,
                        "seconds": trial.seconds,
                        "failures": "; ".join(trial.failures),
                    }
                    for number, trial in enumerate(result.trials, 1)
                ]
                bar.update(1)
    return frame(rows)


def parrot(_case: Case) -> AbstractContextManager[OpenAIChatModel]:
    """A scripted model that calls no tool and repeats the memories that it is shown."""
    return model_of(_repeat)


def _repeat(body: dict[str, Json]) -> Reply:
    memories, _, _question = str(body["messages"][-1]["content"]).rpartition("\n\n")
    return says(memories or "I don't know that yet. 我还不知道。")


def scripted_candidates() -> list[Candidate]:
    """Stand-ins for models: one follows each case's script, one repeats its memories.

    They test what is around a model, and show what the suite finds.
    """
    return [
        Candidate("follows the script", scripted, {"protocol": "tools"}),
        Candidate("repeats its memories", parrot, {"protocol": "tools"}),
    ]


@contextmanager
def candidates_here(home: Path, names: Sequence[str] = ()) -> Generator[list[Candidate]]:
    """The models that are set up here, and the scripted stand-ins as their ceiling and floor.

    Without a server, a key or a fetched model there are only the stand-ins.

    Args:
        home: an empty folder of the experiment's own, for what a model keeps.
        names: models at the server that is set; by default the one that is set.
    """
    from assistant.model.download import is_fetched, models_folder

    settings = Settings.load(home)
    missing = settings.local and settings.model_path is None and not is_fetched(models_folder())
    opened: list[App] = []
    try:
        for name in [] if missing else names or [settings.model]:
            opened.append(App.open(settings.model_copy(update={"model": name})))
        own = [
            Candidate(str(app.model.name), lambda _case, app=app: nullcontext(app.model))
            for app in opened
        ]
        yield [*own, *scripted_candidates()]
    finally:
        for app in opened:
            app.close()
