"""What can go wrong in the assistant, and the exit code of each on the command line.

AssistantError                 code, hint
├── UserError          exit 2  the user's input or settings are wrong
│   ├── SettingsError          a setting is unknown or has a bad value
│   ├── ContextTooSmall        system + tools + question do not fit the limit; nothing was sent
│   └── ToolDefinitionError    a tool's schema does not match its function
└── RunFailed          exit 1  the run could not be finished
    ├── Interrupted    exit 130  the user stopped it (Ctrl-C), as shells say it
    └── ModelError             the model could not answer
        ├── ModelUnreachable   no connection, or it kept failing
        ├── ModelRefused       the key was refused, or the model is unknown
        ├── ContextOverflow    the server says that the request is too long
        ├── ModelUnsupported   the server rejects a feature (tools, a response schema)
        └── LocalModelUnavailable  the packaged model cannot be fetched, or a file not be loaded
"""

from __future__ import annotations

from assistant.phrases import Phrase, in_words, sentences


class AssistantError(Exception):
    """Base of every error that `assistant` raises on purpose.

    Attributes:
        code: a short stable name for `--json`.
        hint: what the user can do, in one line; empty where the message says it.
        exit_code: the process's exit code when the error reaches the command line.
    """

    code = "error"
    exit_code = 1

    def __init__(self, message: str | Phrase, *, hint: str | Phrase = "") -> None:
        """Take a message and a hint; phrases are English until `speak` says otherwise."""
        super().__init__(message)
        self._hints: list[str | Phrase] = [hint]

    @property
    def said(self) -> str | Phrase:
        """The message, as something else may say it in turn."""
        return self.args[0]

    @property
    def hint(self) -> str:
        """What the user can do."""
        return sentences(*map(str, self._hints))

    def advise(self, hint: Phrase) -> None:
        """Add to what the user can do."""
        self._hints.append(hint)

    def speak(self, language: str) -> None:
        """Put what was given as phrases into the reader's language, `en` or `zh`, for good."""
        self.args = (in_words(self.said, language), *self.args[1:])
        self._hints = [in_words(hint, language) for hint in self._hints]


class UserError(AssistantError):
    """The user's input is wrong."""

    code = "bad_input"
    exit_code = 2


class SettingsError(UserError):
    """A setting is unknown or has a bad value."""

    code = "bad_setting"


class ContextTooSmall(UserError):
    """System, tools and question do not fit the limit. Nothing was sent."""

    code = "context_too_small"


class ToolDefinitionError(UserError):
    """A tool's schema does not match its function."""

    code = "bad_tool"


class RunFailed(AssistantError):
    """The run could not be finished; the question is kept."""

    code = "run_failed"


class Interrupted(RunFailed):
    """The user stopped the run; the question is kept."""

    code = "interrupted"
    exit_code = 130


class ModelError(RunFailed):
    """The model could not answer."""

    code = "model_failed"


class ModelUnreachable(ModelError):
    """No connection to the model's server, or it kept failing."""

    code = "model_unreachable"


class ModelRefused(ModelError):
    """The key was refused, or the server does not know the model."""

    code = "model_refused"


class ContextOverflow(ModelError):
    """The server says that the request is longer than the model's context.

    Attributes:
        limit: the limit in tokens that the server named, if it named one.
    """

    code = "context_overflow"

    def __init__(
        self, message: str | Phrase, *, limit: int | None = None, hint: str | Phrase = ""
    ) -> None:
        super().__init__(message, hint=hint)
        self.limit = limit


class ModelUnsupported(ModelError):
    """The server rejects a feature of the request.

    Attributes:
        feature: `tools` or `response_schema`.
    """

    code = "model_unsupported"

    def __init__(self, message: str | Phrase, *, feature: str, hint: str | Phrase = "") -> None:
        super().__init__(message, hint=hint)
        self.feature = feature


class LocalModelUnavailable(ModelError):
    """The packaged model cannot be fetched, or a model file cannot be loaded."""

    code = "local_model_unavailable"


def said_by(error: BaseException) -> str | Phrase:
    """Return what an error of any kind says, to be said in turn; its kind where it says nothing."""
    return error.said if isinstance(error, AssistantError) else str(error) or type(error).__name__
