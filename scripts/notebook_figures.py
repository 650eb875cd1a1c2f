"""Runs the notebooks whose figures stand in the README, and writes them to notebooks/figures.

    scripts/notebooks --figures

A cell with the tag `figure:NAME` gives `NAME.png`. The memory that is shown is the demonstration.
"""

from __future__ import annotations

import base64
import os
import sys
import tempfile
from pathlib import Path

import nbformat
from nbclient import NotebookClient

NOTEBOOKS = Path(__file__).parent.parent / "notebooks"


def main() -> int:
    """Write every tagged figure."""
    folder = NOTEBOOKS / "figures"
    folder.mkdir(exist_ok=True)
    for path in sorted(NOTEBOOKS.glob("*.ipynb")):
        book = nbformat.read(path, as_version=4)
        tags = {name: cell for cell in book.cells for name in tagged(cell)}
        if not tags:
            continue
        with tempfile.TemporaryDirectory() as home:
            os.environ["ASSISTANT_HOME"] = str(Path(home) / "none")
            place = {"metadata": {"path": home}}
            NotebookClient(book, timeout=900, kernel_name="python3", resources=place).execute()
        for name, cell in tags.items():
            picture = next(
                output["data"]["image/png"]
                for output in cell["outputs"]
                if "image/png" in output.get("data", {})
            )
            (folder / f"{name}.png").write_bytes(base64.b64decode(picture))
            print(folder / f"{name}.png")
    return 0


def tagged(cell: nbformat.NotebookNode) -> list[str]:
    """The names of a cell's figures."""
    tags = cell["metadata"].get("tags", [])
    return [tag.removeprefix("figure:") for tag in tags if tag.startswith("figure:")]


if __name__ == "__main__":
    sys.exit(main())
