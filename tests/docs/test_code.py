"""What the pages show runs: Python as it stands, commands with options that exist.

The blocks of a page are run in order as one program, in a process of its own. A block with a title is a file: it is put
under that name into a copy of the package, on which the others run, as a reader would do.
"""

from __future__ import annotations

import ast
import re
import shlex
import shutil
import subprocess
import sys
import tomllib
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

import pytest
import typer
from chat_server import ChatServer

import aiops_gym
from aiops_gym.cli import app

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
FENCE = re.compile(r"^```(?P<info>[^\n`]*)\n(?P<text>.*?)^```$", re.DOTALL | re.MULTILINE)
INLINE = re.compile(r"`([^`\n]+)`")
CALL = re.compile(r"(\w+=\S* )?aiops-gym [a-z]")
EXTRA = re.compile(r"(?:aiops_gym|\.)\[([a-z,-]+)\]")
TITLE = re.compile(r'title="([^"]+)"')

BEFORE = """
import warnings
warnings.simplefilter("error")
import gymnasium
import gymnasium as gym
import aiops_gym
agent = lambda observation: "```\\nsubmit()\\n```"
"""
"""What a page may take for granted."""

SMALLER = {
    'root="/data/openrca"': "root=None",
    '"http://127.0.0.1:8000/v1"': "SERVER",
    "seeds=range(64)": "seeds=range(2)",
    'evaluate("runbook", "all", split="test", seeds=3, workers=2': 'evaluate("runbook", "all", split="test", sample=1',
}
"""What is changed before a page is run: data, servers and hours that a test does not have."""


@dataclass
class Block:
    """One fenced block."""

    language: str
    title: str
    text: str


def blocks(path: Path) -> list[Block]:
    found = []
    for match in FENCE.finditer(path.read_text(encoding="utf-8")):
        title = TITLE.search(match["info"])
        found.append(Block(match["info"].split(" ")[0], title[1] if title else "", match["text"]))
    return found


def named(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


WITH_PYTHON = [path for path in PAGES if any(block.language == "python" for block in blocks(path))]


SOON = ("README.md", "docs/index.md", "docs/howto/index.md")
"""The pages that a newcomer reads first: `make test` runs them, `make test-all` the others."""

RAY = "docs/howto/ray.md"


def when(path: Path) -> tuple[pytest.MarkDecorator, ...]:
    """In which run the Python of a page is tried."""
    name = named(path)
    return () if name in SOON else (pytest.mark.ray if name == RAY else pytest.mark.full,)


def missing(program: str) -> list[str]:
    """The packages that a program imports and that are not installed."""
    names = set()
    for node in ast.walk(ast.parse(program)):
        if isinstance(node, ast.Import):
            names |= {each.name.partition(".")[0] for each in node.names}
        elif isinstance(node, ast.ImportFrom):
            names.add((node.module or "").partition(".")[0])
    return sorted(name for name in names if name != "mine" and not find_spec(name))


@pytest.fixture
def server():
    with ChatServer(lambda messages: '```\nsubmit("Yes")\n```') as running:
        yield running


@pytest.mark.parametrize("page", [pytest.param(path, marks=when(path), id=named(path)) for path in WITH_PYTHON])
def test_the_python_of_a_page_runs(page, tmp_path, server):
    shown = [block for block in blocks(page) if block.language == "python"]
    program = "".join(block.text for block in shown if not block.title)
    for long, short in SMALLER.items():
        program = program.replace(long, short)
    if absent := missing(program):
        pytest.skip(f"not installed: {', '.join(absent)}")
    house = extended([block for block in shown if block.title], tmp_path)
    (tmp_path / "page.py").write_text(f"{BEFORE}SERVER = {server.url!r}\n{program}", encoding="utf-8")
    start = f"import sys, runpy; sys.path.insert(0, {str(house)!r}); runpy.run_path('page.py', run_name='page')"
    done = subprocess.run(
        [sys.executable, "-c", start], cwd=tmp_path, capture_output=True, text=True, check=False, timeout=540
    )
    assert done.returncode == 0, done.stderr


def extended(files: list[Block], place: Path) -> Path:
    """Where the package lies: as it is, or a copy with further files."""
    source = Path(aiops_gym.__file__).parent
    if not files:
        return source.parent
    shutil.copytree(source, place / "aiops_gym", ignore=shutil.ignore_patterns("__pycache__"))
    for block in files:
        target = place / block.title
        assert not target.exists(), f"{block.title} is there already"
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(block.text, encoding="utf-8")
    return place


@pytest.mark.full  # The linter is no part of the small install.
def test_files_that_pages_add_are_in_the_style_of_the_house(tmp_path):
    files = [block for page in WITH_PYTHON for block in blocks(page) if block.title]
    assert files
    for block in files:
        (tmp_path / block.title.replace("/", "_")).write_text(block.text, encoding="utf-8")
    config = ["--config", str(ROOT / "pyproject.toml"), "--no-cache"]
    for check in (["check", "--ignore", "INP001"], ["format", "--check"]):
        done = subprocess.run(
            [sys.executable, "-m", "ruff", *check, *config, str(tmp_path)], capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stdout


def lines(path: Path) -> list[str]:
    """The lines of the blocks that a reader types at a prompt."""
    shells = [block.text for block in blocks(path) if block.language in ("", "sh", "bash", "console")]
    return "\n".join(shells).replace("\\\n", " ").splitlines()


def commands() -> list[tuple[str, str]]:
    """The lines that call the command line, and what is called in the midst of a sentence."""
    pages = [*PAGES, ROOT / "CONTRIBUTING.md", ROOT / "README.ko.md"]
    found = []
    for page in pages:
        spoken = INLINE.findall(FENCE.sub("", page.read_text(encoding="utf-8")))
        found += [(named(page), line) for line in (*lines(page), *spoken) if CALL.match(line)]
    return found


@pytest.mark.parametrize(("page", "line"), commands())
def test_a_command_that_a_page_shows_exists_with_its_options(page, line):
    words = shlex.split(line, comments=True)
    words = words[words.index("aiops-gym") + 1 :]
    command = typer.main.get_command(app())
    while hasattr(command, "commands"):
        assert words[0] in command.commands, f"{page}: {line}"
        command = command.commands[words.pop(0)]
    known = {option for parameter in command.params for option in (*parameter.opts, *parameter.secondary_opts)}
    given = {word.partition("=")[0] for word in words if word.startswith("--") and word not in ("--", "--help")}
    assert given <= known, f"{page}: {line}"


def test_targets_of_make_that_pages_show_exist():
    there = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))
    shown = {line.split()[1] for page in PAGES for line in lines(page) if line.startswith("make ")}
    assert shown <= there


def test_extras_that_pages_name_exist():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    found = [each for page in PAGES for each in EXTRA.findall(page.read_text(encoding="utf-8"))]
    assert {name for each in found for name in each.split(",")} <= set(project["optional-dependencies"])
