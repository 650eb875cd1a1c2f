"""A memory at a glance: topics, twins and verdicts of every chunk; pictures of them."""

from datetime import UTC, datetime
from pathlib import Path

import pytest

from memory_store import Draft, MemoryStore
from memory_store.errors import InvalidInput
from memory_store.experiments import pictures
from memory_store.experiments.demonstration import fill
from memory_store.experiments.overview import cluster, name_topics, overview, project
from memory_store.testing import FrozenClock, TinyEmbedder

CLOCK = FrozenClock(datetime(2026, 9, 1, tzinfo=UTC))


def opened(folder: Path) -> MemoryStore:
    """An empty memory with a tiny embedder."""
    return MemoryStore.open(folder, clock=CLOCK, embedder=TinyEmbedder())


def test_the_demonstration_has_something_of_everything(tmp_path) -> None:
    """Fresh, stale and superseded memories, both languages, things said twice, several topics."""
    with opened(tmp_path) as store:
        count = fill(store)
        memory = overview(store)
    assert len(memory) == count > 150
    assert set(memory["verdict"]) == {"fresh", "stale", "superseded"}
    assert memory["created"].max() < CLOCK.now
    assert memory["created"].is_monotonic_increasing
    assert memory["topic"].nunique() > 3
    assert memory["twin"].notna().any()
    assert memory[["x", "y"]].notna().all(axis=None)


@pytest.mark.parametrize("count", [0, 1, 2, 5, 40])
def test_a_memory_of_any_size_can_be_looked_at(count, tmp_path) -> None:
    """Empty, tiny or large enough for a map: nothing fails, and pictures can be drawn."""
    with opened(tmp_path) as store:
        store.remember([Draft("note", f"Note {n} about tea, 茶 {n * n}.") for n in range(count)])
        memory = overview(store)
    assert len(memory) == count
    if count:
        assert pictures.png(pictures.draw_map(memory)).startswith(b"\x89PNG")
        assert pictures.png(pictures.draw_timeline(memory)).startswith(b"\x89PNG")


def test_what_says_nearly_the_same_names_its_twin(tmp_path) -> None:
    """The later one points to the earlier one."""
    with opened(tmp_path) as store:
        bike = "My bike is blue and stands in the yard behind the house by the river"
        said = (bike, "The exam is in July.", f"{bike}!")
        chunks = store.remember([Draft("note", text) for text in said])
        memory = overview(store).set_index("text")
    assert memory["twin"][f"{bike}!"] == chunks[0].id
    assert memory["twin"].isna().sum() == 2


def test_another_owners_memories_are_not_looked_at(tmp_path) -> None:
    """As everywhere, the owner is fixed."""
    with opened(tmp_path) as store:
        store.remember([Draft("note", "Mine.")])
    with MemoryStore.open(tmp_path, owner="she", embedder=TinyEmbedder()) as other:
        assert overview(other).empty


def test_groups_and_places_are_the_same_every_time() -> None:
    """Seeded, and the largest group comes first."""
    texts = ["tea and cake"] * 7 + ["linear algebra 矩阵"] * 3
    points = TinyEmbedder().embed(texts)
    groups = cluster(points)
    assert groups == cluster(points) == [0] * 7 + [1] * 3
    assert (project(points) == project(points)).all()
    assert name_topics(texts, groups)[0].startswith("1: ")
    assert "cake" in name_topics(texts, groups)[0]
    assert "矩阵" in name_topics(texts, groups)[-1]


def test_a_picture_of_another_form_is_refused(tmp_path) -> None:
    """PNG and HTML are what there is."""
    with pytest.raises(InvalidInput, match=r"\.png"):
        pictures.write(pictures.new_figure(), tmp_path / "x.svg", title="x")
