"""Settings: where they come from, in which order, and what is said of a wrong one."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from assistant.errors import SettingsError
from assistant.settings import Settings, prepare_home, variable


@pytest.fixture
def write(home: Path):
    """Write the home's two files."""

    def write(*, dotenv: str | None = None, config: str | bytes | None = None) -> None:
        home.mkdir(exist_ok=True)
        if dotenv is not None:
            (home / ".env").write_text(dotenv)
        if config is not None:
            data = config.encode() if isinstance(config, str) else config
            (home / "config.toml").write_bytes(data)

    return write


def refusal() -> SettingsError:
    with pytest.raises(SettingsError) as caught:
        Settings.load()
    assert caught.value.exit_code == 2
    return caught.value


def test_a_fresh_home_needs_no_setting_and_a_local_model_answers() -> None:
    """With neither key nor address, the model on this machine answers."""
    settings = Settings.load()
    assert settings.local
    assert settings.owner == "me"
    assert settings.temperature == 0.1


def test_flags_win_over_environment_over_dotenv_over_config(write, monkeypatch) -> None:
    """Each source is heard only where no stronger one speaks."""
    write(config='model = "config"\nowner = "config"\nembedder = "config"\nlanguage = "zh"')
    assert Settings.load().model == "config"
    write(dotenv="ASSISTANT_MODEL=dotenv\nASSISTANT_OWNER=dotenv\nASSISTANT_EMBEDDER=dotenv")
    assert Settings.load().model == "dotenv"
    monkeypatch.setenv("ASSISTANT_MODEL", "environment")
    monkeypatch.setenv("ASSISTANT_OWNER", "environment")
    assert Settings.load().model == "environment"
    settings = Settings.load(model="flag")
    values = (settings.model, settings.owner, settings.embedder, settings.language)
    assert values == ("flag", "environment", "dotenv", "zh")


def test_nothing_is_read_from_the_working_directory(tmp_path, monkeypatch) -> None:
    """A folder that the user happens to stand in cannot set anything."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / ".env").write_text("ASSISTANT_MODEL=stranger\nOPENAI_BASE_URL=http://stranger")
    (tmp_path / "config.toml").write_text('model = "stranger"')
    (tmp_path / "tools.py").write_text("")
    assert Settings.load().model is None
    assert Settings.load().local
    monkeypatch.setenv("ASSISTANT_TOOLS", "tools.py")
    assert str(tmp_path / "home" / "tools.py") in str(refusal())


def test_the_home_is_named_by_flag_or_environment(tmp_path, monkeypatch, home) -> None:
    """The flag wins over `ASSISTANT_HOME`; without either it is the user's data folder."""
    assert Settings.load().home == home
    assert Settings.load(tmp_path / "other").home == tmp_path / "other"
    monkeypatch.delenv("ASSISTANT_HOME")
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    assert "memory-assistant" in str(Settings.load().home)


@pytest.mark.parametrize("name", ["ASSISTANT_MODLE", "ASSISTANT_Model"])
def test_an_unknown_variable_is_named_with_a_close_match(name, monkeypatch) -> None:
    """A misspelt name is not passed over in silence."""
    monkeypatch.setenv(name, "x")
    error = refusal()
    assert name in str(error)
    assert "did you mean ASSISTANT_MODEL?" in str(error)
    assert "ASSISTANT_PROTOCOL" in error.hint


def test_an_unknown_key_of_a_file_is_named_with_the_file(write, home) -> None:
    """The message says which file to open."""
    write(config='protcol = "tools"')
    assert "protcol" in str(refusal())
    assert "did you mean protocol?" in str(refusal())
    assert str(home / "config.toml") in str(refusal())
    write(config="", dotenv="MODEL=x")
    assert "did you mean ASSISTANT_MODEL?" in str(refusal())
    assert str(home / ".env") in str(refusal())


@pytest.mark.parametrize(
    ("name", "value", "said"),
    [
        ("ASSISTANT_PROTOCOL", "tool", "allowed are auto, tools, schema, text; did you mean tools"),
        ("ASSISTANT_CONTEXT_LIMIT", "lots", "a whole number"),
        ("ASSISTANT_CONTEXT_LIMIT", "-1", "greater than or equal to 256"),
        ("ASSISTANT_TIMEZONE", "Europe/Lisbn", "did you mean Europe/Lisbon"),
        ("ASSISTANT_TOOLS", "/nowhere/tools.py", "there is no file /nowhere/tools.py"),
        ("ASSISTANT_MODEL_PATH", "/nowhere/model.gguf", "there is no file"),
        ("ASSISTANT_OWNER", " ", "printable"),
        ("OPENAI_BASE_URL", "localhost:8080", "http://"),
    ],
)
def test_a_bad_value_is_named_with_what_is_allowed(name, value, said, monkeypatch) -> None:
    """The message names the variable and its value, and says what would be right."""
    monkeypatch.setenv(name, value)
    error = refusal()
    assert name in str(error)
    assert repr(value) in str(error)
    assert said in str(error)
    assert error.hint


def test_a_bad_value_in_a_file_is_named_with_the_file(write, home) -> None:
    """A wrong value is found where it stands, not where it is not."""
    write(config='context_limit = "many"')
    assert f"context_limit in {home / 'config.toml'}" in str(refusal())
    write(config="", dotenv="ASSISTANT_CONTEXT_LIMIT=many")
    assert f"ASSISTANT_CONTEXT_LIMIT in {home / '.env'}" in str(refusal())


