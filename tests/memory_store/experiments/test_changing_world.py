"""A changing world: what is answered is compared with what is true, at the time of asking."""

from datetime import timedelta

import pytest

from memory_store.experiments.changing_world import SOURCES, START, Policy, World, live
from memory_store.testing import TinyEmbedder

WORLD = World(days=30, sources=(SOURCES[0], SOURCES[5], SOURCES[7]), looked_up=6, asked=3)


def test_the_same_seed_makes_the_same_world() -> None:
    """Values change exactly when versions do."""
    again = World(days=30, sources=WORLD.sources, looked_up=6, asked=3)
    assert again.events() == WORLD.events()
    assert World(days=30, sources=WORLD.sources, seed=8).events() != WORLD.events()
    source = SOURCES[0]
    seen = {
        (WORLD.version(source, at), WORLD.value(source, at))
        for at in (START + timedelta(hours=n) for n in range(0, 720, 3))
    }
    assert len({version for version, _ in seen}) == len(seen) > 2


@pytest.mark.parametrize("validated", [False, True])
def test_a_result_that_must_be_checked_at_every_use_is_never_out_of_date(
    validated, tmp_path
) -> None:
    """With max_age 0 the tool is called every time; a validator saves calls, not truth."""
    policy = Policy(timedelta(0), validated=validated)
    rows = live(WORLD, policy, tmp_path, TinyEmbedder(256))
    assert not rows["stale"].any()
    tools = rows[rows["subject"] != "user.room"]
    if validated:
        assert set(tools["how"]) == {"validated", "called"}
    else:
        assert set(tools["how"]) == {"called"}


def test_the_plain_store_answers_with_what_was_and_this_memory_with_the_newest(tmp_path) -> None:
    """What the user states is always current here; the plain store picks any of its texts."""
    ours = live(WORLD, Policy(), tmp_path / "ours", TinyEmbedder(256))
    plain = live(WORLD, Policy(plain=True), tmp_path / "plain", TinyEmbedder(256))
    assert plain["stale"].mean() > ours["stale"].mean()
    assert not ours[ours["subject"] == "user.room"]["stale"].any()
    assert (ours["how"] == "memory").all()
