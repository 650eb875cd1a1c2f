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


def test_ctrl_c_while_a_bar_is_taken_away_leaves_no_bar(monkeypatch: pytest.MonkeyPatch) -> None:
    """It is taken away all the same, and the next wait is not one within it."""
    done: list[str] = []

    class Bar:
        def __init__(self, what: str) -> None:
            done.append(f"{what} shown")

        def update(self, _done: int, _total: int) -> None:
            pass

        def stop(self) -> None:
            done.append("stopped")
            if done.count("stopped") == 1:
                raise KeyboardInterrupt

    monkeypatch.setattr(progress, "_Bar", Bar)
    monkeypatch.setattr(progress, "PATIENCE", 0.0)
    monkeypatch.setattr("sys.stderr.isatty", lambda: True)
    waiter = progress.Waiter()

    def wait_for_the_bar() -> None:
        with waiter.waiting("Thinking"):
            while not done:
                time.sleep(0.01)

    with pytest.raises(KeyboardInterrupt):
        wait_for_the_bar()
    assert done == ["Thinking shown", "stopped", "stopped"]
    monkeypatch.setattr(progress, "PATIENCE", 60)
    with waiter.waiting("Tidying up"):
        pass
    assert waiter._innermost is None
