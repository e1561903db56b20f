"""Without the extra everything else works, and learning says what is missing."""

from __future__ import annotations

import subprocess
import sys

import pytest

from aiops_gym.cli import run
from aiops_gym.learning import extra


@pytest.mark.parametrize("command", [("train", "--task", "detection"), ("study",)])
def test_missing_packages_are_named(monkeypatch, capsys, tmp_path, command):
    monkeypatch.setattr(extra, "find_spec", lambda name: None if name == "torch" else True)
    assert run([*command, "--out", str(tmp_path)]) == 1
    said = capsys.readouterr().err
    assert said == "aiops-gym: learning needs torch: pip install 'aiops_gym[sb3]'\n"


def test_nothing_heavy_is_loaded_before_something_is_learned():
    code = "import sys, aiops_gym.cli, aiops_gym.learning; aiops_gym.cli.app(); print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    assert not {"torch", "stable_baselines3", "sb3_contrib", "matplotlib", "tensorboard"} & set(loaded)
