"""The token ranks of OpenAI's encodings (MIT), packed, and where tiktoken finds them unpacked.

tiktoken downloads its ranks at first use, which fails offline and behind many firewalls.
"""

from __future__ import annotations

import hashlib
import lzma
import os
import tempfile
import uuid
from importlib.resources import files
from pathlib import Path

from platformdirs import user_cache_path

_RANKS = {
    # encoding: (the SHA-1 of its address, by which tiktoken names the file; the file's SHA-256)
    "o200k_base": (
        "fb374d419588a4632f3f557e76b4b70aebbca790",
        "446a9538cb6c348e3516120d7c08b09f57c36495e2acfffe59a5bf8b0cfb1a2d",
    ),
    "cl100k_base": (
        "9b5ad71b2ce5302211f9c61530b329a4922fc6a4",
        "223921b76ee99bde995b7ff738513eef100fb51d18c93597a113bcffe865b2a7",
    ),
}
NAMES = tuple(_RANKS)
"""The encodings that ship with the package; the first is the one for unknown models."""


def provide(name: str) -> None:
    """Make tiktoken find the ranks of encoding `name` on disk.

    They are unpacked once into the user's cache folder (or a temporary one, where that cannot be
    written). A folder that the user chose, with TIKTOKEN_CACHE_DIR, is left alone.
    """
    ours = (user_cache_path("memory-assistant") / "tiktoken", _temporary())
    chosen = os.environ.get("TIKTOKEN_CACHE_DIR", os.environ.get("DATA_GYM_CACHE_DIR"))
    if chosen is not None and Path(chosen) not in ours:
        return
    for folder in ours:
        try:
            _unpack(name, folder)
        except OSError:
            continue
        os.environ["TIKTOKEN_CACHE_DIR"] = str(folder)
        return


def _temporary() -> Path:
    user = os.getuid() if hasattr(os, "getuid") else os.environ.get("USERNAME", "user")
    return Path(tempfile.gettempdir()) / f"memory-assistant-{user}" / "tiktoken"


def _unpack(name: str, folder: Path) -> None:
    filename, sha256 = _RANKS[name]
    path = folder / filename
    if path.exists() and hashlib.sha256(path.read_bytes()).hexdigest() == sha256:
        return
    folder.mkdir(parents=True, exist_ok=True)
    packed = files(__name__).joinpath(f"{name}.tiktoken.xz").read_bytes()
    # Other processes may read or unpack at this moment: the file appears whole, at once.
    partial = folder / f"{filename}.{uuid.uuid4().hex}"
    try:
        partial.write_bytes(lzma.decompress(packed))
        partial.replace(path)
    finally:
        partial.unlink(missing_ok=True)
