"""The page of promises is what the command writes, and every test that it names exists."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
NEEDS_RAY = "tests/on_ray/test_cluster.py::test_a_cluster_gives_the_bytes_of_one_process_mistakes_included"
"""Is there, and collected only where Ray is installed."""


@pytest.fixture(scope="module")
def conformance():
    """The command."""
    spec = importlib.util.spec_from_file_location("conformance", ROOT / "docs" / "making" / "conformance.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_page_is_up_to_date(conformance):
    written = (ROOT / "docs" / "conformance.md").read_text(encoding="utf-8")
    assert written == conformance.page(), "write it with: make conformance"


@pytest.mark.full  # imports most tests
def test_every_test_that_the_page_names_exists(conformance):
    named = {id_ for each in conformance.statements(conformance.documents()) for id_ in conformance.tests(each)}
    assert conformance.dead(named) == []


def test_a_test_that_does_not_exist_is_named(conformance):
    dead = ["tests/nowhere.py::test_x", "tests/on_ray/test_cluster.py::test_x", "tests/test_locks.py::test_x"]
    alive = ["tests/test_public.py::test_an_unknown_name_is_an_attribute_error", NEEDS_RAY]
    assert conformance.dead([*dead, *alive]) == dead


def test_every_statement_says_why_or_what_shows_it(conformance):
    for each in conformance.statements(conformance.documents()):
        assert conformance.tests(each) or "missing" in each, each["n"]
        assert each["says"].endswith(".") and each["in"]
        assert "works" in each or len(each[conformance.state(each)]) > 10


def test_no_page_is_to_be_written():
    pages = [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"), *(ROOT / "aiops_gym").rglob("*.md")]
    words = ("(to be " + "written)", "TO" + "DO", "TB" + "D")
    assert [path.name for path in pages if any(word in path.read_text(encoding="utf-8") for word in words)] == []
