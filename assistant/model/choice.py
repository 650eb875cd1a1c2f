"""Which model answers: one on this machine or one behind an address, built when first asked."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Protocol

from assistant.errors import LocalModelUnavailable
from assistant.model.chat_model import ChatModel, ModelReply, ModelRequest
from assistant.phrases import Phrase, phrase
from memory_store.protocols import Progress

if TYPE_CHECKING:
    from assistant.settings import Settings

OPENAI_DEFAULT = "gpt-4.1-mini"
"""The model where there is a key and no name."""

SERVER_DEFAULT = "default"
"""The name sent to another server where none is set: those with one model take any name."""


class ListedModel(ChatModel, Protocol):
    """A model whose server can say which models it has."""

    def names(self) -> list[str]:
        """Return the names of the models at the server."""
        ...


class DeferredModel:
    """A model on this machine that is loaded when it is first asked: the question is kept before.

    Attributes:
        name, address: as the loaded model has them.
    """

    address = "local"

    def __init__(self, name: str, load: Callable[[], ListedModel]) -> None:
        self.name = name
        self._load = load
        self._lock = Lock()
        self._loaded: ListedModel | None = None

    def complete(self, request: ModelRequest) -> Iterator[str | ModelReply]:
        """See `ChatModel.complete`."""
        return self._model().complete(request)

    def names(self) -> list[str]:
        """See `ListedModel.names`."""
        return self._model().names()

    def close(self) -> None:
        """Close the model, if it was loaded."""
        if self._loaded is not None:
            self._loaded.close()

    def _model(self) -> ListedModel:
        with self._lock:
            if self._loaded is None:
                self._loaded = self._load()
            return self._loaded


def choose_model(
    settings: Settings,
    *,
    waiting: Callable[[Phrase], AbstractContextManager[Progress]],
    notify: Callable[[Phrase], None],
    tell_small: Callable[[Phrase], None],
) -> ListedModel:
    """Return the model that the settings name.

    Args:
        notify: told of retries.
        tell_small: told that the packaged model is small, when it is loaded.

    Raises:
        SettingsError: the address or the key cannot be one.
    """
    if not settings.local:
        return _remote(settings, notify)
    named = settings.model_path

    def load() -> ListedModel:
        from assistant.model.local import LocalChatModel

        file = named or packaged_file()
        with waiting(phrase("waiting.model", model=file.stem)) as progress:
            model = LocalChatModel(file, context_tokens=local_context(settings), progress=progress)
        if named is None:
            tell_small(phrase("chat.small"))
        return model

    from assistant.model.download import PACKAGED

    return DeferredModel((named or Path(PACKAGED.file)).stem, load)


def local_context(settings: Settings) -> int:
    """Return the context in tokens with which a model is loaded here."""
    from assistant.model.local import CONTEXT_TOKENS

    return settings.context_limit or CONTEXT_TOKENS


def packaged_file() -> Path:
    """Return the packaged model's file.

    Raises:
        LocalModelUnavailable: it has not been fetched.
    """
    from assistant.model.download import PACKAGED, is_fetched, models_folder

    if not is_fetched(models_folder()):
        hint = phrase("model.not_fetched_hint")
        raise LocalModelUnavailable(phrase("model.not_fetched"), hint=hint)
    return models_folder() / PACKAGED.file


def _remote(settings: Settings, notify: Callable[[Phrase], None]) -> ListedModel:
    from assistant.model.client import OpenAIChatModel

    key = settings.openai_api_key
    return OpenAIChatModel(
        settings.model or (SERVER_DEFAULT if settings.openai_base_url else OPENAI_DEFAULT),
        base_url=settings.openai_base_url,
        api_key=key.get_secret_value() if key else None,
        notify=notify,
    )
