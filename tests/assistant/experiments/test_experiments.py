"""Experiments with the whole assistant: they measure what they say."""

from datetime import datetime
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from assistant.evals.suite import load_suite
from assistant.experiments.compare import candidates_here, compare, scripted_candidates
from assistant.experiments.context_replay import RESERVE, Kept, measure, questions, replayed
from assistant.experiments.learner import Learner, Studied, follow
from assistant.experiments.long_talk import long_talk
from assistant.experiments.own_memory import OwnMemory
from assistant.settings import Settings
from assistant.study.companion import Study
from assistant.study.making import Wish
from memory_store import Draft
from memory_store.ledger import Ledger
from memory_store.testing import FrozenClock, TinyEmbedder


def test_the_long_talk_holds_its_facts_and_is_the_same_every_time() -> None:
    """Each question names the turn that answers it."""
    talk = long_talk(turns=60, facts=5)
    assert talk == long_talk(turns=60, facts=5)
    assert len(talk["records"]) == 120
    texts = {record["id"]: record["text"] for record in talk["records"]}
    assert len(talk["questions"]) == 5
    for question in talk["questions"]:
        assert texts[question["evidence"][0]] == question["answer"]


def test_a_replay_keeps_every_request_within_its_limit() -> None:
    """What was said before a turn, and nothing of later, stands in its request."""
    talk = long_talk(turns=24, facts=3)
    with replayed(talk) as replay:
        session, requests = replay.replay(1024, every=8)
        kept = Kept()
        measure(replay, questions(talk), 1024, session, kept)
    assert [turn for turn, _ in requests] == [1, 9, 17]
    assert all(context.tokens <= 1024 - RESERVE for _, context in requests)
    assert requests[0][1].parts["memories"] == 0
    assert kept.questions == 3
    assert kept.over_bound == 0
    assert kept.shares()["ours"] >= kept.shares()["window"]


def test_candidates_are_compared_case_by_case(home) -> None:
    """The one that follows the script passes; the one that calls no tool does not."""
    cases = [case for case in load_suite("core") if case.id in ("stale-stock-en", "dog-en")]
    rows = compare(
        cases,
        scripted_candidates(),
        Settings.load(home),
        embedder=TinyEmbedder(),
        progress=False,
    )
    assert len(rows) == 4
    passed = rows.groupby("candidate")["passed"].mean()
    assert passed["follows the script"] == 1
    assert passed.min() < 1
    assert rows[~rows["passed"]]["failures"].str.len().min() > 0


def test_without_a_model_there_are_the_stand_ins(home, monkeypatch) -> None:
    """So that the notebook runs anywhere."""
    monkeypatch.setattr("assistant.model.download.is_fetched", lambda _folder: False)
    with candidates_here(home) as candidates:
        assert [one.name for one in candidates] == [one.name for one in scripted_candidates()]


def test_each_named_model_of_a_server_is_a_candidate(home, monkeypatch) -> None:
    """Beside the stand-ins, which are their ceiling and floor."""
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:9/v1")
    with candidates_here(home, ["small", "large"]) as candidates:
        assert [one.name for one in candidates][:2] == ["small", "large"]
        assert len(candidates) == 4


def studied(folder: Path, learner: Learner) -> Studied:
    """Three weeks of SQL, followed by a learner."""
    zone = ZoneInfo("Asia/Shanghai")
    clock = FrozenClock(datetime(2026, 3, 2, 9, tzinfo=zone))
    ledger = Ledger(folder / "ledger.db")
    study = Study(ledger, clock=clock, zone=zone)
    study.make(Wish("我零基础，想用3周学习SQL，每周3小时"))
    try:
        return follow(study, clock, learner, most=8)
    finally:
        ledger.close()


def test_a_learner_who_always_comes_ends_when_the_plan_does(tmp_path) -> None:
    """Nothing is ever behind, and the forecast says so."""
    course = studied(tmp_path, Learner(diligence=1, slowness=1, bad_weeks=()))
    last = course.weeks.iloc[-1]
    assert course.finished is not None
    assert course.finished <= last["plan_end"]
    assert last["earned"] == pytest.approx(last["total"])
    assert (course.weeks["spi"] >= 0.99).all()
    assert (course.weeks["adjusted"] == "").all()


def test_a_learner_who_falls_behind_is_told_and_adjusts(tmp_path) -> None:
    """A bad week lowers the index; the plan gets a new version, and no finished work is lost."""
    course = studied(tmp_path, Learner(diligence=0.9, bad_weeks=(1, 2)))
    assert course.weeks["spi"].min() < 0.85
    assert course.weeks["version"].iloc[-1] > 1
    assert course.weeks["earned"].is_monotonic_increasing


def test_an_empty_home_shows_a_demonstration_and_is_left_empty(home) -> None:
    """It says so, and touches nothing of the user's."""
    with OwnMemory(home) as own:
        assert "demonstration" in own.told
        assert own.store.stats().chunks > 100
    assert not (home / "ledger.db").exists()


def test_a_home_with_memories_is_shown_itself(home) -> None:
    """The demonstration is only for those who have nothing yet."""
    from assistant.app import App

    with App.open(Settings.load(home)) as app:
        app.store.remember([Draft("note", "Tea at five.")])
    with OwnMemory(home) as own:
        assert own.told == f"Your own memory in {home}: 1 chunks."
        assert [chunk.text for chunk in own.store.chunks()] == ["Tea at five."]
