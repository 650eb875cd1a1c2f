"""Measures how well memory finds what answers a question, against its parts and its peers.

    python scripts/bench_recall.py --data DIR [--dataset NAME …] [--system NAME …] [--json FILE]

Every corpus arrives record by record, with its times; each question is asked of what had arrived
by then. `ours` is `MemoryStore.recall` as shipped. Embeddings and finished conversations are kept
in the cache folder, so that a run that was stopped goes on where it was; a change of the data or
of `memory_store` begins anew.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

from recall_corpora import DATASETS, Conversation, load
from recall_embedding import CachedEmbedder
from recall_measures import UNSESSIONED, Asked, Row, by_record, by_session, rows
from recall_peers import PEERS, why_not
from recall_systems import SYSTEMS, Answer, Opener, Ours, emptied
from tqdm import tqdm

from memory_store.embedding import load_embedder
from memory_store.rerank import CrossEncoderReranker

COLUMNS = ("n", "hit@5", "hit@10", "recall@5", "recall@10", "all@10", "ndcg@10")
EXTRA = ("new_above_old", "stale_as_current", "abstained")


def main() -> int:
    """Run the benchmark; returns the exit code."""
    options = _options()
    folder = Path(options.data)
    missing = [n for n in options.dataset if not (folder / f"{n}.jsonl.gz").is_file()]
    if missing:
        print(f"{folder} holds no {missing[0]}.jsonl.gz; give --data.", file=sys.stderr)
        return 2
    cache = Path(options.cache)
    results: list[Row] = []
    systems = list(_openers(options))
    for dataset in options.dataset:
        for name, opener in systems:
            asked = _run(folder, dataset, (name, opener), options.embedder, cache)
            results += _rows(dataset, name, asked)
            if options.json:
                Path(options.json).write_text(json.dumps({"results": results}, indent=1))
    print(_table(results))
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
            yield name, lambda *given, r=reranker: Ours(*given, reranker=r)
        else:
            yield name, {**SYSTEMS, **PEERS}[name]


def _run(
    folder: Path, dataset: str, system: tuple[str, Opener], embedder: str | None, cache: Path
) -> list[tuple[Conversation, list[Answer]]]:
    name, opener = system
    cached = CachedEmbedder(load_embedder(embedder), cache)
    mark = _digest(folder / f"{dataset}.jsonl.gz", cached.fingerprint)
    done: list[tuple[Conversation, list[Answer]]] = []
    for conversation in load(folder, dataset):
        kept = cache / "answers" / f"{name}-{dataset}-{conversation.id}-{mark}.json"
        if not kept.exists():
            answers = _ask_all(conversation, name, opener, cached, cache / "stores")
            kept.parent.mkdir(parents=True, exist_ok=True)
            written = kept.with_suffix(".part")
            written.write_text(
                json.dumps([[a.places, sorted(a.current), a.confidence] for a in answers])
            )
            written.rename(kept)
        found = json.loads(kept.read_text())
        done.append((conversation, [Answer(p, frozenset(c), s) for p, c, s in found]))
    return done


def _ask_all(
    conversation: Conversation, name: str, opener: Opener, embedder: CachedEmbedder, stores: Path
) -> list[Answer]:
    """Let the records arrive, and ask each question when its time has come."""
    folder = emptied(stores / name / conversation.id)
    system = opener(folder, conversation, embedder)
    answers: dict[str, Answer] = {}
    arrived = 0
    title = f"{name} {conversation.dataset} {conversation.id}"
    total = len(conversation.drafts) + len(conversation.questions)
    try:
        with tqdm(total=total, desc=title, leave=False) as bar:
            for question in sorted(conversation.questions, key=lambda q: q.before):
                while arrived < question.before:
                    upto = min(arrived + 200, question.before)
                    system.add(conversation.drafts[arrived:upto])
                    bar.update(upto - arrived)
                    arrived = upto
                answers[question.id] = system.ask(question) if arrived else Answer([])
                bar.update(1)
    finally:
        system.close()
        emptied(folder)
    return [answers[question.id] for question in conversation.questions]


def _rows(
    dataset: str, name: str, done: Sequence[tuple[Conversation, list[Answer]]]
) -> Iterator[Row]:
    records: list[Asked] = []
    sessions: list[Asked] = []
    for conversation, answers in done:
        for question, answer in zip(conversation.questions, answers, strict=True):
            records.append(by_record(conversation, question, answer.places, answer.current))
            sessions.append(by_session(conversation, question, answer.places))
    if dataset not in UNSESSIONED:
        yield from rows(dataset, name, records)
    if dataset in ("locomo", "realmem"):
        yield from rows(f"{dataset}-session", name, sessions)


def _digest(data: Path, fingerprint: str) -> str:
    """Changes when the data, the embedder or the code under test does."""
    digest = hashlib.sha256(fingerprint.encode())
    here = Path(__file__).parent
    sources = sorted([*(here.parent / "memory_store").glob("*.py"), *here.glob("recall_*.py")])
    for path in [data, *sources]:
        digest.update(path.read_bytes())
    return digest.hexdigest()[:12]


def _table(results: Sequence[Row]) -> str:
    """The figures as a Markdown table."""
    heads = ("dataset", "system", "category", *COLUMNS, *EXTRA)
    lines = ["| " + " | ".join(heads) + " |", "|" + " --- |" * len(heads)]
    for row in results:
        cells = [row[head] for head in heads]
        lines.append("| " + " | ".join("–" if c is None else str(c) for c in cells) + " |")
    return "\n".join(lines)


if __name__ == "__main__":
    raise SystemExit(main())
