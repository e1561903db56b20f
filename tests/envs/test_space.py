"""The text space: what lies in it, and that vector envs get it right in every mode."""

from __future__ import annotations

import copy
import pickle
import subprocess
import sys

import gymnasium as gym
import numpy as np
import pytest
from gymnasium import spaces
from gymnasium.vector import AsyncVectorEnv, SyncVectorEnv
from hypothesis import given, settings
from hypothesis import strategies as st

from aiops_gym.envs.space import UnicodeText

SPACE = UnicodeText(500)
TEXTS = st.text(st.characters(exclude_categories=("Cs",)), max_size=500)


class Echo(gym.Env[str, str]):
    """Says what it is told, and how often."""

    def __init__(self) -> None:
        self.observation_space = self.action_space = UnicodeText(500)
        self.render_mode = None

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.count = 0
        return "ready ✓", {}

    def step(self, action):
        self.count += 1
        return f"{self.count} {action}", 0.0, False, False, {}


@given(TEXTS)
@settings(max_examples=100)
def test_texts_survive_being_flattened(text):
    assert text in SPACE
    assert spaces.unflatten(SPACE, spaces.flatten(SPACE, text)) == text
    assert spaces.flatten(SPACE, text) in spaces.flatten_space(SPACE)


@pytest.mark.parametrize("other", ["\ud800", "x" * 501, 5, None, b"x", ["x"]])
def test_what_is_no_storable_text_is_outside(other):
    assert other not in SPACE


def test_samples_are_printable_and_the_same_in_every_process():
    code = "from aiops_gym.envs.space import UnicodeText as U; print(ascii(U(500, seed=4).sample()))"
    texts = {
        subprocess.run(
            [sys.executable, "-c", code], env={"PYTHONHASHSEED": seed}, capture_output=True, text=True, check=True
        ).stdout
        for seed in ("0", "1")
    }
    assert texts == {ascii(UnicodeText(500, seed=4).sample()) + "\n"}


def test_a_space_is_small_and_copies():
    assert len(pickle.dumps(UnicodeText())) < 5_000
    assert copy.deepcopy(SPACE) == SPACE == UnicodeText(500) != UnicodeText(501)
    assert repr(SPACE) == "UnicodeText(500)"
    assert spaces.flatdim(SPACE) == 500


@pytest.mark.parametrize("shared", [True, False])
def test_vector_envs_that_share_memory_show_the_newest_text(shared):
    together = SyncVectorEnv([Echo, Echo])
    apart = AsyncVectorEnv([Echo, Echo], shared_memory=shared)
    try:
        assert together.reset(seed=0)[0] == apart.reset(seed=0)[0] == ("ready ✓", "ready ✓")
        for actions in (("a", "b 🔥"), ("", "x" * 400)):
            seen = apart.step(actions)[0]
            assert seen == together.step(actions)[0]
            assert seen in apart.observation_space
    finally:
        apart.close()


def test_numpy_text_is_text():
    assert np.str_("abc") in SPACE
