"""Suite files: the shipped one is whole, a broken one is refused with its place."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import get_args

import pytest

from assistant.errors import UserError
from assistant.evals.case import Category
from assistant.evals.suite import LARGEST_FILE, load_suite

CASE = """
cases:
  - id: one
    category: normal
    language: en
    now: 2026-03-02T09:00:00+00:00
    turns:
      - ask: hello
        expect: {contains: [hello]}
"""


def test_the_shipped_suite_is_whole() -> None:
    """At least 60 cases, every category, both languages, at least 20 for the local model."""
    cases = load_suite("core")
    assert len(cases) >= 60
    assert set(Counter(case.category for case in cases)) == set(get_args(Category))
    languages = Counter(case.language for case in cases)
    assert min(languages.values()) >= 15
    assert sum(case.local for case in cases) >= 20
    checked = [turn for case in cases for turn in case.turns[-1:]]
    assert all(turn.expect != type(turn.expect)() for turn in checked), "a case checks nothing"


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("category: normal", "category: magic", r"cases\.0 \(one\)\.category"),
        ("contains: [hello]", "contians: [hello]", "contians"),
        ("contains: [hello]", 'matches: ["("]', "not a regular expression"),
        ("2026-03-02T09:00:00+00:00", "2026-03-02T09:00:00", "timezone"),
        ("ask: hello", 'ask: ""', "ask"),
        ("cases:", "cases: [", "not readable YAML"),
        ("cases:", "cases: &a [*a]\nother:", "aliases"),
        ("category: normal", "category: !!python/object:os.system x", "not readable YAML"),
    ],
)
def test_a_broken_file_names_the_case_and_the_field(
    old: str, new: str, message: str, tmp_path: Path
) -> None:
    """What is wrong is said with file, case and field; nothing is run."""
    path = tmp_path / "suite.yaml"
    path.write_text(CASE.replace(old, new))
    with pytest.raises(UserError, match=message):
        load_suite(str(path))


@pytest.mark.parametrize("content", ["", "- a list", "words"])
def test_a_file_without_names_and_values_is_told_so(content: str, tmp_path: Path) -> None:
    """An empty file is no suite; no word of the program's own types reaches the user."""
    path = tmp_path / "suite.yaml"
    path.write_text(content)
    with pytest.raises(UserError, match="holds no suite"):
        load_suite(str(path))


def test_two_cases_of_one_id_are_refused(tmp_path: Path) -> None:
    """An id names one case, so that reports can be compared."""
    (tmp_path / "a.yaml").write_text(CASE)
    (tmp_path / "b.yaml").write_text(CASE)
    with pytest.raises(UserError, match="'one'"):
        load_suite(str(tmp_path))


def test_a_missing_suite_names_the_shipped_ones() -> None:
    """Who mistypes a name is told what there is."""
    with pytest.raises(UserError, match="no suite 'cor'") as caught:
        load_suite("cor")
    assert "core" in caught.value.hint


def test_a_huge_file_is_refused_unread(tmp_path: Path) -> None:
    """A file beyond the limit is not parsed at all."""
    path = tmp_path / "huge.yaml"
    path.write_bytes(b" " * (LARGEST_FILE + 1))
    with pytest.raises(UserError, match="at most"):
        load_suite(str(path))
