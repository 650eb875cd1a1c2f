"""Settings: the only reader of the environment and of the home's `.env` and `config.toml`."""

from __future__ import annotations

import locale
import os
import tomllib
from collections.abc import Iterable
from contextlib import suppress
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
from assistant.phrases import Phrase, phrase, recognised

PREFIX = "ASSISTANT_"
APPLICATION = "memory-assistant"
NOT_SETTINGS = frozenset({"ASSISTANT_BENCH_DATA", "ASSISTANT_NOTE_KEY", "ASSISTANT_NOTE_TEXT"})
"""Names of the prefix that others read: the benchmarks, and the commands that notes are sent to."""


class Settings(BaseSettings):
    """Everything that can be set. Flags win over the environment, over `.env`, over `config.toml`.

    Both files are read from the home only. A relative path in a setting is taken from the home,
    so that nothing depends on the working directory. What each setting is stands in the phrases,
    as `setting.…`, for users and readers alike.
    """

    model_config = SettingsConfigDict(
        env_prefix=PREFIX, env_ignore_empty=True, extra="ignore", frozen=True
    )
    secret_fields: ClassVar[tuple[str, ...]] = ("openai_api_key",)

    home: Path
    owner: str = Field("me", min_length=1, max_length=64)
    model: str | None = None
    model_path: Path | None = None
    protocol: Literal["auto", "tools", "schema", "text"] = "auto"
    context_limit: int | None = Field(None, ge=256)
    reply_reserve: int | None = Field(None, ge=16)
    memory_share: float | None = Field(None, ge=0, le=0.75)
    encoding: Literal["auto", "o200k_base", "cl100k_base"] = "auto"
    temperature: float = Field(0.1, ge=0, le=2)
    embedder: str | None = None
    reranker: str | None = None
    timezone: str | None = None
    language: Literal["auto", "en", "zh"] = "auto"
    facts: Literal["auto", "on", "off"] = "auto"
    completion_marker: str | None = Field(None, min_length=1, max_length=40)
    tools: Path | None = None
    chroma: str | None = None
    weather_url: str | None = Field(None, pattern=r"^https?://")
    study_at: time = time(20)
    notify_desktop: bool = False
    notify_command: str | None = None
    notify_webhook: str | None = Field(None, pattern=r"^https?://")
    openai_api_key: SecretStr | None = Field(None, validation_alias="openai_api_key")
    openai_base_url: str | None = Field(
        None, validation_alias="openai_base_url", pattern=r"^https?://"
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
            problem = phrase("settings.not_toml", file=folder / "config.toml", problem=error)
            raise SettingsError(problem, hint=phrase("settings.not_toml_hint")) from None
        except (OSError, UnicodeDecodeError) as error:
            problem = phrase("settings.unreadable", folder=folder, problem=error)
            raise SettingsError(problem, hint=phrase("settings.unreadable_hint")) from None

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
        given = [key for key in os.environ if key.startswith(PREFIX)]
        _refuse_unknown(given, phrase("settings.environment"))
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
            raise ValueError(phrase("settings.no_file", file=absolute))
        return absolute

    @field_validator("embedder", "reranker")
    @classmethod
    def _existing_model(cls, name: str | None) -> str | None:
        if name is None or not name.startswith(("/", "./", "../", "~")):
            return name
        folder = Path(name).expanduser()
        if not folder.exists():
            raise ValueError(phrase("settings.no_folder", folder=name))
        return str(folder)

    @field_validator("timezone")
    @classmethod
    def _known_zone(cls, name: str | None) -> str | None:
        if name is not None and name not in available_timezones():
            meant = _meant(name, available_timezones())
            raise ValueError(phrase("settings.no_zone", meant=meant))
        return name

    @field_validator("owner")
    @classmethod
    def _printable(cls, owner: str) -> str:
        if not owner.strip() or not owner.isprintable():
            raise ValueError(phrase("settings.unprintable"))
        return owner.strip()

    @model_validator(mode="after")
    def _reserve_fits(self) -> Settings:
        limit, reserve = self.context_limit, self.reply_reserve
        if limit is not None and reserve is not None and reserve >= limit:
            raise ValueError(phrase("settings.reserve", reserve=reserve, limit=limit))
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
        return system_language() if self.language == "auto" else self.language

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


def chosen_language(home: Path | None = None) -> Literal["en", "zh"] | None:
    """The language that is set, also where other settings are wrong; None where none is.

    It is looked for in the same places; what is unreadable there is passed over.
    """
    from dotenv import dotenv_values

    folder, name = _home(home), variable("language")
    chosen: object = os.environ.get(name)
    with suppress(OSError, ValueError):
        chosen = chosen or dotenv_values(folder / ".env").get(name)
    with suppress(OSError, ValueError):
        text = (folder / "config.toml").read_text(encoding="utf-8")
        chosen = chosen or tomllib.loads(text).get("language")
    known: dict[str, Literal["en", "zh"]] = {"en": "en", "zh": "zh"}
    return known.get(str(chosen))


def system_language() -> Literal["en", "zh"]:
    """The language that the system is set to, of those that the assistant speaks."""
    return "zh" if (locale.getlocale()[0] or "").startswith(("zh", "Chinese")) else "en"


def prepare_home(home: Path) -> None:
    """Make the home if it is missing, private to the user (mode 0700).

    A folder that holds other things than ours keeps its permissions.

    Raises:
        SettingsError: the home is a file, or it cannot be written.
    """
    hint = phrase("settings.home_hint")
    try:
        home.mkdir(parents=True, exist_ok=True, mode=0o700)
        ours = {".env", "config.toml", "ledger.db"}
        inside = {entry.name for entry in home.iterdir()}
        if not inside or inside & ours:
            home.chmod(0o700)
    except (FileExistsError, NotADirectoryError):
        raise SettingsError(phrase("settings.home_is_file", home=home), hint=hint) from None
    except OSError as error:
        problem = phrase("settings.home_unusable", home=home, problem=error.strerror)
        raise SettingsError(problem, hint=hint) from None
    if not os.access(home, os.W_OK | os.X_OK):
        raise SettingsError(phrase("settings.home_unwritable", home=home), hint=hint)


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
            hint = phrase("settings.is_folder_hint")
            raise SettingsError(phrase("settings.is_folder", path=path), hint=hint)
    if (home / ".env").is_file():
        with (home / ".env").open(encoding="utf-8") as lines:
            broken = [part.original.line for part in parse_stream(lines) if part.error]
        if broken:
            problem = phrase("settings.not_a_line", file=home / ".env", line=broken[0])
            raise SettingsError(problem, hint=phrase("settings.not_a_line_hint"))


def _refuse_unknown(keys: Iterable[str], place: object, *, in_toml: bool = False) -> None:
    fields = [name for name in Settings.model_fields if not (in_toml and name == "home")]
    allowed = {name if in_toml else variable(name): name for name in fields}
    for key in keys:
        if key in allowed or key in NOT_SETTINGS:
            continue
        near = get_close_matches(key.removeprefix(PREFIX).lower(), fields, n=1)
        meant = (near[0] if in_toml else variable(near[0])) if near else ""
        said = "settings.unknown_near" if near else "settings.unknown"
        hint = phrase("settings.allowed", names=", ".join(allowed))
        raise SettingsError(phrase(said, name=key, place=place, near=meant), hint=hint)


def _explained(error: ErrorDetails, home: Path, flags: dict[str, Any]) -> SettingsError:
    """Say which setting is wrong, where it stands, and what is allowed."""
    if not error["loc"]:
        return SettingsError(phrase("settings.together", reason=_reason(error)))
    field = str(error["loc"][0])
    said = "settings.wrong_secret" if field in Settings.secret_fields else "settings.wrong"
    place = _place(field, home, flags)
    return SettingsError(
        phrase(said, place=place, value=error["input"], reason=_reason(error)),
        hint=phrase("settings.meaning", meaning=phrase(f"setting.{field}")),
    )


def _place(field: str, home: Path, flags: dict[str, Any]) -> str | Phrase:
    if field in flags:
        return "--" + field.replace("_", "-")
    if os.environ.get(variable(field)):
        return variable(field)
    from dotenv import dotenv_values

    if variable(field) in dotenv_values(home / ".env"):
        return phrase("settings.place", name=variable(field), file=home / ".env")
    return phrase("settings.place", name=field, file=home / "config.toml")


def _reason(error: ErrorDetails) -> str | Phrase:
    match error["type"]:
        case "literal_error":
            allowed = get_args(Settings.model_fields[str(error["loc"][0])].annotation)
            meant = _meant(str(error["input"]), allowed)
            return phrase("settings.among", choices=", ".join(allowed), meant=meant)
        case "value_error":
            return error.get("ctx", {})["error"].args[0]
        case "int_parsing" | "int_type" | "int_from_float":
            return phrase("settings.whole_number")
        case "time_parsing":
            return phrase("settings.time")
        case "string_pattern_mismatch":
            return phrase("settings.web_address")
        case _:
            return recognised(error["msg"], "value")


def _meant(word: str, allowed: Iterable[str]) -> str | Phrase:
    matches = get_close_matches(word, list(allowed), n=1)
    return phrase("settings.meant", near=matches[0]) if matches else ""
