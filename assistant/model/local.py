"""A GGUF model served in this process, on loopback, and the client on it."""

from __future__ import annotations

import atexit
import os
import secrets
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from assistant.errors import LocalModelUnavailable
from assistant.model.chat_model import ModelReply, ModelRequest
from assistant.model.client import OpenAIChatModel
from assistant.phrases import phrase
from memory_store.protocols import Progress

CONTEXT_TOKENS = 8192
"""Context of a local model where none is set; a larger one costs memory (28 kB a token)."""

PROMPT_CACHE_MB = 256
SILENCE_SECONDS = 900.0
"""A long prompt on a slow machine: the server says nothing until it has read it."""


class LocalChatModel:
    """`ChatModel` over a GGUF file, by xllamacpp's server in this process.

    It answers one request at a time, others wait; it reuses the prompt's prefix that it read last.
    Nothing is written to standard output or error.

    Attributes:
        name: the file's name without its ending.
        address: `local`; with `name`, what the model is known by.
        context_tokens: the model's context here.
    """

    address = "local"

    def __init__(
        self,
        path: Path,
        *,
        context_tokens: int = CONTEXT_TOKENS,
        threads: int | None = None,
        progress: Progress | None = None,
    ) -> None:
        """Load the model; this takes seconds.

        Args:
            threads: None means as many as this machine has to spare.
            progress: told the bytes that were read from the disk, of all.

        Raises:
            LocalModelUnavailable: xllamacpp is missing, or the file cannot be loaded.
        """
        self.name = path.stem
        self.context_tokens = context_tokens
        _check_magic(path)
        # The native load holds the interpreter; reading the file first shows how far it is, and
        # Ctrl-C works meanwhile.
        _read_through(path, progress)
        key = secrets.token_hex(16)  # other programs and web pages on this machine stay out
        self._server: Any = _serve(path, self.name, context_tokens, threads or _threads(), key)
        self._client = OpenAIChatModel(
            self.name,
            base_url=f"{self._server.listening_address}/v1",
            api_key=key,
            address=self.address,
            extra={"cache_prompt": True},
            silence_seconds=SILENCE_SECONDS,
        )
        atexit.register(self.close)

    def __repr__(self) -> str:
        return f"LocalChatModel(name={self.name!r}, context_tokens={self.context_tokens})"

    def complete(self, request: ModelRequest) -> Iterator[str | ModelReply]:
        """See `OpenAIChatModel.complete`."""
        return self._client.complete(request)

    def names(self) -> list[str]:
        """The one model there is."""
        return [self.name]

    def close(self) -> None:
        """Stop the server and free the model's memory."""
        self._client.close()
        self._server = None
        atexit.unregister(self.close)


def _serve(path: Path, name: str, context_tokens: int, threads: int, key: str) -> Any:
    try:
        import xllamacpp
    except ImportError:
        hint = phrase("model.no_xllamacpp_hint")
        raise LocalModelUnavailable(phrase("model.no_xllamacpp"), hint=hint) from None
    native: Any = xllamacpp
    params = native.CommonParams()
    params.model.path = str(path)
    params.model_alias = {name}
    params.hostnames = ["127.0.0.1"]
    params.port = 0
    params.api_keys = [key]
    params.n_ctx = context_tokens
    params.n_parallel = 1
    params.cpuparams.n_threads = threads
    params.cpuparams_batch.n_threads = threads
    params.cpuparams.poll = params.cpuparams_batch.poll = 0  # idle threads sleep
    params.cache_ram_mib = PROMPT_CACHE_MB
    params.fit_params = False  # no trial loads
    params.warmup = False
    params.ui = False
    params.verbosity = -1  # native logs would stand among our own output
    try:
        return native.Server(params)
    except RuntimeError:
        hint = phrase("model.not_loaded_hint")
        raise LocalModelUnavailable(phrase("model.not_loaded", path=path), hint=hint) from None


def _threads() -> int:
    """Half of the processors, from 2 to 8; one on a machine that is busy with other work.

    The threads wait for each other several hundred times a token: where they must share the
    processors, two were measured five times slower than one.
    """
    processors = _processors()
    if hasattr(os, "getloadavg") and os.getloadavg()[0] > 2 * processors:
        return 1
    return min(8, max(min(2, processors), processors // 2))


def _processors() -> int:
    """How many this process may use: its affinity, and its container's share (cgroup v2)."""
    affinity = getattr(os, "sched_getaffinity", None)
    count = len(affinity(0)) if affinity is not None else os.cpu_count() or 1
    try:
        quota, period = Path("/sys/fs/cgroup/cpu.max").read_text(encoding="ascii").split()
        return max(1, min(count, int(quota) // int(period)))
    except (OSError, ValueError):  # no cgroup, or no quota: "max"
        return count


def _check_magic(path: Path) -> None:
    try:
        with path.open("rb") as file:
            magic = file.read(4)
    except OSError as error:
        said = phrase("model.unreadable", path=path, problem=error.strerror)
        raise LocalModelUnavailable(said, hint=phrase("model.gguf_hint")) from None
    if magic != b"GGUF":
        said = phrase("model.not_gguf", path=path)
        raise LocalModelUnavailable(said, hint=phrase("model.gguf_hint"))


def _read_through(path: Path, progress: Progress | None) -> None:
    """Bring the file into the system's cache."""
    total = path.stat().st_size
    done = 0
    buffer = bytearray(16 * 1024 * 1024)
    with path.open("rb", buffering=0) as file:
        while read := file.readinto(buffer):
            done += read
            if progress is not None:
                progress(done, total)
