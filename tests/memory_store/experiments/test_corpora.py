"""Corpora: read as they arrive, and refused by line where they are broken."""

import gzip
import json
from datetime import datetime
from pathlib import Path

import pytest

from memory_store.errors import InvalidInput, NotFound
from memory_store.experiments import SHIPPED, load_corpus

ROW = {
    "id": "c",
    "dataset": "d",
    "lang": "en",
    "records": [
        {"id": "1", "session": "s1", "time": "2026-01-01T10:00:00+00:00", "who": "user",
         "kind": "turn", "text": "I have six hours a week."},
        {"id": "2", "session": "s1", "time": "2026-01-01T10:01:00+00:00", "who": "assistant",
         "kind": "turn", "text": "Noted."},
        {"id": "3", "session": "s2", "time": "2026-02-01T10:00:00+00:00", "who": "Ann",
         "kind": "note", "text": "Four hours now."},
    ],
    "questions": [
        {"id": "q", "text": "How many hours?", "category": "update", "evidence": ["3"],
         "answer": 4, "answerable": True, "stale": ["1"]},
    ],
}  # fmt: skip


def written(path: Path, *rows: object) -> Path:
    """A file of these rows, packed if its name says so."""
    text = "\n".join(row if isinstance(row, str) else json.dumps(row) for row in rows)
    path.write_bytes(gzip.compress(text.encode()) if path.suffix == ".gz" else text.encode())
    return path


@pytest.mark.parametrize("name", ["corpus.jsonl", "corpus.jsonl.gz"])
def test_records_become_drafts_with_their_times_and_kinds(name, tmp_path) -> None:
    """A plain or packed file is read alike: who speaks gives the kind, the session its place."""
    [one] = load_corpus(written(tmp_path / name, ROW))
    assert [draft.kind for draft in one.drafts] == ["question", "answer", "note"]
    assert one.drafts[0].created_at == datetime.fromisoformat("2026-01-01T10:00:00+00:00")
    assert one.drafts[2].text == "note: Four hours now."
    [question] = one.questions
    assert (question.evidence, question.stale, question.before) == ({"3"}, {"1"}, 3)


def test_a_record_that_says_nothing_is_passed_over(tmp_path) -> None:
    """A blank text is nothing to remember; the other records keep their order."""
    blank = {**ROW["records"][0], "id": "0", "text": " "}
    [one] = load_corpus(written(tmp_path / "c.jsonl", {**ROW, "records": [blank, *ROW["records"]]}))
    assert one.records == ("1", "2", "3")


def test_a_question_searches_only_what_had_arrived(tmp_path) -> None:
    """`asked_at` and `asked_in` leave out what came later."""
    at = {**ROW["questions"][0], "asked_at": "2026-01-15T00:00:00+00:00"}
    inside = {**ROW["questions"][0], "id": "r", "asked_in": "s2"}
    [one] = load_corpus(written(tmp_path / "c.jsonl", {**ROW, "questions": [at, inside]}))
    assert [question.before for question in one.questions] == [2, 2]
    assert one.questions[0].asked_at == datetime.fromisoformat("2026-01-15T00:00:00+00:00")


def test_a_follow_up_knows_the_exchange_before_it(tmp_path) -> None:
    """What the session that a question is asked in held before it is its context, and no more."""
    later = [
        {**ROW["records"][0], "id": str(n), "session": "s3", "text": text,
         "time": f"2026-03-01T10:0{n}:00+00:00"}
        for n, text in enumerate(["Oldest.", "Hello.", "Welcome back.", "How many hours?", "Four."])
    ]  # fmt: skip
    asked = {**ROW["questions"][0], "asked_in": "s3"}
    row = {**ROW, "records": [*ROW["records"], *later], "questions": [asked, *ROW["questions"]]}
    [one] = load_corpus(written(tmp_path / "c.jsonl", row))
    assert [question.context for question in one.questions] == ["Hello.\nWelcome back.", ""]


@pytest.mark.parametrize(
    ("broken", "says"),
    [
        ("{oh", "line 2"),
        ("[1]", "JSON object"),
        ({**ROW, "records": []}, "no records"),
        ({k: v for k, v in ROW.items() if k != "questions"}, "'questions'"),
        ({**ROW, "records": [{**ROW["records"][0], "time": "2026-01-01T10:00:00"}]}, "time zone"),
        ({**ROW, "records": [{**ROW["records"][0], "time": "yesterday"}]}, "yesterday"),
    ],
)
def test_a_broken_line_is_named(broken, says, tmp_path) -> None:
    """The message says which line is wrong and why."""
    with pytest.raises(InvalidInput, match=says) as told:
        list(load_corpus(written(tmp_path / "c.jsonl", ROW, broken)))
    assert "line 2" in str(told.value)


def test_a_missing_or_unreadable_file_is_refused(tmp_path) -> None:
    """Neither gives a traceback of its own."""
    with pytest.raises(NotFound):
        list(load_corpus(tmp_path / "none.jsonl"))
    fake = tmp_path / "fake.jsonl.gz"
    fake.write_bytes(b"not packed")
    with pytest.raises(InvalidInput):
        list(load_corpus(fake))


def test_the_shipped_corpus_holds_both_languages_and_every_kind_of_question() -> None:
    """Several conversations, so that intervals can be drawn over them."""
    corpus = list(load_corpus(SHIPPED))
    assert {one.language for one in corpus} == {"en", "zh"}
    assert len(corpus) >= 8
    questions = [question for one in corpus for question in one.questions]
    assert {"single", "multi", "temporal", "update", "unanswerable"} == {
        question.category for question in questions
    }
    for one in corpus:
        known = set(one.records)
        for question in one.questions:
            assert question.evidence | question.stale <= known
            assert question.answerable == bool(question.evidence)
