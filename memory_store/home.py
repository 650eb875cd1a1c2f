"""The home folder: one user's files, which nobody else may read."""

from __future__ import annotations

from pathlib import Path

from memory_store.errors import StorageFull


def make_private(home: Path) -> None:
    """Create the folder, readable by its user alone; one that exists is left as it is.

    Raises:
        StorageFull: it is a file, or it cannot be made.
    """
    try:
        if not home.is_dir():
            home.mkdir(parents=True, mode=0o700)
    except OSError as error:
        raise StorageFull(f"{home} cannot be used as a folder: {error.strerror}.") from error
