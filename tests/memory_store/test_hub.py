"""Models by name, with the hub in reach and out of it."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from http.server import HTTPServer, SimpleHTTPRequestHandler
from pathlib import Path

import pytest
from huggingface_hub import constants

from memory_store.errors import EmbedderError
from memory_store.hub import load_named


@pytest.fixture
def hub(monkeypatch: pytest.MonkeyPatch) -> Iterator[HTTPServer]:
    """A server that answers in the hub's place."""
    server = HTTPServer(("127.0.0.1", 0), SimpleHTTPRequestHandler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    monkeypatch.setattr(constants, "ENDPOINT", f"http://127.0.0.1:{server.server_port}")
    yield server
    server.shutdown()
    server.server_close()


def local_only(wanted: bool) -> str:
    """A model that tells how it was loaded."""
    return str(wanted)


def test_with_the_hub_in_reach_a_name_is_loaded_as_ever(hub: HTTPServer) -> None:
    """Its cache and its updates are the library's."""
    assert load_named("org/model", local_only, "embedder") == "False"


def test_out_of_reach_it_is_taken_from_this_machine_or_refused_at_once(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """What was fetched earlier still loads; what was not is named, with the reason. A folder needs
    no hub."""
    monkeypatch.setattr(constants, "ENDPOINT", "http://127.0.0.1:9")
    assert load_named("org/model", local_only, "embedder") == "True"
    folder = str(tmp_path)
    assert load_named(folder, local_only, "embedder") == "False"

    def missing(_local: bool) -> None:
        raise OSError("not in the cache")

    with pytest.raises(EmbedderError, match=r"'org/model'.*127.0.0.1:9 cannot be reached"):
        load_named("org/model", missing, "embedder")
