"""Runs settings over a corpus, and keeps the results with all that is needed to trust them."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from memory_store.embedding import DEFAULT, load_embedder
from memory_store.errors import InvalidInput, NotFound
from memory_store.experiments.corpora import Conversation
from memory_store.experiments.embedding_cache import CachedEmbedder
from memory_store.experiments.measures import Asked, by_record, by_session, measure
from memory_store.experiments.replay import answers, code_version
from memory_store.experiments.systems import SYSTEMS, Fused, Opener
from memory_store.extras import needs
from memory_store.protocols import Embedder
from memory_store.rerank import CrossEncoderReranker

if TYPE_CHECKING:
    from pandas import DataFrame

Way = Literal["dense", "lexical", "fused", "reranked"]


@dataclass(frozen=True)
class Setting:
    """One way to search.

    Attributes:
        way: the memory as shipped is `fused`; `dense` and `lexical` are its sides alone.
        embedder: a name for `load_embedder`.
        chunk: the most characters of a passage; None: what suits the embedder.
        reranker: a cross-encoder's name or path for `reranked`; None: the nearest sentence.
    """

    way: Way = "fused"
    embedder: str = DEFAULT
    chunk: int | None = None
    reranker: str | None = None

    def __post_init__(self) -> None:
        if self.way not in SYSTEMS:
            raise InvalidInput(f"There is no way {self.way!r}; ways are {', '.join(SYSTEMS)}.")
        if self.chunk is not None and self.chunk < 40:
            raise InvalidInput(f"A chunk of {self.chunk} characters is too short; give 40 or more.")

    def __str__(self) -> str:
        parts = [self.way]
        parts += ["/".join(Path(self.embedder).parts[-2:])] if self.embedder != DEFAULT else []
        parts += [f"{self.chunk} characters"] if self.chunk else []
        parts += ["/".join(Path(self.reranker).parts[-2:])] if self.reranker else []
        return ", ".join(parts)

    def opener(self) -> Opener:
        """What opens the memory that this setting searches."""
        if self.reranker is None or self.way != "reranked":
            return SYSTEMS[self.way]
        reranker = CrossEncoderReranker(self.reranker)
        return lambda folder, conversation, embedder: Fused(
            folder, conversation, embedder, reranker
        )


def sweep(
    corpus: Iterable[Conversation],
    settings: Sequence[Setting],
    *,
    cache: Path,
    embedders: dict[str, Embedder] | None = None,
    progress: bool = True,
) -> DataFrame:
    """Replay every conversation with every setting; return one row a setting and question.

    Args:
        cache: keeps embeddings and finished conversations; a run that was stopped goes on there.
        embedders: loaded embedders by name, for those that `load_embedder` does not know.
        progress: whether a bar shows how far it is.

    Returns:
        The columns of `measure`, and `setting`, `dataset`, `language` and the setting's own. Its
        `attrs` hold the settings and the code's version.

    Raises:
        EmbedderError: an embedder cannot be loaded.
    """
    conversations = list(corpus)
    pandas = needs("pandas")
    total = sum(len(c.drafts) + len(c.questions) for c in conversations) * len(settings)
    frames: list[DataFrame] = []
    with needs("tqdm").tqdm(total=total, leave=False, mininterval=1, disable=not progress) as bar:
        for setting in settings:
            inner = (embedders or {}).get(setting.embedder) or load_embedder(setting.embedder)
            embedder = CachedEmbedder(inner, cache, window=setting.chunk)
            name = json.dumps(asdict(setting))
            bar.set_description(str(setting))
            for one in conversations:
                found = answers(one, name, setting.opener(), embedder, cache, step=bar.update)
                frame = measure(
                    [_asked(one, q, a) for q, a in zip(one.questions, found, strict=True)]
                )
                marks = {"setting": str(setting), "dataset": one.dataset, "language": one.language}
                frames.append(frame.assign(**marks, **asdict(setting)))
            embedder.close()
    results: DataFrame = pandas.concat(frames, ignore_index=True) if frames else pandas.DataFrame()
    results.attrs = {
        "version": code_version(),
        "settings": [asdict(setting) for setting in settings],
        "data": {one.id: one.digest for one in conversations},
    }
    return results


def _asked(conversation: Conversation, question: Any, answer: Any) -> Asked:
    """By session where the question names sessions, else by record."""
    if question.sessions:
        return by_session(conversation, question, answer.places)
    return by_record(conversation, question, answer.places, answer.current)


def misses(results: DataFrame, measured: str = "hit@5") -> DataFrame:
    """Return the answerable questions that `measured` gives 0, with what was found instead."""
    chosen: Any = results[results["answerable"] & (results[measured] == 0)]
    return chosen[["setting", "conversation", "category", "text", "right", "found"]]


def save(results: DataFrame, path: Path) -> None:
    """Write results with their settings and version: `.parquet`, or `.csv` with a `.json` beside.

    Raises:
        InvalidInput: another ending.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    if path.suffix == ".parquet":
        needs("pyarrow")
        results.to_parquet(path)  # pandas keeps attrs in the file's own metadata
    elif path.suffix == ".csv":
        lists: Any = {name: results[name].map(json.dumps) for name in _lists(results)}
        results.assign(**lists).to_csv(path, index=False)
        path.with_suffix(".json").write_text(json.dumps(results.attrs, indent=1))
    else:
        raise InvalidInput(f"{path.name} ends neither in .parquet nor in .csv.")


def load(path: Path) -> DataFrame:
    """Read what `save` wrote.

    Raises:
        NotFound: there is no such file.
        InvalidInput: it is none that `save` wrote.
    """
    pandas = needs("pandas")
    if not path.is_file():
        raise NotFound(f"There is no file {path}.")
    try:
        if path.suffix == ".parquet":
            results: Any = pandas.read_parquet(path)
            lists: Any = {name: results[name].map(list) for name in _lists(results)}
            return results.assign(**lists)
        results = pandas.read_csv(path)
        results = results.assign(**{n: results[n].map(json.loads) for n in _lists(results)})
        results.attrs = json.loads(path.with_suffix(".json").read_text())
    except (ValueError, OSError) as error:
        raise InvalidInput(f"{path} holds no results that can be read: {error}.") from None
    return results


def _lists(results: DataFrame) -> list[str]:
    return [name for name in ("found", "right") if name in results.columns]
