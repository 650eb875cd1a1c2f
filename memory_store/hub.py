"""Models by name: from this machine where the Hugging Face hub cannot be reached."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from memory_store.errors import EmbedderError

PATIENCE = 5.0
"""Seconds that the hub gets to answer; by itself the library asks it for a minute and a half."""

Model = TypeVar("Model")


def load_named(name: str, load: Callable[[bool], Model], what: str) -> Model:
    """Return what `load(local_files_only)` makes of a model's name, or of a folder.

    Args:
        what: what the model is, for messages, such as `embedder`.

    Raises:
        EmbedderError: it cannot be loaded, or it is not on this machine and the hub out of reach.
    """
    try:
        path = Path(name)
        away = "" if path.is_absolute() or path.exists() else _hub_out_of_reach()
        try:
            return load(bool(away))
        except Exception as error:
            reason = f"it is not on this machine, and {away}" if away else error
            raise EmbedderError(
                f"The {what} {name!r} cannot be loaded: {reason}. Give one that is on this"
                " machine, by name or path, or leave it unset."
            ) from error
    except ImportError as error:
        raise EmbedderError(
            f"The {what} {name!r} needs 'pip install sentence-transformers': {error}."
        ) from error


def _hub_out_of_reach() -> str:
    """Say why the hub cannot be asked, empty where it can; its proxy and mirror are the user's."""
    from huggingface_hub import constants
    from huggingface_hub.utils import get_session

    try:
        get_session().head(constants.ENDPOINT, timeout=PATIENCE)
    except Exception as error:  # httpx's or requests', by version; also the user's offline mode
        return f"{constants.ENDPOINT} cannot be reached ({error})"
    return ""
