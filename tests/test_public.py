"""The public surface: what can be imported, what importing costs, and what is registered."""

from __future__ import annotations

import subprocess
import sys
from importlib import metadata

import gymnasium as gym
import pytest

import aiops_gym

HEAVY = ("kubernetes", "pandas", "pyarrow", "torch", "rich", "typer", "bashkit", "aiops_gym.sim", "aiops_gym.catalog")


def test_the_public_names_are_sorted_and_there():
    assert aiops_gym.__all__ == sorted(aiops_gym.__all__)
    for name in aiops_gym.__all__:
        assert getattr(aiops_gym, name) is not None
        assert name in dir(aiops_gym)


def test_the_version_is_the_distributions():
    assert aiops_gym.__version__ == metadata.version("aiops_gym")


def test_an_unknown_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match="no attribute 'nonsense'"):
        _ = aiops_gym.nonsense


def test_importing_brings_nothing_heavy():
    code = f"import sys, aiops_gym; print([name for name in {HEAVY!r} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


@pytest.mark.parametrize("task", ["Detection", "Localization", "Analysis", "Mitigation"])
def test_a_registered_id_has_a_spec_that_survives_json(task):
    spec = gym.spec(f"aiops_gym/{task}-v0")
    assert spec.max_episode_steps == 30
    assert gym.envs.registration.EnvSpec.from_json(spec.to_json()) == spec


def test_the_catalogue_can_be_filtered():
    problems = aiops_gym.problems(task="mitigation", app="hotel_reservation")
    assert len(problems) == 7
    for problem in problems:
        assert (problem.task, problem.app) == ("mitigation", "hotel_reservation")
        assert problem.fault
        assert problem.split in ("train", "test")
