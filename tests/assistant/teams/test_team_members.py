"""A team over the real loop: members see what is theirs, and the answer is remembered."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

import pytest

from assistant.app import App
from assistant.errors import UserError
from assistant.messages import Json
from assistant.model.client import OpenAIChatModel
from assistant.settings import Settings
from assistant.teams.asking import ask_team
from assistant.teams.members import Members
from assistant.teams.spec import TeamSpec, load_team
from assistant.testing import Reply, ScriptedServer, calls, says
from assistant.tools import ToolRegistry, tool
from memory_store import Verdict

NOW = datetime(2026, 3, 2, 9, tzinfo=UTC)
TEAM = TeamSpec.model_validate(
    {
        "kind": "pipeline",
        "members": [
            {"name": "buyer", "prompt": "You look up stock.", "tools": ["get_stock"]},
            {"name": "writer", "prompt": "You write reports."},
        ],
    }
)


@tool(description="How many pieces of an article are in stock.", max_age="1d")
def get_stock(sku: str) -> str:
    return f"{sku}: 7 pieces"


@contextmanager
def team_app(home: Path, script: list[Reply]) -> Iterator[tuple[App, ScriptedServer]]:
    now = [NOW]
    settings = Settings.load(home=home, protocol="tools")
    with (
        ScriptedServer(script) as server,
        App.open(settings, clock=lambda: now[0]) as app,
    ):
        app.model = OpenAIChatModel("scripted", base_url=server.url, api_key="test")
        app.tools = ToolRegistry([get_stock])
        yield app, server
        app.model.close()


def texts(request: dict[str, Json]) -> str:
    return "\n".join(str(message["content"]) for message in request["messages"])


def test_members_share_nothing_but_messages(tmp_path: Path) -> None:
    """The writer sees the buyer's text, but neither its prompt, its tools nor its tool results."""
    script = [
        calls(("get_stock", {"sku": "42"})),
        says("There are seven lamps. [DONE]"),
        says("Report: seven lamps. [DONE]"),
    ]
    with team_app(tmp_path, script) as (app, server):
        result = ask_team(app, TEAM, "Report on the lamps")
        assert result.answer == "Report: seven lamps."
        buyer, writer = server.requests[0], server.requests[2]
        assert "You look up stock." in texts(buyer)
        assert [t["function"]["name"] for t in buyer["tools"]] == ["get_stock"]
        assert "You write reports." in texts(writer)
        assert "seven lamps" in texts(writer)
        assert "You look up stock." not in texts(writer)
        assert "7 pieces" not in texts(writer)
        assert not writer.get("tools")


def test_the_answer_is_remembered_and_ages_as_its_sources(tmp_path: Path) -> None:
    """A team's answer made from a result that lasts a day is stale three days later."""
    script = [
        calls(("get_stock", {"sku": "42"})),
        says("There are seven lamps. [DONE]"),
        says("Report: seven lamps. [DONE]"),
    ]
    with team_app(tmp_path, script) as (app, _server):
        ask_team(app, TEAM, "Report on the lamps")
        (answer,) = app.store.chunks(kind="answer")
        assert app.store.judge([answer.id])[answer.id].verdict is Verdict.FRESH
    later = datetime(2026, 3, 5, 9, tzinfo=UTC)
    with App.open(Settings.load(home=tmp_path), clock=lambda: later) as app:
        assert app.store.judge([answer.id])[answer.id].verdict is Verdict.STALE


def test_a_member_that_names_an_unknown_tool_is_refused(tmp_path: Path) -> None:
    """Nothing is asked of the model; the message names the member and the tools there are."""
    wrong = TEAM.model_copy(
        update={"members": (TEAM.members[0].model_copy(update={"tools": ("fly",)}),)}
    )
    with team_app(tmp_path, []) as (app, _server), pytest.raises(UserError, match=r"buyer.*fly"):
        Members(app, wrong)


@pytest.mark.parametrize("example", ["study_plan", "data_report"])
def test_the_examples_name_tools_that_there_are(example: str, tmp_path: Path) -> None:
    """A shipped team finds every tool that its members may call."""
    with (
        App.open(Settings.load(home=tmp_path), clock=lambda: NOW) as app,
        Members(app, load_team(example)),
    ):
        pass