@pytest.mark.parametrize("broken", [b"model = ", b"\xff\xfe\x00", b"[[[", b"model = 1\nmodel = 2"])
def test_a_broken_config_says_which_file_is_broken(broken, write, home) -> None:
    """A file that is no TOML is an error of the user's input, not a traceback."""
    write(config=broken)
    assert str(home) in str(refusal())


def test_a_reserve_as_large_as_the_limit_is_refused(write) -> None:
    """The request would have no room."""
    write(config="context_limit = 1000\nreply_reserve = 1000")
    assert "1000 tokens" in str(refusal())


def test_secrets_are_neither_shown_nor_named_in_errors(write, monkeypatch) -> None:
    """A key appears in no text that settings produce."""
    write(dotenv="OPENAI_API_KEY=sk-secret-1")
    settings = Settings.load()
    assert not settings.local
    assert settings.openai_api_key is not None
    assert settings.openai_api_key.get_secret_value() == "sk-secret-1"
    assert "sk-secret" not in f"{settings!r} {settings} {settings.model_dump_json()}"
    assert settings.redact("the key sk-secret-1 failed") == "the key [secret] failed"
    write(dotenv="", config="openai_api_key = 12345678")
    assert "12345678" not in str(refusal())


def test_an_empty_variable_counts_as_not_given(monkeypatch) -> None:
    """`OPENAI_API_KEY=` in a shell turns a key off."""
    monkeypatch.setenv("OPENAI_API_KEY", "")
    monkeypatch.setenv("ASSISTANT_MODEL", "")
    assert Settings.load().local
    assert Settings.load().model is None


def test_a_named_model_file_runs_here_although_there_is_a_key(tmp_path, monkeypatch) -> None:
    """Who names a GGUF file means it."""
    monkeypatch.setenv("OPENAI_API_KEY", "k")
    assert not Settings.load().local
    (tmp_path / "m.gguf").touch()
    monkeypatch.setenv("ASSISTANT_MODEL_PATH", str(tmp_path / "m.gguf"))
    assert Settings.load().local


def test_the_zone_knows_summer_time(monkeypatch) -> None:
    """The user's zone is an IANA zone, not an offset."""
    monkeypatch.setenv("ASSISTANT_TIMEZONE", "Europe/Lisbon")
    zone = Settings.load().zone
    offsets = [
        datetime(2026, month, 1, tzinfo=UTC).astimezone(zone).utcoffset() for month in (1, 7)
    ]
    assert offsets == [timedelta(0), timedelta(hours=1)]


def test_variable_names_are_those_of_the_documentation() -> None:
    """Every setting has one name; the contract's names are among them."""
    names = {variable(field) for field in Settings.model_fields}
    contract = "HOME OWNER MODEL MODEL_PATH PROTOCOL CONTEXT_LIMIT REPLY_RESERVE EMBEDDER"
    contract += " TIMEZONE LANGUAGE TOOLS"
    assert {f"ASSISTANT_{name}" for name in contract.split()} <= names
    assert {"OPENAI_API_KEY", "OPENAI_BASE_URL"} <= names


def test_the_home_is_made_private(home, tmp_path) -> None:
    """Only the user may look into it, also where the folder stood there before."""
    prepare_home(home)
    assert home.stat().st_mode & 0o777 == 0o700
    empty = tmp_path / "empty"
    empty.mkdir(mode=0o755)
    prepare_home(empty)
    assert empty.stat().st_mode & 0o777 == 0o700


def test_a_folder_of_other_things_keeps_its_permissions(tmp_path) -> None:
    """`--home /tmp` does not shut /tmp."""
    shared = tmp_path / "shared"
    shared.mkdir()
    shared.chmod(0o755)
    (shared / "somebody.txt").touch()
    prepare_home(shared)
    assert shared.stat().st_mode & 0o777 == 0o755


def test_a_home_that_is_a_file_is_refused(tmp_path) -> None:
    """The file is left as it is."""
    file = tmp_path / "file"
    file.write_text("mine")
    for home in (file, file / "below"):
        with pytest.raises(SettingsError, match="is a file"):
            prepare_home(home)
    assert file.read_text() == "mine"


def test_a_home_that_cannot_be_made_is_refused() -> None:
    """The message names the folder and what to do."""
    with pytest.raises(SettingsError) as caught:
        prepare_home(Path("/proc/home"))
    assert "/proc/home" in str(caught.value)
    assert "--home" in caught.value.hint


def test_a_line_of_dotenv_that_is_no_setting_is_refused(write) -> None:
    """A quote left open must not make a setting vanish."""
    write(dotenv='ASSISTANT_OWNER="ann\n')
    assert "line 1" in str(refusal())


def test_a_folder_in_the_place_of_a_settings_file_is_refused(home) -> None:
    """It would be passed over otherwise."""
    (home / "config.toml").mkdir(parents=True)
    assert "is a folder" in str(refusal())


@pytest.mark.parametrize("name", ["ASSISTANT_EMBEDDER", "ASSISTANT_RERANKER"])
def test_the_path_of_a_model_that_is_not_there_is_refused(name, monkeypatch) -> None:
    """It is told at once, not when the first question has waited for it."""
    monkeypatch.setenv(name, "/no/such/model")
    assert "/no/such/model" in str(refusal())
