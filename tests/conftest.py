"""What every test stands on: a home of its own, and none of the developer's settings."""

import os
from pathlib import Path

import pytest


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home in a temporary folder; no test reads or writes the developer's."""
    for name in list(os.environ):
        if name.startswith(("ASSISTANT_", "OPENAI_")) and name != "ASSISTANT_BENCH_DATA":
            monkeypatch.delenv(name)
    folder = tmp_path / "home"
    monkeypatch.setenv("ASSISTANT_HOME", str(folder))
    return folder
