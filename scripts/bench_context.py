"""Measures the budget manager: evidence kept, tokens over time, the bound, overhead, prefix.

python scripts/bench_context.py --data DIR [--json FILE] [--plot FILE]
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from context_figures import over_bound, prefix_shares, prepare_ratios

from assistant.experiments.context_replay import (
    LIMITS,
    WAYS,
    Kept,
    measure,
    questions,
    replayed,
)
from memory_store.embedding import load_embedder
from memory_store.experiments import CachedEmbedder
from memory_store.experiments.corpora import read_rows

DATASETS = ("locomo", "beam", "lifebench")


def main() -> int:
    """Measure, print the tables, and write the JSON and the plot."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True, help="the folder of *.jsonl.gz")
    parser.add_argument("--json", type=Path, help="write the figures here")
    parser.add_argument("--plot", type=Path, default=Path("bench_context.png"))
    parser.add_argument("--only", help="measure this data set only")
    parser.add_argument("--limit", type=int, nargs="+", default=LIMITS, help="limits, in tokens")
    parser.add_argument("--cache", default=Path(tempfile.gettempdir()) / "bench_recall", type=Path)
    parser.add_argument("--questions", type=int, help="at most so many a conversation")
    parser.add_argument("--histories", type=int, default=10_000, help="random histories")
    options = parser.parse_args()
    kept, tokens, seconds = replay_all(options)
    shares = {
        name: {str(limit): k.shares() for limit, k in by.items()} for name, by in kept.items()
    }
    main_set = "locomo" if "locomo" in shares else next(iter(shares), "")
    prefix, naive = prefix_shares(options.data)
    ratios = prepare_ratios()
    beyond = sum(k.over_bound for by in kept.values() for k in by.values())
    figures = {
        "evidence_in_context": shares.get(main_set, {}),
        "over_bound": beyond + over_bound(options.histories),
        "prepare_ratio_5000_to_100": round(ratios[5_000] / ratios[100], 3),
        "prefix_share": round(prefix, 4),
        "prefix_share_naive": round(naive, 4),
        "by_dataset": shares,
        "prepare_ratios": {str(turns): round(ratio, 3) for turns, ratio in ratios.items()},
        "seconds": round(seconds, 1),
    }
    show(figures)
    if options.json:
        options.json.write_text(json.dumps(figures, indent=1))
    plot(tokens, options.plot)
    return 0


def replay_all(
    options: argparse.Namespace,
) -> tuple[dict[str, dict[int, Kept]], dict[int, list[tuple[int, int]]], float]:
    """Replay every conversation at every limit; keep the longest one's tokens over time."""
    started = time.monotonic()
    kept: dict[str, dict[int, Kept]] = {}
    tokens: dict[int, list[tuple[int, int]]] = {}
    embedder = CachedEmbedder(load_embedder(), options.cache)
    for name in DATASETS:
        path = options.data / f"{name}.jsonl.gz"
        if not path.exists() or (options.only and options.only != name):
            continue
        kept[name] = {limit: Kept() for limit in options.limit}
        for conversation in read_rows(path):
            asked = _spread(questions(conversation), options.questions)
            with replayed(conversation, embedder) as replay:
                for limit in options.limit:
                    session, contexts = replay.replay(limit)
                    over_time = [(turn, context.tokens) for turn, context in contexts]
                    measure(replay, asked, limit, session, kept[name][limit])
                    if len(over_time) > len(tokens.get(limit, ())):
                        tokens[limit] = over_time
                _full(replay, tokens)
            print(f"{name} {conversation['id']}: {len(asked)} questions", file=sys.stderr)
    return kept, tokens, time.monotonic() - started


def _spread(asked: list[Any], most: int | None) -> list[Any]:
    """Return at most so many, spread over all: data sets are ordered by kind of question."""
    return asked if most is None else asked[:: max(-(-len(asked) // most), 1)]


def _full(replay: Any, tokens: dict[int, list[tuple[int, int]]]) -> None:
    """Add the whole history's tokens (limit 0) and the last 20 turns' (limit -1)."""
    if len(replay.turns) <= len(tokens.get(0, ())) * 25:
        return
    sizes = [
        replay.counter.count(turn.question) + replay.counter.count(turn.answer) + 10
        for turn in replay.turns[-5_000:]
    ]
    points = range(0, len(sizes), 25)
    tokens[0] = [(at + 1, sum(sizes[: at + 1])) for at in points]
    tokens[-1] = [(at + 1, sum(sizes[max(at - 19, 0) : at + 1])) for at in points]


def show(figures: dict[str, Any]) -> None:
    """Print the figures as tables."""
    for name, by_limit in figures["by_dataset"].items():
        print(f"\n{name}: share of questions with evidence in the context")
        print("limit".rjust(8), *(way.rjust(15) for way in WAYS))
        for limit, shares in by_limit.items():
            print(limit.rjust(8), *(f"{shares[way]:.3f}".rjust(15) for way in WAYS))
    print("\nprepare / counting once, by turns:", figures["prepare_ratios"])
    for name in (
        "prepare_ratio_5000_to_100",
        "prefix_share",
        "prefix_share_naive",
        "over_bound",
        "seconds",
    ):
        print(f"{name}: {figures[name]}")


def plot(tokens: dict[int, list[tuple[int, int]]], path: Path) -> None:
    """Draw the tokens of a request over the longest conversation."""
    import matplotlib as mpl

    mpl.use("Agg")
    from matplotlib import pyplot

    names = {0: "full history", -1: "last 20 turns"}
    figure, axes = pyplot.subplots(figsize=(8, 5))
    for limit, points in tokens.items():
        axes.plot(*zip(*points, strict=True), label=names.get(limit, f"ours, limit {limit:,}"))
    axes.set(xlabel="turn", ylabel="tokens of the request", yscale="log")
    axes.legend()
    figure.savefig(path, dpi=120)


if __name__ == "__main__":
    sys.exit(main())
