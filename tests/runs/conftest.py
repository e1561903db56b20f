"""Odd agents for the tests of evaluations."""

from __future__ import annotations

import pytest
from evaluations import ODD


@pytest.fixture
def odd_agents(monkeypatch, tmp_path):
    """Odd agents can be imported, in spawned processes too; the file makes them sick."""
    monkeypatch.syspath_prepend(str(ODD))
    monkeypatch.setenv("ODD_AGENTS_SICK", str(tmp_path / "sick"))
    monkeypatch.setenv("ODD_AGENTS_DIARY", str(tmp_path / "diary"))
    (tmp_path / "sick").touch()
    return tmp_path
