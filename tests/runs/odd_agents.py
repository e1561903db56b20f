"""Agents that do what agents should not: raise, die, dawdle, break the world. Made by `odd_agents:NAME`."""

from __future__ import annotations

import os
import time
from pathlib import Path

from aiops_gym.agents.base import Fixed
from aiops_gym.errors import BackendError

YES = "```\nsubmit('Yes')\n```"
LOOK = "```\nexec_shell('echo hi')\n```"
SICK = "ODD_AGENTS_SICK"
"""Environment variable: a file; who raises or dies does so as long as it is there."""
DIARY = "ODD_AGENTS_DIARY"
"""Environment variable: a file in which each episode that begins gets a line."""


def _sick():
    return Path(os.environ[SICK]).exists()


def raising(env, seed):
    def raising(observation):
        if _sick() and seed == 1:
            raise ZeroDivisionError("seven is no number")
        return YES

    return raising


def dying(env, seed):
    """Dies of seed 1 each time while it is sick."""

    def dying(observation):
        if _sick() and seed == 1:
            os._exit(9)
        return YES

    return dying


def dying_once(env, seed):
    def dying_once(observation):
        if _sick() and seed == 1:
            Path(os.environ[SICK]).unlink()
            os._exit(9)
        return YES

    return dying_once


def told(env, seed, answer):
    """Says what it was told to."""
    return lambda observation: f"```\nsubmit({answer!r})\n```"


def slow(env, seed):
    with Path(os.environ[DIARY]).open("a") as diary:
        diary.write(f"{seed}\n")

    def slow(observation):
        time.sleep(0.1)
        return YES

    return slow


def breaking(env, seed):
    """Takes the world away."""

    def breaking(observation):
        env.unwrapped._backend = None
        return YES

    return breaking


def unlucky(env, seed):
    """The cluster goes away."""

    def gone(*_):
        raise BackendError("the cluster is gone")

    env.unwrapped._call = gone
    return Fixed([LOOK, YES], "unlucky")


not_a_function = 5
