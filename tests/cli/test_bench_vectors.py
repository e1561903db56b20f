"""What the benchmark of vectors promises, with room for a busy machine."""

from __future__ import annotations

import time
from functools import partial
from pathlib import Path

import gymnasium as gym
import pytest
from gymnasium.vector import AsyncVectorEnv

from aiops_gym.cli.benches import vectors

ROUNDS = 3


def cpu(taken):
    """The least of all rounds: what other programs do to the caches only adds to it."""
    return min(each.cpu for each in taken)


class Meeting(gym.Wrapper):
    """An environment whose steps wait until another one's step waits, too."""

    def __init__(self, env, folder: Path, me: int):
        super().__init__(env)
        self.mine, self.other = (folder / str(number) for number in (me, 1 - me))

    def step(self, action):
        self.mine.touch()
        deadline = time.monotonic() + 120
        while not self.other.exists() and time.monotonic() < deadline:
            time.sleep(0.01)
        observation, reward, terminated, truncated, info = self.env.step(action)
        return observation, reward, terminated, truncated, info | {"met": self.other.exists()}


def test_steps_of_two_workers_wait_at_the_same_time(tmp_path):
    """What ``time_waiting`` counts on: were they in turns, the first one would never see the second."""

    def make(me):
        return Meeting(vectors.make_env(vectors.PROBLEM), tmp_path, me)

    envs = AsyncVectorEnv([partial(make, me) for me in (0, 1)])
    try:
        envs.reset(seed=1)
        *_, info = envs.step((vectors.LOOK, vectors.LOOK))
    finally:
        envs.close()
    assert info["met"].tolist() == [True, True]


@pytest.mark.parametrize("n", [1, 2])
def test_a_worker_takes_no_step_before_its_wait_is_over(n):
    assert 0 < vectors.time_waiting(n, ROUNDS) <= n / vectors.WAIT


@pytest.mark.parametrize("n", [2, 16])
def test_a_step_costs_this_vector_no_more_than_gymnasiums(n):
    """Processor time, with room for a machine that others use, too; `bench` tells by how much less."""
    taken = vectors.time_idling(n, 7)
    assert cpu(taken["in process"]) < 1.3 * cpu(taken["sync"])
    assert cpu(taken["async"]) > 2 * cpu(taken["in process"])


def test_one_process_needs_less_for_short_steps_than_many():
    taken = vectors.time_stepping(4, ROUNDS, "no call")
    assert cpu(taken["async"]) > 1.2 * cpu(taken["in process"])


def test_whole_episodes_end_at_different_times_and_begin_anew():
    taken = vectors.time_playing(2, ROUNDS)
    assert list(taken) == ["in process", "async"]
    assert all(len(each) == ROUNDS and min(each).cpu > 0 for each in taken.values())
