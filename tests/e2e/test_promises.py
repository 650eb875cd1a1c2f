"""The first promises, each line a new process, over the network, with native tool calls.

The scripted model answers from what its request holds, as a good model would.
"""

import re
from pathlib import Path

import pytest

from assistant.context.tokens import Counter
from assistant.testing import Reply, ScriptedServer, calls, says

MONDAY, WEDNESDAY, THURSDAY = (f"2026-03-0{day}T09:00:00+08:00" for day in (2, 4, 5))

KEYS = ["answer", "session", "run", "model", "protocol", "stopped"]
KEYS += ["steps", "memories", "dropped", "tokens"]
MEMORY_KEYS = ["id", "kind", "text", "created_at", "subject", "verdict", "score"]
TOKEN_KEYS = ["limit", "reserve", "largest_request", "prompt", "completion", "parts"]


def told(body: dict) -> str:
    """All that a request says."""
    return "\n".join(str(message["content"]) for message in body["messages"])


@pytest.mark.parametrize(
    ("statement", "question", "answer"),
    [
        (
            "I am learning linear algebra and have 6 hours a week for it.",
            "How many hours a week do I have for linear algebra?",
            "You have 6 hours a week for it.",
        ),
        ("我在学线性代数，每周有6小时。", "我每周有几个小时学线性代数？", "你每周有6小时。"),
    ],
)
def test_it_remembers_in_a_new_process(machine, statement, question, answer) -> None:
    """What was said two days ago is among the memories as fresh, and the model is told it."""

    def model(body: dict) -> Reply:
        return says(answer if statement in told(body) and question in told(body) else "好的 OK")

    with ScriptedServer(model) as server:
        machine.uses(server)
        machine.ask(statement, now=MONDAY)
        run = machine.ask(question, now=WEDNESDAY)
    assert run["answer"] == answer
    remembered = {memory["text"]: memory for memory in run["memories"]}
    assert remembered[statement]["verdict"] == "fresh"
    assert remembered[statement]["created_at"].startswith("2026-03-02T01:00:00")


def test_the_json_object_is_the_contract(machine) -> None:
    """`ask --json` prints exactly these keys, and nothing else on standard output."""
    script = [calls(("calculate", {"expression": "123 * 456 + 1"})), says("It is 56089.")]
    with ScriptedServer(script) as server:
        machine.uses(server)
        machine.run("memory", "add", "Numbers are my hobby: 123 * 456 + 1 is a sum.")
        run = machine.ask("What is 123 * 456 + 1?", "--session", "sums")
    assert list(run) == KEYS
    assert (run["answer"], run["session"], run["stopped"]) == ("It is 56089.", "sums", "answered")
    assert (run["model"], run["protocol"]) == ("scripted", "tools")
    [step] = run["steps"]
    assert list(step) == ["tool", "arguments", "observation", "ok"]
    assert (step["tool"], step["arguments"]) == ("calculate", {"expression": "123 * 456 + 1"})
    assert "56089" in step["observation"]
    assert step["ok"] is True
    assert list(run["memories"][0]) == MEMORY_KEYS
    assert all(list(dropped) == [*MEMORY_KEYS, "reason"] for dropped in run["dropped"])
    assert list(run["tokens"]) == TOKEN_KEYS
    tokens = run["tokens"]
    assert 0 < tokens["largest_request"] <= tokens["limit"] - tokens["reserve"]
    assert sum(tokens["parts"].values()) == tokens["largest_request"]
    assert min(tokens["prompt"], tokens["completion"]) > 0


def test_days_between_is_counted_by_code(machine) -> None:
    """The model asks the tool, and is told 347."""
    arguments = {"start": "2026-01-18", "end": "2026-12-31"}

    def model(body: dict) -> Reply:
        last = body["messages"][-1]
        if last["role"] == "tool":
            return says(f"There are {re.search(r'347', last['content'])[0]} days.")
        names = [tool["function"] for tool in body["tools"]]
        schema = next(tool for tool in names if tool["name"] == "days_between")["parameters"]
        return calls(
            ("days_between", dict(zip(schema["properties"], arguments.values(), strict=False)))
        )

    with ScriptedServer(model) as server:
        machine.uses(server)
        run = machine.ask("How many days are there from 2026-01-18 to 2026-12-31?")
    assert "347" in run["answer"]
    assert [step["tool"] for step in run["steps"]] == ["days_between"]


@pytest.fixture
def stock(machine, tmp_path: Path):
    """A shop: a file with the stock, and the user's own tool that reads it."""
    file = tmp_path / "stock.txt"
    tools = tmp_path / "my_tools.py"
    machine.env["ASSISTANT_TOOLS"] = str(tools)

    def opened(contract: str) -> Path:
        tools.write_text(
            "import hashlib\nfrom pathlib import Path\nfrom assistant.tools import tool\n"
            f"FILE = Path({str(file)!r})\n"
            "def version(sku: str) -> str:\n"
            "    return hashlib.sha256(FILE.read_bytes()).hexdigest()\n"
            f"@tool(description='How many of an article are in stock, by sku.', {contract})\n"
            "def get_stock(sku: str) -> str:\n"
            "    return f'{FILE.read_text()} pieces of {sku} are in stock.'\n"
        )
        file.write_text("7")
        return file

    return opened


