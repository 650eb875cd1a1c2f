"""`assistant memory map` and `timeline`: the notebook's pictures from the command line."""

import json
import sys
from pathlib import Path

import pytest

from assistant.app import App
from assistant.cli.main import main
from assistant.settings import Settings
from memory_store import Draft


def told(*texts: str) -> None:
    """Remember some texts in the home."""
    with App.open(Settings.load()) as app:
        app.store.remember([Draft("note", text) for text in texts])


@pytest.mark.parametrize("which", ["map", "timeline"])
def test_a_picture_is_written_as_png_and_as_a_page(which, tmp_path, capsys) -> None:
    """The page holds the picture and the memories, escaped, in any language."""
    told("The bike is <b>blue</b>.", "自行车是蓝色的。", "Tea at five.")
    png, page = tmp_path / "memory.png", tmp_path / "memory.html"
    assert main(["memory", which, str(png)]) == 0
    assert "3 memories" in capsys.readouterr().out
    assert png.read_bytes().startswith(b"\x89PNG")
    assert main(["memory", which, str(page), "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == {"file": str(page), "memories": 3}
    text = page.read_text(encoding="utf-8")
    assert "data:image/png;base64," in text
    assert "&lt;b&gt;blue" in text
    assert "<b>blue" not in text
    assert "自行车" in text


@pytest.mark.parametrize(
    ("file", "says"),
    [
        ("memory.gif", ".html"),
        ("nowhere/memory.png", "no folder"),
        (".", ".html"),
    ],
)
def test_a_file_that_will_not_do_is_refused(file, says, tmp_path, capsys) -> None:
    """Exit 2, before anything is embedded or drawn."""
    told("Tea at five.")
    assert main(["memory", "map", str(tmp_path / file)]) == 2
    assert says in capsys.readouterr().err


def test_an_empty_memory_has_no_picture(tmp_path, capsys) -> None:
    """It says what to do, and writes nothing."""
    file: Path = tmp_path / "memory.png"
    assert main(["memory", "timeline", str(file)]) == 2
    assert "nothing is remembered yet" in capsys.readouterr().err
    assert not file.exists()


def test_without_the_extra_it_says_what_to_install(tmp_path, monkeypatch, capsys) -> None:
    """A plain installation has no pandas; everything else works there."""
    told("Tea at five.")
    monkeypatch.setitem(sys.modules, "pandas", None)
    assert main(["memory", "map", str(tmp_path / "memory.png")]) == 2
    assert "memory-assistant[notebooks]" in capsys.readouterr().err
