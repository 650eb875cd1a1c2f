"""What goes wrong outside: one clear line, the right exit code, and the question is kept."""

import json
import signal
import time

import pytest

from assistant.testing import ScriptedServer, calls, fails, says, stalls


def questions(machine) -> list[str]:
    """Every question that is remembered."""
    listed = machine.run("memory", "list", "--kind", "question", "--json").json["memories"]
    return [memory["text"] for memory in listed]


def test_an_unreachable_server_keeps_the_question_and_retry_answers_it(machine) -> None:
    """Exit 1 with the address; once the server is back, `ask --retry` asks again."""
    with ScriptedServer([says("Porto.")]) as server:
        machine.uses(server)
        machine.env["OPENAI_BASE_URL"] = "http://127.0.0.1:9/v1"
        failed = machine.run("ask", "Where do I live?", "--session", "s", "--json")
        assert failed.code == 1
        assert failed.json["error"]["code"] == "model_unreachable"
        assert "127.0.0.1:9" in failed.json["error"]["message"]
        assert "assistant ask --retry --session 's'" in failed.json["error"]["hint"]
        assert questions(machine) == ["Where do I live?"]
        machine.uses(server)
        again = machine.run("ask", "--retry", "--session", "s")
    assert again.out == "Porto.\n"
    assert questions(machine) == ["Where do I live?"]


def test_a_refused_key_is_one_line_without_the_key(machine) -> None:
    """The message says what to set; the key is in neither output nor log."""
    with ScriptedServer([], api_key="another") as server:
        machine.uses(server)
        failed = machine.run("--verbose", "ask", "Hello?")
    assert failed.code == 1
    [line] = [line for line in failed.err.splitlines() if line.startswith("assistant: ")]
    assert "OPENAI_API_KEY" in line
    log = (machine.home / "logs" / "assistant.log").read_text()
    assert "sk-test-key" not in failed.out + failed.err + log
    assert questions(machine) == ["Hello?"]


def test_an_unknown_model_is_named(machine) -> None:
    """The message names the model and how to choose another."""
    with ScriptedServer([]) as server:
        machine.uses(server)
        machine.env["ASSISTANT_MODEL"] = "gpt-imaginary"
        failed = machine.run("ask", "Hello?", "--json")
    assert failed.code == 1
    assert failed.json["error"]["code"] == "model_refused"
    assert "gpt-imaginary" in failed.json["error"]["message"]


def test_a_server_that_fails_once_is_asked_again(machine) -> None:
    """One retry layer hides a passing failure; a piped question gets its answer, and it alone."""
    with ScriptedServer([fails(503), says("Here.")]) as server:
        machine.uses(server)
        assert machine.run("ask", "-", stdin=b"Are you there?\n").out == "Here.\n"
        assert "Are you there?" in server.requests[0]["messages"][-1]["content"]


def test_without_server_and_model_it_says_how_to_get_one(machine, tmp_path) -> None:
    """No key, no address, nothing fetched: exit 1, the command to run, the question kept."""
    machine.env["XDG_CACHE_HOME"] = str(tmp_path / "cache")
    failed = machine.run("ask", "Hello?")
    assert failed.code == 1
    assert "assistant doctor --fetch" in failed.err.splitlines()[-1]
    assert questions(machine) == ["Hello?"]
    doctor = machine.run("doctor", "--json")
    assert doctor.code == 1
    model = next(check for check in doctor.json["checks"] if check["name"] == "model")
    assert not model["ok"]
    assert "doctor --fetch" in model["todo"]


@pytest.mark.parametrize(
    ("arguments", "stdin", "said"),
    [
        (["ask", ""], b"", "empty"),
        (["ask", "-"], b"", "empty"),
        (["ask", "-"], b"\xff\xfe\x00\x01", "not UTF-8"),
        (["ask", "-"], b"word " * 400_000, "200,000"),
        (["ask", "Hello?", "--session", "../evil"], b"", "session name"),
        (["ask", "Hello?", "--session", ""], b"", "session name"),
        (["ask", "Hello?", "--protocol", "magic"], b"", "allowed are"),
        (["--now", "tomorrow", "ask", "Hello?"], b"", "--now"),
    ],
)
def test_wrong_input_is_refused_before_anything_happens(machine, arguments, stdin, said) -> None:
    """Exit 2, one JSON error, and no model was asked."""
    with ScriptedServer([]) as server:
        machine.uses(server)
        failed = machine.run(*arguments, "--json", stdin=stdin)
    assert failed.code == 2, failed
    assert said in failed.json["error"]["message"]


def test_a_user_tool_whose_file_is_broken_is_named(machine, tmp_path) -> None:
    """The error names the file; nothing runs."""
    tools = tmp_path / "my_tools.py"
    tools.write_text("def broken(:\n")
    machine.env["ASSISTANT_TOOLS"] = str(tools)
    with ScriptedServer([]) as server:
        machine.uses(server)
        failed = machine.run("ask", "Hello?", "--json")
    assert failed.code == 2
    assert json.loads(failed.out)["error"]["code"] == "bad_tool"
    assert str(tools) in failed.json["error"]["message"]


def test_what_a_user_tool_prints_does_not_spoil_the_json(machine, tmp_path) -> None:
    """Its file's and its function's prints go to stderr; stdout is one JSON object."""
    tools = tmp_path / "loud.py"
    tools.write_text(
        "from assistant.tools import tool\n"
        "print('loud at load')\n"
        "@tool(description='The stock.')\n"
        "def get_stock(sku: str) -> str:\n"
        "    print('loud at call')\n"
        "    return f'There are 7 of {sku}.'\n"
    )
    machine.env["ASSISTANT_TOOLS"] = str(tools)
    with ScriptedServer([calls(("get_stock", {"sku": "a"})), says("7.")]) as server:
        machine.uses(server)
        done = machine.run("ask", "How many of a?", "--json")
    assert done.json["answer"] == "7."
    assert "loud at load" in done.err
    assert "loud at call" in done.err


def test_ctrl_c_keeps_the_question_and_retry_answers_it(machine) -> None:
    """Exit 130, one JSON error that says how to ask again; nothing else on standard output."""
    with ScriptedServer([stalls("It is a long"), says("Porto.")]) as server:
        machine.uses(server)
        asked = machine.start("ask", "Where do I live?", "--json")
        while not server.requests and asked.poll() is None:
            time.sleep(0.05)
        asked.send_signal(signal.SIGINT)
        out, err = asked.communicate(timeout=60)
        assert asked.returncode == 130, err
        error = json.loads(out)["error"]
        assert error["code"] == "interrupted"
        assert "assistant ask --retry" in error["hint"]
        assert questions(machine) == ["Where do I live?"]
        assert machine.run("ask", "--retry").out == "Porto.\n"
