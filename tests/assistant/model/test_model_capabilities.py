"""The capability record of models."""

from pathlib import Path

from assistant.model.capabilities import Capabilities, Capability
from assistant.model.client import OpenAIChatModel
from memory_store.ledger import Ledger


def model(name: str = "m", address: str = "http://127.0.0.1:1/v1") -> OpenAIChatModel:
    return OpenAIChatModel(name, base_url=address, api_key="test")


def test_nothing_is_known_of_a_new_model(tmp_path: Path) -> None:
    """Before anything was tried, both features are unknown, not missing."""
    capabilities = Capabilities(Ledger(tmp_path / "ledger.db"))
    assert capabilities.of(model()) == Capability(tools=None, response_schema=None)


def test_a_finding_is_remembered_by_the_next_process(tmp_path: Path) -> None:
    """A rejected feature is known after the ledger is opened anew, and the last finding counts."""
    first = Ledger(tmp_path / "ledger.db")
    Capabilities(first).learn(model(), "tools", True)
    Capabilities(first).learn(model(), "tools", False)
    Capabilities(first).learn(model(), "response_schema", True)
    first.close()
    second = Capabilities(Ledger(tmp_path / "ledger.db"))
    assert second.of(model()) == Capability(tools=False, response_schema=True)


def test_models_of_one_name_at_two_addresses_are_two_models(tmp_path: Path) -> None:
    """What one server rejects is not held against another with a model of the same name."""
    capabilities = Capabilities(Ledger(tmp_path / "ledger.db"))
    capabilities.learn(model(), "tools", False)
    assert capabilities.of(model(address="http://127.0.0.1:2/v1")) == Capability()
    assert capabilities.of(model(name="other")) == Capability()
