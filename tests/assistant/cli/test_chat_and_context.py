"""Slash commands and `assistant context`: in the user's language, and they leave nothing behind."""

import pytest

from assistant.testing import ScriptedServer, says

REQUEST = {"en": "Please tell me a story.", "zh": "请讲一个故事。"}


@pytest.fixture
def served(uses):
    """A server that answers each question in the same words."""
    with ScriptedServer(lambda _body: says("Once.")) as server:
        uses(server)
        yield server


def test_context_speaks_the_language_of_the_session(served, run) -> None:
    """Its table has the words and plurals of the language of what was asked last."""
    for language, said in (("en", "1 turn "), ("zh", "近期对话")):
        assert run("ask", REQUEST[language], "--session", language).code == 0
        shown = run("context", "--session", language)
        assert (shown.code, shown.err) == (0, "")
        assert said in f"{shown.out} "
        assert "turns" not in shown.out
        assert ("window" in shown.out) == (language == "en")


def test_the_bar_is_as_wide_as_the_limit_and_tells_parts_apart(served, run) -> None:
    """Without colours too: each part's mark stands before its name, and what is free is a part."""
    run("ask", REQUEST["en"], "--session", "one")
    shown = run("context", "--session", "one").out
    bar = next(line for line in shown.splitlines() if line.startswith("█"))
    assert len(bar.strip()) == 60
    for part in ("█ system", "█ window", "▒ question", "· free", "░ reserve"):
        assert part in shown
        assert part[0] in bar
    parts = run("context", "--session", "one", "--json").json["parts"]
    assert "free" not in parts


def test_slash_commands_before_a_question_make_no_session(served, run) -> None:
    """`/context` in a new chat shows what a request would hold and leaves nothing behind."""
    chat = run("chat", stdin=b"/context\n/sessions\n/quit\n")
    assert chat.code == 0, chat.err
    assert "reserve" in chat.out
    assert "no session yet" in run("context").err


@pytest.mark.parametrize(
    ("language", "said"),
    [
        ("zh", ("列出会话", "近期对话", "提问 · 有效", "没有命令 /contxt。是不是 /context？")),
        ("en", ("list the sessions", "window", "question · fresh", "Did you mean /context?")),
    ],
)
def test_slash_commands_speak_the_language_that_is_typed(language, said, served, run) -> None:
    """After a Chinese question help, context and mistakes are told in Chinese."""
    chat = run("chat", stdin=f"{REQUEST[language]}\n/help\n/context\n/memory\n/contxt\n".encode())
    assert chat.code == 0, chat.err
    for words in said:
        assert words in chat.out + chat.err
