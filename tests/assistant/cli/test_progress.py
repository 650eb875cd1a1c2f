"""What takes long is said on standard error, also where it is no terminal."""

import time

import pytest

from assistant.cli import progress


def test_off_a_terminal_lines_say_what_takes_long_and_how_far_it_is(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """One line when it takes long, then more while it goes on; what is quick says nothing."""
    monkeypatch.setattr(progress, "PATIENCE", 0.01)
    monkeypatch.setattr(progress, "AGAIN", 0.02)
    waiter = progress.Waiter()
    said = ""
    with waiter.waiting("Loading") as update:
        update(1, 4)
        while said.count("Loading … 25%") < 3:
            time.sleep(0.01)
            said += capsys.readouterr().err
    monkeypatch.setattr(progress, "PATIENCE", 60)
    with waiter.waiting("Thinking"):
        pass
    assert "Thinking" not in capsys.readouterr().err
