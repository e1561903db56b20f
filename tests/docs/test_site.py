"""The documentation site builds without a warning, its links lead somewhere, and it loads nothing from elsewhere."""

from __future__ import annotations

import ast
import importlib
import os
import re
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

import gymnasium
import pytest

import aiops_gym  # noqa: F401  # Registers the environments.
from aiops_gym.envs.live import LiveEnv
from aiops_gym.envs.recorded import RecordedEnv
from aiops_gym.openrca import BankDataset
from aiops_gym.runs import Episode

ROOT = Path(__file__).parents[2]
ENVIRONMENTS = (
    *("detection", "localization", "analysis", "mitigation"),
    *("openrca-bank", "openrca-market", "openrca-telecom"),
)
FARAMA = ("description", "action-space", "observation-space", "rewards", "starting-state", "episode-end", "arguments")
LEFT = re.compile(r"<!-- (?:commands|tables)|::: aiops_gym|<p>\?\?\?|<blockquote>\s*<blockquote>")
LOADED = re.compile(r"@import|url\(\s*['\"]?(?:https?:)?//")


class Page(HTMLParser):
    """What a page names, links to and loads."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.ids: set[str] = set()
        self.links: list[str] = []
        self.loads: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found = {name: value or "" for name, value in attrs}
        self.ids |= {found[key] for key in ("id", "name") if key in found}
        if tag == "a" and "href" in found:
            self.links.append(found["href"])
        elif tag == "link" and found.get("rel") not in ("canonical", "prev", "next"):
            self.loads.append(found.get("href", ""))
        elif "src" in found:
            self.loads.append(found["src"])


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    place = tmp_path_factory.mktemp("site")
    done = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir", str(place)],
        cwd=ROOT,
        env={**os.environ, "NO_MKDOCS_2_WARNING": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    return {path.relative_to(place).as_posix(): path for path in place.rglob("*") if path.is_file()}


@pytest.fixture(scope="module")
def pages(site):
    found = {name: Page(path.read_text(encoding="utf-8")) for name, path in site.items() if name.endswith(".html")}
    del found["404.html"]  # its links are those of a site at the root of a server
    return found


def test_every_link_leads_to_a_page_and_a_heading_that_are_there(site, pages):
    broken = []
    for name, page in pages.items():
        for link in page.links:
            parts = urlsplit(link)
            if parts.scheme or parts.netloc:
                continue
            target = os.path.normpath(Path(name).parent / unquote(parts.path)) if parts.path else name
            there = pages[target].ids | {""} if target in pages else {""} if target in site else set()
            if unquote(parts.fragment) not in there | {"__codelineno"}:
                broken.append(f"{name}: {link}")
    assert not broken


def test_a_page_loads_nothing_from_elsewhere(site, pages):
    for name, page in pages.items():
        assert not [each for each in page.loads if urlsplit(each).scheme or each.startswith("//")], name
    for name, path in site.items():
        if name.endswith(".css"):
            assert not LOADED.search(path.read_text(encoding="utf-8")), name


def test_no_page_asks_for_a_diagram_that_would_be_drawn_by_a_program_from_elsewhere(site):
    for name, path in site.items():
        if name.endswith(".html"):
            assert 'class="mermaid"' not in path.read_text(encoding="utf-8"), name


@pytest.mark.parametrize("name", ENVIRONMENTS)
def test_the_page_of_an_environment_has_the_usual_headings(pages, name):
    assert {*FARAMA, "version-history"} <= pages[f"environments/{name}.html"].ids


def test_nothing_is_left_of_what_is_filled_in(site):
    for name, path in site.items():
        if name.endswith(".html"):
            text = path.read_text(encoding="utf-8")
            assert not LEFT.search(text), name


REFERENCE = {
    "aiops_gym.openrca": "api/openrca.html",
    "aiops_gym.runs": "api/runs.html",
    "aiops_gym.testing": "api/testing.html",
    "aiops_gym.tools": "api/tools.html",
    "aiops_gym.wrappers": "environments/wrappers.html",
}


@pytest.mark.parametrize("room", REFERENCE)
def test_every_public_name_of_a_room_is_in_the_reference(pages, room):
    ids = {each.rpartition(".")[2] for each in pages[REFERENCE[room]].ids if each.startswith("aiops_gym.")}
    assert sorted(set(importlib.import_module(room).__all__) - ids) == []


CLASSES = (LiveEnv, RecordedEnv, Episode, BankDataset)
"""Whose members examples use."""


def is_module(name: str) -> bool:
    """Whether a name is one of a file or a folder of the package."""
    path = ROOT / name.replace(".", "/")
    return path.is_dir() or path.with_suffix(".py").exists()


def used_by_examples() -> set[str]:
    """The names of the package that examples import, or ask of what it gives them."""
    names: set[str] = set()
    for path in (ROOT / "examples").glob("*.py"):
        tree = list(ast.walk(ast.parse(path.read_text(encoding="utf-8"))))
        rooms = {"aiops_gym": "aiops_gym"}
        for node in tree:
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("aiops_gym"):
                found = {each.name: f"{node.module}.{each.name}" for each in node.names}
                rooms |= {name: whole for name, whole in found.items() if is_module(whole)}
                names |= {whole for name, whole in found.items() if name not in rooms}
        for node in tree:
            if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id in rooms:
                names.add(f"{rooms[node.value.id]}.{node.attr}")
            elif isinstance(node, ast.Attribute):
                own = [each for each in CLASSES if hasattr(each, node.attr) and not hasattr(gymnasium.Env, node.attr)]
                names |= {f"{each.__name__}.{node.attr}" for each in own}
    return names


def test_every_public_name_that_an_example_uses_is_in_the_reference(site, pages):
    told = {each for name, page in pages.items() if name.startswith("api/") for each in page.ids}
    told |= set(re.findall(r"<code>(aiops_gym\.\w+)</code>", site["api/index.html"].read_text(encoding="utf-8")))
    ends = {each.rpartition(".")[2] for each in told}
    attributes = re.findall(r'<b><code><span title="([\w.]+)"', site["api/runs.html"].read_text(encoding="utf-8"))
    ends |= {each.rpartition(".")[2] for each in attributes}
    used = used_by_examples()
    assert {"aiops_gym.run_episode", "aiops_gym.learning.rllib.make", "RecordedEnv.window", "Episode.save"} <= used
    assert sorted(name for name in used if name not in told and name.rpartition(".")[2] not in ends) == []


def test_the_search_has_what_it_needs_in_a_folder_and_nothing_from_elsewhere(site, pages):
    assert site["search/search_index.js"].read_text(encoding="utf-8").startswith("var __index")
    assert all("iframe-worker.js" in " ".join(page.loads) for page in pages.values())


def test_every_registered_environment_has_a_page(site):
    told = "".join(path.read_text(encoding="utf-8") for name, path in site.items() if name.startswith("environments/"))
    assert [id_ for id_ in gymnasium.registry if id_.startswith("aiops_gym/") and id_ not in told] == []


def test_every_page_but_the_last_says_what_comes_next(site):
    ends = [
        name
        for name, path in site.items()
        if name.endswith(".html") and name != "404.html" and "md-footer__link--next" not in path.read_text("utf-8")
    ]
    assert ends == ["api/command-line.html"]


def test_types_in_tables_are_those_of_python(site):
    text = site["environments/detection.html"].read_text(encoding="utf-8")
    assert "<code>str | None</code>" in text
    assert "\\|" not in text


def test_a_backend_that_is_experimental_is_called_so(site):
    for name in ENVIRONMENTS[:4]:
        text = site[f"environments/{name}.html"].read_text(encoding="utf-8")
        assert "which is experimental" in text
