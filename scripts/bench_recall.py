"""Measures how well memory finds what answers a question, against its parts and its peers.

    python scripts/bench_recall.py --data DIR [--dataset NAME …] [--system NAME …] [--json FILE]

Every corpus arrives record by record, with its times; each question is asked of what had arrived
by then. `ours` is `MemoryStore.recall` as shipped. Embeddings and finished conversations are kept
in the cache folder, so that a run that was stopped goes on where it was; a change of the data or
of `memory_store` begins anew. What it is made of is `memory_store.experiments`.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from recall_peers import PEERS, why_not
from recall_plain_chroma import PlainChroma
from tqdm import tqdm

from memory_store.embedding import load_embedder
from memory_store.experiments import CachedEmbedder, load_corpus, measure, summary
from memory_store.experiments.measures import Asked, by_record, by_session
from memory_store.experiments.replay import answers
from memory_store.experiments.systems import Dense, Fused, Lexical, Opener
from memory_store.rerank import CrossEncoderReranker

DATASETS = ("locomo", "beam", "lifebench", "realmem")
UNSESSIONED = ("realmem",)  # its questions name sessions, not records
SYSTEMS: dict[str, Opener] = {
    "ours": Fused,
    "bm25": Lexical,
    "dense": Dense,
    "chroma": PlainChroma,
}
COLUMNS = ("n", "hit@5", "hit@10", "recall@5", "recall@10", "all@10", "ndcg@10")
EXTRA = ("new_above_old", "stale_as_current", "abstained")
BY = ("dataset", "system")


def main() -> int:
    """Run the benchmark; returns the exit code."""
    options = _options()
    folder = Path(options.data)
    missing = [n for n in options.dataset if not (folder / f"{n}.jsonl.gz").is_file()]
    if missing:
        print(f"{folder} holds no {missing[0]}.jsonl.gz; give --data.", file=sys.stderr)
        return 2
    embedder = CachedEmbedder(load_embedder(options.embedder), Path(options.cache))
    results: list[dict[str, Any]] = []
    systems = list(_openers(options))
    for dataset in options.dataset:
        for name, opener in systems:
            for level, asked in _asked(folder, dataset, (name, opener), embedder, options.cache):
                frame = measure(asked).assign(dataset=level, system=name)
                results += summary(frame, by=BY).to_dict("records")
            if options.json:
                Path(options.json).write_text(json.dumps({"results": _rows(results)}, indent=1))
    print(_table(_rows(results)))
    return 0


def _options() -> argparse.Namespace:
    data = os.environ.get("ASSISTANT_BENCH_DATA", "../shared/data")
    known = [*SYSTEMS, "ours-reranked", *PEERS]
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--data", default=data, help="the folder of the data sets")
    parser.add_argument("--dataset", nargs="+", action="extend", choices=DATASETS)
    parser.add_argument("--system", nargs="+", action="extend", choices=known)
    parser.add_argument("--json", help="the file to write the figures to")
    parser.add_argument(
        "--embedder", help="a sentence-transformers model; the default's own if not"
    )
    parser.add_argument("--reranker", help="a cross-encoder's name or path, for ours-reranked")
    parser.add_argument("--cache", default=str(Path(tempfile.gettempdir()) / "bench_recall"))
    options = parser.parse_args()
    options.dataset = options.dataset or list(DATASETS)
    if not options.system:
        options.system = [*SYSTEMS, *(["ours-reranked"] if options.reranker else []), *PEERS]
    return options


def _openers(options: argparse.Namespace) -> Iterator[tuple[str, Opener]]:
    """The systems that can run; the others are named with the reason."""
    for name in options.system:
        reason = why_not(name) if name in PEERS else None
        if name == "ours-reranked" and not options.reranker:
            reason = "give --reranker"
        if reason is not None:
            print(f"{name} is left out: {reason}", file=sys.stderr)
        elif name == "ours-reranked":
            reranker = CrossEncoderReranker(options.reranker)
            yield name, lambda *given, r=reranker: Fused(*given, reranker=r)
        else:
            yield name, {**SYSTEMS, **PEERS}[name]


def _asked(
    folder: Path, dataset: str, system: tuple[str, Opener], embedder: CachedEmbedder, cache: str
) -> Iterator[tuple[str, list[Asked]]]:
    """What a system found in a data set: record by record, and session by session."""
    name, opener = system
    corpus = list(load_corpus(folder / f"{dataset}.jsonl.gz"))
    total = sum(len(one.drafts) + len(one.questions) for one in corpus)
    found: list[Any] = []
    with tqdm(total=total, desc=f"{name} {dataset}", leave=False) as bar:
        for one in corpus:
            given = answers(one, _mark(name), opener, embedder, Path(cache), step=bar.update)
            found += [(one, q, a) for q, a in zip(one.questions, given, strict=True)]
    if dataset not in UNSESSIONED:
        yield dataset, [by_record(one, q, a.places, a.current) for one, q, a in found]
    if dataset in ("locomo", "realmem"):
        yield f"{dataset}-session", [by_session(one, q, a.places) for one, q, a in found]


def _mark(name: str) -> str:
    """Changes when a peer's code here does."""
    digest = hashlib.sha256()
    for path in sorted(Path(__file__).parent.glob("recall_*.py")):
        digest.update(path.read_bytes())
    return f"{name} {digest.hexdigest()[:12]}"


def _rows(measured: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """One row a data set, system and category, with its measures beside each other."""
    rows: dict[tuple[str, ...], dict[str, Any]] = {}
    for one in measured:
        key = {name: one[name] for name in (*BY, "category")}
        row = rows.setdefault(tuple(key.values()), {**key, "n": one["n"]})
        row[one["measure"]] = round(one["mean"], 4)
        row[f"{one['measure']} low, high"] = [round(one["low"], 4), round(one["high"], 4)]
    return list(rows.values())


def _table(results: list[dict[str, Any]]) -> str:
    """The figures as a Markdown table."""
    heads = (*BY, "category", *COLUMNS, *EXTRA)
    lines = ["| " + " | ".join(heads) + " |", "|" + " --- |" * len(heads)]
    for row in results:
        cells = [row.get(head) for head in heads]
        lines.append("| " + " | ".join("–" if c is None else str(c) for c in cells) + " |")
    return "\n".join(lines)


if __name__ == "__main__":
    raise SystemExit(main())