def shopkeeper(body: dict) -> Reply:
    """Calls `get_stock`, and answers from the result."""
    last = body["messages"][-1]
    if last["role"] == "tool":
        return says(f"There are {last['content'].split()[0]} pieces of sku 42.")
    return calls(("get_stock", {"sku": "42"}))


QUESTION = "How many pieces of sku 42 are in stock?"


@pytest.mark.parametrize("session", ["shop", "another"])
def test_an_old_result_and_the_answer_made_from_it_are_not_passed_as_current(
    machine, stock, session
) -> None:
    """After its day, neither the tool's 7 nor the assistant's own 7 is told as today's."""
    file = stock("max_age='1d'")
    with ScriptedServer(shopkeeper) as server:
        machine.uses(server)
        monday = machine.ask(QUESTION, "--session", "shop", now=MONDAY)
        assert "7" in monday["answer"]
        file.write_text("0")
        thursday = machine.ask(QUESTION, "--session", session, now=THURSDAY)
        last_day = [body for body in server.requests if "5 March 2026" in told(body)]
    assert "0" in thursday["answer"]
    assert "7" not in thursday["answer"]
    assert [step["tool"] for step in thursday["steps"]] == ["get_stock"]
    for memory in thursday["memories"]:
        assert "7" not in memory["text"] or memory["verdict"] == "stale", memory
    marks = re.compile("out of date|may have changed|no longer|old|stale|as of", re.IGNORECASE)
    for body in last_day:
        for message in body["messages"]:
            if "7 pieces" in str(message["content"]):
                assert marks.search(message["content"]), message
    if session == "another":
        left = {m["kind"]: m["verdict"] for m in thursday["dropped"] + thursday["memories"]}
        assert left["tool_result"] in ("stale", "superseded")
        assert left["answer"] in ("stale", "superseded")


def test_a_validator_that_sees_no_change_spares_the_call(machine, stock) -> None:
    """With `max_age=0s` and an unchanged file the old result is revalidated and used."""
    stock("max_age='0s', validator=version")

    def model(body: dict) -> Reply:
        memories = told({"messages": body["messages"][1:]})
        known = "7 pieces of 42" in memories and "out of date" not in memories
        return says("There are 7.") if known else shopkeeper(body)

    with ScriptedServer(model) as server:
        machine.uses(server)
        machine.ask(QUESTION, now=MONDAY)
        again = machine.ask(QUESTION, now=THURSDAY)
    assert again["steps"] == []
    assert "7" in again["answer"]
    verdicts = {memory["kind"]: memory["verdict"] for memory in again["memories"]}
    assert verdicts["tool_result"] == "revalidated"


def test_a_validator_that_sees_a_change_leaves_the_old_result_out(machine, stock) -> None:
    """A changed source makes its result `changed`: it is dropped, and called for again."""
    file = stock("max_age='0s', validator=version")
    with ScriptedServer(shopkeeper) as server:
        machine.uses(server)
        machine.ask(QUESTION, now=MONDAY)
        file.write_text("0")
        again = machine.ask(QUESTION, now=THURSDAY)
    assert "0" in again["answer"]
    assert [step["tool"] for step in again["steps"]] == ["get_stock"]
    dropped = {memory["kind"]: memory for memory in again["dropped"]}
    assert dropped["tool_result"]["verdict"] == "changed"
    assert dropped["tool_result"]["reason"]


@pytest.mark.long
def test_sixty_turns_stay_within_a_small_context_and_nothing_is_forgotten(machine) -> None:
    """At 4,000 tokens every request is within the bound, and turn 2's fact is still told."""
    machine.env |= {"ASSISTANT_CONTEXT_LIMIT": "4000", "ASSISTANT_REPLY_RESERVE": "500"}
    filler = "The weather was mild and we talked about gardens, bread and the sea. " * 4

    def model(body: dict) -> Reply:
        if "Old summary" in told(body):
            return says("Facts: the user talked about gardens.")
        return says("Your locker code is 4471." if "locker code is 4471" in told(body) else filler)

    lines = [f"Turn {number}: tell me more about gardens. {filler}" for number in range(1, 60)]
    lines[1] = "Turn 2: my locker code is 4471."
    with ScriptedServer(model) as server:
        machine.uses(server)
        chat = machine.run("chat", "--session", "long", stdin="\n".join(lines).encode())
        assert chat.code == 0, chat.err
        run = machine.ask("What is my locker code?", "--session", "long")
        requests = list(server.requests)
    assert "4471" in run["answer"]
    assert run["tokens"]["largest_request"] <= 3_500
    assert len(requests) >= 60
    count = Counter("scripted").count
    for body in requests:
        assert sum(count(str(message["content"])) for message in body["messages"]) <= 3_500
