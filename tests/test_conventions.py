"""What the code keeps to: who imports what, sizes, names, and documents that are true."""

import ast
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from assistant.cli.main import COMMANDS
from assistant.settings import Settings, variable

ROOT = Path(__file__).parent.parent
MODULES = sorted([*ROOT.glob("assistant/**/*.py"), *ROOT.glob("memory_store/**/*.py")])
README = (ROOT / "README.md").read_text()

TOP_LEVEL = {
    ".ci",
    ".git",
    ".gitignore",
    "LICENSE",
    "README.md",
    "assistant",
    "memory_store",
    "notebooks",
    "pyproject.toml",
    "scripts",
    "tests",
}

PUBLIC = {
    "memory_store": (
        "Chunk Draft Dropped Forgotten Freshness Hit Interval Judgement Kind MemoryStore Origin"
        " Passage Recall Scope Score Stats Verdict"
    ),
    "assistant.tools": "RunContext Tool ToolFailed ToolRegistry ToolResult tool",
}

ONLY_IMPORTER = {
    "chromadb": {"memory_store/index.py"},
    "openai": {"assistant/model/client.py"},
    "tiktoken": {"assistant/context/tokens.py"},
    "xllamacpp": {"assistant/model/local.py"},
}


def place(path: Path) -> str:
    """A module's path from the project's root."""
    return path.relative_to(ROOT).as_posix()


def imports(path: Path) -> Iterator[str]:
    """The dotted names that a module imports, anywhere in it."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.level == 0:
            yield node.module or ""


def importers(package: str) -> set[str]:
    """The modules that import a package."""
    return {
        place(path)
        for path in MODULES
        if any(name.split(".")[0] == package for name in imports(path))
    }


@pytest.mark.parametrize("package", PUBLIC)
def test_exported_names_change_only_on_purpose(package) -> None:
    """What users import stands here, so that a change of it shows."""
    module = sys.modules[package] if package in sys.modules else __import__(package, fromlist=["x"])
    assert sorted(module.__all__, key=str) == PUBLIC[package].split()
    assert all(hasattr(module, name) for name in module.__all__)


def test_the_memory_store_stands_alone() -> None:
    """It imports neither the assistant nor a model's client."""
    for path in ROOT.glob("memory_store/**/*.py"):
        roots = {name.split(".")[0] for name in imports(path)}
        assert not roots & {"assistant", "openai", "tiktoken", "typer", "rich"}, path


@pytest.mark.parametrize("package", ONLY_IMPORTER)
def test_a_heavy_package_has_one_importer(package) -> None:
    """Another implementation would change one module."""
    assert importers(package) == ONLY_IMPORTER[package]


def test_only_the_settings_read_the_environment() -> None:
    """Everything that can be set is found in one place."""
    readers = {
        place(path)
        for path in MODULES
        if re.search(r"os\.environ\b|\bgetenv\(", path.read_text())
        and not place(path).startswith("assistant/context/encodings")
    }
    assert readers <= {
        "assistant/settings.py",
        "assistant/context/tokens.py",  # tells tiktoken where its files are
        "assistant/jobs/notifiers.py",  # passes it on to the user's command
    }


@pytest.mark.parametrize("path", MODULES, ids=place)
def test_every_module_is_short_and_says_its_role(path) -> None:
    """At most 400 lines, and the first one says what it is for."""
    text = path.read_text()
    assert len(text.splitlines()) <= 400
    assert ast.get_docstring(ast.parse(text)), f"{place(path)} says nothing of its role"


def test_importing_the_packages_runs_nothing_heavy() -> None:
    """`import assistant, memory_store` loads no torch, no index, no client."""
    code = "import assistant, memory_store, sys; print(*{n.split('.')[0] for n in sys.modules})"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert not {"torch", "chromadb", "tiktoken", "openai", "numpy"} & set(done.stdout.split())


def test_the_top_level_holds_only_what_belongs_there() -> None:
    """A newcomer sees the whole project at a glance."""
    listed = subprocess.run(
        ["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    if listed.returncode == 0:
        assert {line.split("/")[0] for line in listed.stdout.splitlines()} <= TOP_LEVEL


def test_the_readme_names_every_setting_and_command() -> None:
    """What can be set and typed is documented."""
    for field in Settings.model_fields:
        assert variable(field) in README
    for command in COMMANDS:
        assert f"assistant {command}" in README


def readme_blocks(language: str) -> list[str]:
    """The README's code blocks of a language."""
    return re.findall(rf"```{language}\n(.*?)```", README, re.DOTALL)


@pytest.mark.parametrize("code", readme_blocks("python"))
def test_the_readmes_python_runs(code, tmp_path, monkeypatch) -> None:
    """Every Python example runs as it stands, in an empty folder."""
    monkeypatch.chdir(tmp_path)
    exec(compile(code, "README.md", "exec"), {"__name__": "readme"})
