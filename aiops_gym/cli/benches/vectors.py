"""How fast several environments are: in processes of their own, and side by side in this one."""

from __future__ import annotations

import os
import statistics
import time
from collections.abc import Callable
from functools import partial
from typing import Any

import gymnasium as gym
from gymnasium.vector import AsyncVectorEnv, SyncVectorEnv, VectorEnv

from aiops_gym.cli.common import make_env
from aiops_gym.cli.measure import anonymous
from aiops_gym.envs.vector import WorldsVectorEnv
from aiops_gym.types import Call

PROBLEM = "container_kill-detection"
UNLIMITED = -1

WAIT = 0.05
"""Seconds that a step waits: for a language model or a real cluster, which take longer."""

STEPS = 40
"""Steps of a round."""

SIZES = (2, 16)
"""Environments of a vector whose steps do not wait."""

LOOK = str(Call("exec_shell", ("kubectl get pods -n test-hotel-reservation",)))


class Waiting(gym.Wrapper[Any, Any, Any, Any]):
    """An environment whose steps wait for something."""

    def step(self, action: Any) -> Any:
        """Wait, and go on."""
        time.sleep(WAIT)
        return self.env.step(action)


def measure(rounds: int, envs: int) -> dict[str, Any]:
    """Steps a second of vectors, and what many environments in one process take.

    Args:
        rounds: times that each is measured; the median counts.
        envs: environments whose memory is measured.
    """
    one, two = (waiting(n, rounds) for n in (1, 2))
    report: dict[str, Any] = {
        f"a step waits {1e3 * WAIT:.0f} ms, one worker, steps a second": one,
        "two workers, steps a second": two,
        "two workers, in those of one": two / one,
    }
    for n in SIZES:
        beside = {kind: working(kind, n, rounds) for kind in ("in process", "sync", "async")}
        report |= {f"{n} environments that do not wait, {kind}, steps a second": beside[kind] for kind in beside}
        report[f"{n} environments, in process in those of async"] = beside["in process"] / beside["async"]
    return report | _many(envs)


def waiting(n: int, rounds: int) -> float:
    """Steps a second of so many workers, each with one environment whose steps wait."""
    return _rate(AsyncVectorEnv([partial(_one, True)] * n), rounds, max(2, STEPS // 8))


def working(kind: str, n: int, rounds: int) -> float:
    """Steps a second of environments that do not wait, `in process`, `sync` or `async`."""
    makers: list[Callable[[], Any]] = [partial(_one, False)] * n
    made = {"sync": SyncVectorEnv, "async": AsyncVectorEnv}
    envs = made[kind](makers) if kind in made else WorldsVectorEnv([make() for make in makers])
    return _rate(envs, rounds, STEPS)


def _one(waits: bool) -> gym.Env[str, str]:
    env = make_env(PROBLEM, max_episode_steps=UNLIMITED)
    return Waiting(env) if waits else env


def _rate(envs: VectorEnv[Any, Any, Any], rounds: int, steps: int) -> float:
    """Median of the steps of all environments in a second."""
    actions = (LOOK,) * envs.num_envs
    try:
        envs.reset(seed=1)
        envs.step(actions)
        times = []
        for _ in range(rounds):
            begin = time.perf_counter()
            for _ in range(steps):
                envs.step(actions)
            times.append(time.perf_counter() - begin)
    finally:
        envs.close()
    return steps * envs.num_envs / statistics.median(times)


def _many(n: int) -> dict[str, float]:
    """What so many environments in this process take: memory beyond the first 16, and open files."""
    few = WorldsVectorEnv([_one(False) for _ in range(16)])
    few.reset(seed=0)
    memory, files = anonymous(), len(os.listdir("/proc/self/fd"))
    many = WorldsVectorEnv([_one(False) for _ in range(n)])
    begin = time.perf_counter()
    many.reset(seed=0)
    taken = time.perf_counter() - begin
    many.step((LOOK,) * n)
    report = {
        f"{n} environments in one process, MB each": (anonymous() - memory) / n / 1e6,
        f"{n} environments in one process, files opened": float(len(os.listdir("/proc/self/fd")) - files),
        f"{n} environments in one process, reset of all, s": taken,
    }
    many.close()
    few.close()
    return report
