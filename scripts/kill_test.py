"""Kills a writing process at random instants, and checks that nothing acknowledged is lost.

    python scripts/kill_test.py [--kills 200] [--seed 1] [--longest 1.5] [--home DIR]

A child process remembers, recalls, forgets and reindexes, and reports each call that returned. It
is killed (SIGKILL) at a random time. The next process opens the same home and checks: everything
acknowledged is there and is found by its vector, nothing is there twice, nothing forgotten is
back. At the end the whole home is verified.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import os
import random
import signal
import sys
import tempfile
import time
from dataclasses import dataclass, field
from multiprocessing.connection import Connection
from pathlib import Path

from memory_store import Draft, MemoryStore
from memory_store.index import import_chromadb
from memory_store.testing import TinyEmbedder

FORK = multiprocessing.get_context("fork")


@dataclass
class Outcome:
    """What was acknowledged, and what was found to be wrong."""

    kills: int = 0
    kept: dict[str, str] = field(default_factory=dict)
    gone: set[str] = field(default_factory=set)
    problems: list[str] = field(default_factory=list)


def work(home: Path, seed: int, mine: list[str], pipe: Connection) -> None:
    """Use the memory until killed, reporting each call that has returned.

    Args:
        mine: ids that earlier ones stored, of which some are forgotten from the start.
    """
    chance = random.Random(seed)
    with MemoryStore.open(home, embedder=TinyEmbedder()) as store:
        pipe.send(("open", []))
        for turn in range(10_000):
            what = chance.random()
            if what < 0.25 and mine:
                victim = mine.pop(chance.randrange(len(mine)))
                pipe.send(("forgetting", [victim]))
                store.forget(ids=[victim])
                pipe.send(("forgot", [victim]))
            elif what < 0.3:
                store.recall(f"call {chance.random()}", budget=500)
            elif what < 0.32:
                store.reindex()
            else:
                size = chance.choice([1, 1, 2, 7, 40, 130])
                texts = [f"call {seed} {turn} {n} says {chance.random()}" for n in range(size)]
                chunks = store.remember([Draft("note", text) for text in texts])
                mine += [chunk.id for chunk in chunks]
                pipe.send(("kept", [(chunk.id, chunk.text) for chunk in chunks]))


def check(home: Path, kept: dict[str, str], gone: set[str], sample: int, pipe: Connection) -> None:
    """Open the home as the next process does, and report what is wrong with it."""
    problems: list[str] = []
    with MemoryStore.open(home, embedder=TinyEmbedder()) as store:
        chunks = store.chunks()
        texts = [chunk.text for chunk in chunks]
        here = {chunk.id: chunk.text for chunk in chunks}
        problems += [f"lost: {id_}" for id_, text in kept.items() if here.get(id_) != text]
        problems += [f"came back: {id_}" for id_ in gone if id_ in here]
        if len(set(texts)) != len(texts):
            problems.append(f"{len(texts) - len(set(texts))} texts are stored twice")
        store.catch_up()
        some = random.Random(len(kept)).sample(sorted(kept.items()), min(sample, len(kept)))
        for id_, text in some:
            vector = store.embedder.embed([text])[0]
            number, score = store.dense.search(vector, 1)[0]
            if score < 0.999:
                problems.append(f"unseen: {id_} ({number}, {score:.3f})")
        checked = store.verify()
        problems += checked.problems
        if checked.indexed != checked.passages:
            problems.append(f"{checked.indexed} of {checked.passages} passages are indexed")
    pipe.send(problems)


def run(home: Path, kills: int, seed: int, longest: float = 1.5) -> Outcome:
    """Kill a worker `kills` times and check after each."""
    chance = random.Random(seed)
    outcome = Outcome()
    for number in range(kills):
        here, there = FORK.Pipe(duplex=False)
        some = chance.sample(sorted(outcome.kept), min(9, len(outcome.kept)))
        worker = FORK.Process(target=work, args=(home, seed * 100_000 + number, some, there))
        worker.start()
        there.close()
        here.recv()
        time.sleep(chance.random() ** 2 * longest)
        os.kill(worker.pid, signal.SIGKILL)
        worker.join()
        outcome.kills += 1
        _take(here, outcome)
        outcome.problems += [f"after kill {number + 1}: {each}" for each in _checked(home, outcome)]
    return outcome


def _take(pipe: Connection, outcome: Outcome) -> None:
    try:
        while pipe.poll():
            what, values = pipe.recv()
            if what == "kept":
                outcome.kept.update(values)
            for value in values if what in ("forgetting", "forgot") else ():
                outcome.kept.pop(value, None)
                if what == "forgot":
                    outcome.gone.add(value)
    except (EOFError, OSError):  # the pipe broke off within a message: it was not acknowledged
        return


def _checked(home: Path, outcome: Outcome) -> list[str]:
    here, there = FORK.Pipe(duplex=False)
    checker = FORK.Process(target=check, args=(home, outcome.kept, outcome.gone, 50, there))
    checker.start()
    there.close()
    try:
        return here.recv()
    except EOFError:
        return ["the check itself failed"]
    finally:
        checker.join()


def main() -> int:
    """Run from the command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--kills", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--longest", type=float, default=1.5, help="seconds until a kill")
    parser.add_argument("--home", type=Path, help="an empty folder; a temporary one if left out")
    options = parser.parse_args()
    import_chromadb()  # loaded once, before the workers are forked
    import chromadb.api.rust  # noqa: F401  the same

    import memory_store.recall  # noqa: F401  the same

    with tempfile.TemporaryDirectory() as temporary:
        outcome = run(options.home or Path(temporary), options.kills, options.seed, options.longest)
    result = {
        "kills": outcome.kills,
        "acknowledged": len(outcome.kept) + len(outcome.gone),
        "forgotten": len(outcome.gone),
        "problems": outcome.problems,
    }
    print(json.dumps(result, indent=2))
    return 1 if outcome.problems else 0


if __name__ == "__main__":
    sys.exit(main())
