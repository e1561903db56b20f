"""What is said where the extra is missing."""

from __future__ import annotations

import sys

import pytest

from aiops_gym.cli import run


@pytest.mark.parametrize("asked", [("--ray",), ("--ray-address", "auto")])
def test_without_the_extra_it_says_what_to_install_and_leaves_nothing_behind(asked, capsys, monkeypatch, tmp_path):
    monkeypatch.setitem(sys.modules, "ray", None)
    code = run(["evaluate", "--agent", "noop", *asked, "--out", str(tmp_path / "out")])
    assert code == 1
    assert capsys.readouterr().err == "aiops-gym: a Ray cluster needs the package ray: pip install 'aiops_gym[ray]'\n"
    assert not list(tmp_path.iterdir())
