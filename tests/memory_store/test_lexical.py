"""Words: English, Chinese, mixed text and identifiers are found; no text is query syntax."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from memory_store import lexical
from memory_store.ledger import Ledger
from memory_store.terms import query_terms, terms

TEXTS = [
    "Running along the river every morning",
    "用Python做回归，每周有6小时",
    "sku-42 has 7 left, sku-43 has none",
    "The host 192.168.0.1 answers in 3.14 ms; mail a.b@example.org",
    "我家的猫叫小白",
    "The C++ and C# courses start at the café",
    "Привет, мир",
]


@pytest.fixture
def ledger(tmp_path: Path) -> Iterator[Ledger]:
    ledger = Ledger(tmp_path / "ledger.db")
    ledger.migrate(lexical.MIGRATIONS)
    with ledger.write() as connection:
        lexical.add(connection, [(row, "me", text) for row, text in enumerate(TEXTS, 1)])
    yield ledger
    ledger.close()


def found(ledger: Ledger, query: str, owner: str = "me", limit: int = 10) -> list[int]:
    with ledger.read() as connection:
        return [row for row, _ in lexical.search(connection, owner, query, limit)]


@pytest.mark.parametrize(
    ("query", "row"),
    [
        ("ran runs running", 1),
        ("morning river", 1),
        ("回归", 2),
        ("Python回归", 2),
        ("ＰＹＴＨＯＮ", 2),
        ("sku-42", 3),
        ("192.168.0.1", 4),
        ("3.14", 4),
        ("a.b@example.org", 4),
        ("猫", 5),
        ("小白是谁", 5),
        ("C++", 6),
        ("cafe", 6),
        ("привет", 7),
    ],
)
def test_a_query_finds_its_text_first(ledger: Ledger, query: str, row: int):
    """Stems, width, accents, two and one Chinese characters, and identifiers match."""
    assert found(ledger, query)[0] == row


def test_the_whole_identifier_outranks_its_parts(ledger: Ledger):
    """`sku-42` names one article, not every text with a 42 in it."""
    with ledger.write() as connection:
        lexical.add(connection, [(90, "me", "42 skus were counted"), (91, "me", "42 and 42")])
    assert found(ledger, "sku-42")[0] == 3


@pytest.mark.parametrize(
    "query", ['"', "a OR", "NEAR(", "* ^ : -", "terms:x", "\x00", "\ud800", "🙂", "' ; DROP", "()"]
)
def test_no_text_is_query_syntax(ledger: Ledger, query: str):
    """Whatever a user types is words to look for, or nothing."""
    assert isinstance(found(ledger, query), list)


def test_an_owner_finds_only_what_is_theirs(ledger: Ledger):
    """The same words of another owner neither match nor count."""
    with ledger.write() as connection:
        lexical.add(connection, [(50, "you", "sku-42 is sold out")])
    assert found(ledger, "sku-42", "you") == [50]
    assert 50 not in found(ledger, "sku-42")
    assert found(ledger, "sku-42", "nobody") == []


def test_what_is_removed_is_found_no_more(ledger: Ledger):
    """Removing leaves neither a match nor a byte, and unknown rows are passed over."""
    with ledger.write() as connection:
        lexical.remove(connection, [5, 77])
        lexical.purge(connection)
    assert found(ledger, "小白") == []
    with ledger.read() as connection:
        rows = connection.exec_driver_sql("SELECT terms FROM lexical").scalars().all()
        assert not any("小白" in row for row in rows)
        count = connection.exec_driver_sql("SELECT passages FROM lexical_owners").scalar()
        assert count == len(TEXTS) - 1


def test_common_words_are_read_within_bounds(ledger: Ledger, monkeypatch: pytest.MonkeyPatch):
    """A word that everything holds costs no more than the bound, and a rare one still counts."""
    monkeypatch.setattr(lexical, "POSTINGS", 50)
    with ledger.write() as connection:
        lexical.add(connection, [(row, "me", f"river walk {row}") for row in range(100, 400)])
        lexical.add(connection, [(500, "me", "river walk with Zebediah")])
    assert found(ledger, "river walk Zebediah")[0] == 500
    assert len(found(ledger, "river", limit=500)) <= 50


def test_stop_words_are_searched_only_alone():
    """They are left out of a question, unless nothing else is in it."""
    assert query_terms("what is the stock of tea") == ["stock", "tea"]
    assert query_terms("who is it") == ["who", "is", "it"]


def test_terms_keep_identifiers_whole_and_in_parts():
    """Both the name and its parts can be searched for."""
    assert terms("sku-42") == ["sku-42", "sku", "42"]
    assert terms("3.14")[0] == "3.14"
    assert "做回" in terms("做回归")
    assert "归" in terms("做回归")
    assert terms("Ann's dogs") == ["ann", "dog"]
