"""Every stack of wrappers that a page, an example or a docstring shows passes the checkers."""

from __future__ import annotations

import re
import warnings
from pathlib import Path

import gymnasium as gym
import pytest
from gymnasium.utils.env_checker import check_env

import aiops_gym
from aiops_gym import wrappers
from aiops_gym.learning import rllib
from aiops_gym.learning.stack import wrap
from aiops_gym.wrappers import (
    ClipObservation,
    Curriculum,
    HashedText,
    History,
    MacroActions,
    RecordEpisodes,
    RewardShaping,
    Symptoms,
)

ROOT = Path(aiops_gym.__file__).parents[1]
PLACES = ("README*.md", "docs/**/*.md", "examples/*.py", "aiops_gym/wrappers/*.py", "aiops_gym/learning/*.py")
NESTED = re.compile(rf"(?:(?<!class )\b(?:{'|'.join(wrappers.__all__)})\(\s*)+")
LIVE = ("Detection", "Localization", "Analysis", "Mitigation")

TEXT = {
    "ClipObservation": lambda env, _: ClipObservation(env, limit=400),
    "Curriculum": lambda env, _: Curriculum(env),
    "HashedText": lambda env, _: HashedText(env, size=128),
    "MacroActions": lambda env, _: MacroActions(env, slots=4),
    "RecordEpisodes": RecordEpisodes,
    "RewardShaping": lambda env, _: RewardShaping(env, step=0.01, time=0.12, invalid=0.1),
    "Symptoms": lambda env, _: Symptoms(env, slots=32),
    "HashedText MacroActions": lambda env, _: HashedText(MacroActions(env)),
}
"""Stacks that show text or take it."""

NUMBERS = {
    "History HashedText MacroActions": lambda env: History(HashedText(MacroActions(env))),
    "History Symptoms MacroActions": lambda env: History(Symptoms(MacroActions(env))),
    "RewardShaping History Symptoms MacroActions": wrap,
    "for RLlib": lambda env: rllib.MaskInObservation(wrap(env)),
}
"""Stacks for learners."""


def checked(env):
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message=".*is different from the unwrapped version.*")  # it is a wrapper
        check_env(env, skip_render_check=True)


def test_every_stack_that_is_shown_is_checked_here():
    shown = {
        " ".join(re.findall(r"\w+", each))
        for place in PLACES
        for path in ROOT.glob(place)
        for each in NESTED.findall(path.read_text(encoding="utf-8"))
    }
    assert shown
    assert shown <= {*TEXT, *NUMBERS}


@pytest.mark.parametrize("name", TEXT)
def test_gymnasium_finds_nothing_to_complain_about(name, tmp_path):
    checked(TEXT[name](gym.make("aiops_gym/Detection-v0", split="train"), tmp_path))


@pytest.mark.parametrize("task", LIVE)
@pytest.mark.parametrize("name", NUMBERS)
def test_both_checkers_find_nothing_to_complain_about_in_numbers_of_any_task(name, task):
    env = NUMBERS[name](gym.make(f"aiops_gym/{task}-v0", split="train"))
    checked(env)
    pytest.importorskip("stable_baselines3.common.env_checker").check_env(env, skip_render_check=True)
