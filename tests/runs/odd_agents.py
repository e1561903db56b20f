"""Agents that do what agents should not: raise, die, dawdle, break the world. Made by `odd_agents:NAME`."""

from __future__ import annotations

import os
import resource
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


def words(text):
    """A tokenizer, and no agent."""
    return text.split()


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


HELD = 4
"""The first seed that `slow` does not finish while it is sick."""


def slow(env, seed):
    """Takes its time, and from `HELD` on all the time that it is sick: who ends it meets it at work."""
    with Path(os.environ[DIARY]).open("a") as diary:
        diary.write(f"{seed}\n")

    def slow(observation):
        time.sleep(0.1)
        while seed >= HELD and _sick():
            time.sleep(0.02)
        return YES

    return slow


def lucky(env, seed):
    """Right with one seed only."""
    return lambda observation: YES if seed == 0 else YES.replace("Yes", "No")


def unsure(env, seed):
    """Takes the world away where it has no idea."""
    return (lambda observation: YES) if seed == 0 else breaking(env, seed)


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


def plain(observation):
    """No maker of agents."""
    return YES


class Bare:
    """Needs neither the environment nor a seed."""

    def reset(self, prompt):
        pass

    def act(self, observation):
        return YES


def leaving(env, seed):
    def leaving(observation):
        raise SystemExit(3)

    return leaving


def wandering(env, seed):
    def wandering(observation):
        os.chdir(Path(os.environ[SICK]).parent / "elsewhere")
        return YES

    return wandering


def hanging(env, seed):
    """Never comes back from seed 1."""

    def hanging(observation):
        time.sleep(1_000 * (seed == 1))
        return YES

    return hanging


def endless(env, seed):
    return lambda observation: "more " * 200_000


def filling(env, seed):
    """The disk is full from now on."""

    def filling(observation):
        resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100))
        return YES

    return filling


class Closing(Bare):
    """Has something open, and something to say of itself."""

    def __init__(self, env, seed, says=1, breaks=False):
        self.says, self.breaks = says, breaks

    def report(self):
        return {"says": float("nan") if self.says is None else self.says}

    def close(self):
        with Path(os.environ[DIARY]).open("a") as diary:
            diary.write("closed\n")
        if self.breaks:
            raise ConnectionError("it was closed already")


not_a_function = 5


class Lab:
    """One of AIOpsLab's: async, with options of its own instead of an environment."""

    def __init__(self, answer="Yes", times=1):
        assert isinstance(answer, str)
        self.answer = answer

    def init_context(self, problem_desc, instructions, apis):
        assert "submit" in apis

    async def get_action(self, state):
        if self.answer == "raise":
            raise LookupError("no idea")
        return f"```\nsubmit({self.answer!r})\n```"


ready = Lab()
"""An agent that is made already."""


async def thinking(observation):
    """An agent itself, and no maker of one."""
    return YES


def asking(env, seed):
    """Makes half an agent of AIOpsLab's kind."""

    class Asking:
        def get_action(self, state):
            return YES

    return Asking()


def maker(env):
    """Takes too little to make an agent."""
    return Lab()


class Needing(Lab):
    """Cannot be made without an option."""

    def __init__(self, answer, times=1):
        super().__init__(answer, times)
