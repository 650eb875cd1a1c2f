"""Forks a process for each command of the program, with what is slow to load in memory already.

Each line of standard input is a command; its exit code is printed when its process has ended. That
process has its own environment, standard streams and end, as one that was started from a shell.
"""

import gc
import json
import os
import sys
import time
from functools import cache
from importlib import import_module
from pathlib import Path
from pkgutil import walk_packages

import assistant
from assistant.cli.main import main
from assistant.context.tokens import Counter
from memory_store import embedding, index


def serve() -> None:
    """Run one command after the other, until there are no more."""
    load()
    for line in sys.stdin:
        child = os.fork()
        if child == 0:
            sys.exit(run(**json.loads(line)))
        print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)


def load() -> None:
    """Import everything, and read the files of the default embedder and of the token counter."""
    index.import_chromadb()
    for name in ("chromadb.api.rust", "openai", "prompt_toolkit", "rich"):
        import_module(name)
    for module in walk_packages(assistant.__path__, "assistant."):
        if not module.name.endswith("__main__"):
            import_module(module.name)
    embedding._load_use = cache(embedding._load_use)
    embedding._load_use()
    Counter("scripted").count("")
    gc.collect()
    gc.freeze()  # a process that looks at all this at its end would copy it


def run(arguments: list[str], environment: dict[str, str], streams: list[str]) -> int:
    """Be the program, reading and writing these files."""
    os.environ.clear()
    os.environ.update(environment)
    time.tzset()
    for number, (file, mode) in enumerate(zip(streams, "rww", strict=True)):
        os.dup2(os.open(file, os.O_RDONLY if mode == "r" else os.O_WRONLY | os.O_CREAT), number)
    sys.stdin, sys.stdout, sys.stderr = (
        os.fdopen(number, mode, encoding="utf-8", closefd=False)
        for number, mode in enumerate("rww")
    )
    return main(arguments)


if __name__ == "__main__":
    sys.path.remove(str(Path(__file__).parent))
    serve()
