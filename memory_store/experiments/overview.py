"""A memory at a glance: its chunks as a data frame with topics, a 2-D map, verdicts and twins."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from memory_store.extras import frame, needs
from memory_store.passages import CJK
from memory_store.store import MemoryStore

if TYPE_CHECKING:
    from pandas import DataFrame

TOPICS = 8
"""The most topics that a memory is divided into; a small one has fewer."""

TWINS = 0.95
"""Chunks at least this similar (cosine) say the same."""

_WORDS = re.compile(rf"[a-z][a-z'-]{{2,}}|[{CJK}]+", re.IGNORECASE)


def overview(store: MemoryStore) -> DataFrame:
    """Return one row a chunk, oldest first.

    Columns: id, created, kind, text, subject, copies, verdict, reason, topic (its most telling
    words), x, y (neighbours on the map say similar things), twin (the id of the chunk before it
    that says the same, if one does).

    Raises:
        ExtraMissing: the `notebooks` extra is not installed.
        EmbedderError: the embedder failed on what had no vector yet.
    """
    numpy = needs("numpy")
    store.catch_up()
    chunks = sorted(store.chunks(), key=lambda chunk: (chunk.created_at, chunk.id))
    judged = store.judge([chunk.id for chunk in chunks])
    vectors = _vectors(store)
    table = frame(
        [
            {
                "id": chunk.id,
                "created": chunk.created_at,
                "kind": chunk.kind,
                "text": chunk.text,
                "subject": chunk.subject,
                "copies": chunk.copies,
                "verdict": str(judged[chunk.id].verdict),
                "reason": judged[chunk.id].reason,
            }
            for chunk in chunks
            if chunk.id in judged and chunk.id in vectors
        ]
    )
    if table.empty:
        return table
    points = numpy.stack([vectors[id_] for id_ in table["id"]])
    places = project(points)
    topics = name_topics(table["text"].tolist(), cluster(points))
    columns: Any = {"topic": topics, "x": places[:, 0], "y": places[:, 1]}
    columns["twin"] = twins(table["id"].tolist(), points)
    return table.assign(**columns)


def _vectors(store: MemoryStore) -> dict[str, Any]:
    """The mean vector of each chunk's passages, of length one."""
    numpy = needs("numpy")
    found: dict[str, list[Any]] = {}
    with store.ledger.read() as connection:
        rows = connection.exec_driver_sql(
            "SELECT c.id, v.vector FROM vectors v JOIN passages p ON p.number = v.passage"
            " JOIN chunks c ON c.number = p.chunk WHERE c.owner = ? ORDER BY p.number",
            (store.owner,),
        )
        for id_, vector in rows.tuples():
            found.setdefault(str(id_), []).append(numpy.frombuffer(vector, dtype=numpy.float32))
    means = {id_: numpy.mean(vectors, axis=0) for id_, vectors in found.items()}
    return {id_: mean / max(float(numpy.linalg.norm(mean)), 1e-9) for id_, mean in means.items()}


def cluster(points: Any) -> list[int]:
    """Divide unit vectors into at most `TOPICS` groups (k-means), the largest group first."""
    numpy = needs("numpy")
    groups = max(1, min(TOPICS, len(points) // 5, len(numpy.unique(points, axis=0))))
    means = needs("sklearn.cluster").KMeans(groups, n_init=4, random_state=0)
    with needs("threadpoolctl").threadpool_limits(1):
        fitted = means.fit(points)
    by_size = numpy.argsort(-numpy.bincount(fitted.labels_, minlength=groups), kind="stable")
    rank = {int(label): place for place, label in enumerate(by_size)}
    return [rank[int(label)] for label in fitted.labels_]


def project(points: Any) -> Any:
    """Lay unit vectors out in two dimensions: t-SNE, or the main axes where they are few."""
    numpy = needs("numpy")
    if len(points) < 3:
        return numpy.column_stack([numpy.arange(len(points)), numpy.zeros(len(points))])
    if len(points) < 30:
        return needs("sklearn.decomposition").PCA(2, random_state=0).fit_transform(points)
    manifold = needs("sklearn.manifold")
    perplexity = min(30, len(points) // 4)
    tsne = manifold.TSNE(2, perplexity=perplexity, init="pca", metric="cosine", random_state=0)
    # Threads that spin while they wait took 20 times as long on a busy machine.
    with needs("threadpoolctl").threadpool_limits(1):
        return tsne.fit_transform(points)


def name_topics(texts: Sequence[str], groups: Sequence[int]) -> list[str]:
    """Return each text's topic: a number and the words that set its group apart (TF-IDF)."""
    joined: dict[int, list[str]] = {}
    for text, group in zip(texts, groups, strict=True):
        joined.setdefault(group, []).extend(_terms(text))
    names = _telling(joined)
    return [f"{group + 1}: {names[group]}" for group in groups]


def _telling(words: Mapping[int, list[str]]) -> dict[int, str]:
    texts = needs("sklearn.feature_extraction.text")
    try:
        stop = texts.ENGLISH_STOP_WORDS
        said = [[word for word in some if word not in stop] for some in words.values()]
        counted = texts.TfidfVectorizer(analyzer=list, sublinear_tf=True)
        weights = counted.fit_transform(said).toarray()
    except ValueError:  # no words at all
        return dict.fromkeys(words, "…")
    terms = counted.get_feature_names_out()
    named: dict[int, str] = {}
    for group, row in zip(words, weights, strict=True):
        best = [str(terms[place]) for place in row.argsort()[::-1][:3] if row[place] > 0]
        named[group] = ", ".join(best) or "…"
    return named


def _terms(text: str) -> list[str]:
    """Words of three letters and more, and pairs of Chinese characters."""
    found: list[str] = []
    for word in _WORDS.findall(text.lower()):
        if word[0] >= "\u3040":
            found += [word[at : at + 2] for at in range(len(word) - 1)]
        else:
            found.append(word)
    return found


def twins(ids: Sequence[str], points: Any) -> list[str | None]:
    """For each chunk the most similar one before it, where that says the same."""
    found: list[str | None] = [None]
    for place in range(1, len(ids)):
        near = points[:place] @ points[place]
        best = int(near.argmax())
        found.append(ids[best] if near[best] >= TWINS else None)
    return found[: len(ids)]
