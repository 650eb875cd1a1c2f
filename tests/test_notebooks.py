"""The notebooks: stored without outputs, run on small settings, their figures not empty."""

import base64
from io import BytesIO
from pathlib import Path
from typing import Any

import nbformat
import pytest
from nbclient import NotebookClient

NOTEBOOKS = sorted((Path(__file__).parent.parent / "notebooks").glob("*.ipynb"))
NAMES = [
    "01_first_memories",
    "02_freshness",
    "03_token_budget",
    "04_recall_quality",
    "05_your_own_memory",
    "06_compare_models",
    "07_study_year",
]


def code(book: Any) -> list[Any]:
    """The notebook's code cells."""
    return [cell for cell in book.cells if cell.cell_type == "code"]


def figures(book: Any) -> list[bytes]:
    """The pictures that a run has drawn."""
    return [
        base64.b64decode(output["data"]["image/png"])
        for cell in code(book)
        for output in cell.outputs
        if "image/png" in output.get("data", {})
    ]


def coloured(picture: bytes) -> int:
    """How many pixels of a picture are neither white nor black nor grey."""
    from matplotlib.image import imread

    pixels = imread(BytesIO(picture), format="png")[..., :3]
    return int(((pixels.max(axis=-1) - pixels.min(axis=-1)) > 0.2).sum())


def test_there_are_the_seven_notebooks() -> None:
    """In the order in which they are read."""
    assert [path.stem for path in NOTEBOOKS] == NAMES


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_is_stored_without_outputs_explains_and_ends_with_a_change(path) -> None:
    """What is in git is what somebody wrote."""
    book = nbformat.read(path, as_version=4)
    nbformat.validate(book)
    for cell in code(book):
        assert cell.outputs == []
        assert cell.execution_count is None
        assert len(cell.source.splitlines()) <= 40, "logic belongs into the library"
    first, *_, change, last = book.cells
    assert first.cell_type == "markdown"
    assert len(first.source.split()) > 40
    assert "## Now change something" in change.source
    assert last.cell_type == "code"


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_runs_top_to_bottom_and_draws(path, tmp_path, monkeypatch) -> None:
    """Without a key, with an empty home: no figure is empty, no cell only prints."""
    monkeypatch.setenv("NOTEBOOK_SMALL", "1")
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.delenv("ASSISTANT_BENCH_DATA", raising=False)
    book = nbformat.read(path, as_version=4)
    place = {"metadata": {"path": str(tmp_path)}}
    NotebookClient(book, timeout=280, kernel_name="python3", resources=place).execute()
    drawn = figures(book)
    assert drawn
    assert all(coloured(picture) > 300 for picture in drawn)
    for cell in code(book):
        kinds = {output.output_type for output in cell.outputs}
        assert kinds != {"stream"}, f"a cell that only prints: {cell.source[:80]}"


def test_the_gallery_shows_what_the_notebooks_draw() -> None:
    """Three figures, each of a tagged cell, in the README; small enough for a repository."""
    tags = {
        tag.removeprefix("figure:")
        for path in NOTEBOOKS
        for cell in nbformat.read(path, as_version=4).cells
        for tag in cell.metadata.get("tags", [])
    }
    folder = NOTEBOOKS[0].parent / "figures"
    readme = (folder.parent.parent / "README.md").read_text()
    assert len(tags) == 3
    assert {path.stem for path in folder.glob("*.png")} == tags
    for name in tags:
        assert f"notebooks/figures/{name}.png" in readme
        assert (folder / f"{name}.png").stat().st_size < 60_000
