"""The catalogue: real courses, found in both languages, extended by the person."""

from __future__ import annotations

from pathlib import Path

import pytest

from assistant.errors import UserError
from assistant.study.catalogue import read_file, shipped
from assistant.study.companion import Study
from assistant.study.course import check_prerequisites, read_course
from assistant.study.search import search


def test_the_shipped_catalogue_is_large_and_sound() -> None:
    """At least 60 courses, each with an address, topics and a length, and no cycle among them."""
    courses = shipped()
    check_prerequisites(courses)
    assert len(courses) >= 60
    assert all(c.url.startswith("https://") and c.topics and c.minutes for c in courses.values())


@pytest.mark.parametrize(
    ("query", "first"),
    [
        ("机器学习", "machine-learning"),
        ("machine learning", "machine-learning"),
        ("线性代数", "linear-algebra"),
        ("数据工程", "ibm-data-engineering"),
        ("Operating Systems", "ostep"),
        ("算法", "hello-algo"),
        ("sql", "kaggle-sql"),
    ],
)
def test_a_topic_is_found_in_english_and_chinese(query: str, first: str) -> None:
    """The best answer to a topic's name is a course about it."""
    assert search(list(shipped().values()), query)[0].course.id == first


def test_a_search_keeps_to_the_level_asked_for(study: Study) -> None:
    """With a level, only courses of that level are found."""
    found = study.catalogue.search("machine learning", level="beginner")
    assert found
    assert {item.course.level for item in found} == {"beginner"}


def test_hours_are_weeks_times_the_middle_of_the_range() -> None:
    """A course of 14 weeks with 6 to 10 hours takes 112 hours."""
    assert shipped()["mit-python"].minutes == 14 * 8 * 60


def test_own_courses_are_imported_from_yaml_and_csv(study: Study, tmp_path: Path) -> None:
    """What a file holds can be searched and shown, as what is shipped can."""
    yaml = tmp_path / "mine.yaml"
    yaml.write_text("- {title: 书法入门, weeks: 4, hours: 2-3, topics: [书法]}\n", "utf-8")
    table = tmp_path / "mine.csv"
    table.write_text(
        'title,weeks,hours,prerequisites,topics\n"Violin, one",3,1.5,,music;violin\n', "utf-8"
    )
    study.catalogue.add([*read_file(yaml), *read_file(table)])
    assert study.catalogue.search("书法")[0].course.minutes == 600
    assert study.catalogue.get("violin-one").topics == ("music", "violin")


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("a.csv", "name,weeks\nx,1\n", "title"),
        ("a.csv", "title,weeks,hours\nx,1\n", "line 2"),
        ("a.csv", "title,weeks,hours\nx,many,1\n", "weeks"),
        ("a.csv", 'title,weeks,hours\n"x,1,2\n', "not CSV"),
        ("a.yaml", "- {title: x, weeks: [\n", "not YAML"),
        ("a.yaml", "- {title: x, weeks: 2, hours: 0}\n", "hours"),
        ("a.yaml", "- {title: x, weeks: 2, hours: 1, level: wizard}\n", "wizard"),
        ("a.yaml", "- {title: x, weeks: 2, hours: 1, color: red}\n", "color"),
        ("a.yaml", "- {title: x, weeks: 2, hours: 1, url: 'file:///etc'}\n", "url"),
        ("a.yaml", "[]\n", "no course"),
        ("a.txt", "x", ".csv or .yaml"),
    ],
)
def test_a_broken_file_is_refused_with_its_place(
    tmp_path: Path, name: str, text: str, said: str
) -> None:
    """The message names the line or entry, and what is wrong there."""
    path = tmp_path / name
    path.write_text(text, "utf-8")
    with pytest.raises(UserError, match=said):
        read_file(path)


def test_a_cycle_of_prerequisites_is_refused_and_nothing_is_stored(study: Study) -> None:
    """The message shows the cycle; none of the courses is added."""
    fields = {"weeks": 1, "hours": 1}
    one = read_course({**fields, "id": "one", "title": "One", "prerequisites": ["two"]}, "one")
    two = read_course({**fields, "id": "two", "title": "Two", "prerequisites": ["one"]}, "two")
    with pytest.raises(UserError, match="cycle"):
        study.catalogue.add([one, two])
    assert "one" not in study.catalogue.all()


def test_an_unknown_course_brings_the_nearest_real_ones(study: Study) -> None:
    """A title that is no course is answered with courses that are."""
    with pytest.raises(UserError, match="machine-learning"):
        study.catalogue.get("Machine Learning for Everyone")


def test_one_owner_does_not_see_the_courses_of_another(open_study: object) -> None:
    """Own courses are the owner's alone."""
    mine, other = open_study("me"), open_study("you")  # type: ignore[operator]
    mine.catalogue.add([read_course({"title": "Mine", "weeks": 1, "hours": 1}, "mine")])
    assert "mine" in mine.catalogue.all()
    assert "mine" not in other.catalogue.all()


def test_a_title_is_one_plain_line() -> None:
    """Line breaks and control characters leave a title, and an endless one is refused."""
    data = {"title": "SQL\x1b[31m\n# red", "weeks": 1, "hours": 1}
    assert read_course(data, "x").title == "SQL [31m # red"
    with pytest.raises(UserError, match="more than 200 characters"):
        read_course({**data, "title": "x" * 201}, "x")
