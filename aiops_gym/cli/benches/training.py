"""What training pays for besides steps: resets on the train split, branches of an episode under way, verdicts.

It is CPU time, so that a busy machine tells much the same.
"""

from __future__ import annotations

import json
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from itertools import count, islice, product
from typing import Any

from aiops_gym.agents.base import Env
from aiops_gym.backends import Simulated
from aiops_gym.backends.baseline import VARIANTS
from aiops_gym.backends.warmup import LIVES, make_lived_in
from aiops_gym.catalog import registry
from aiops_gym.catalog.model import Problem
from aiops_gym.cli.common import make_env
from aiops_gym.sim.kernel import draws
from aiops_gym.testing.adversary.play import draw_mitigations
from aiops_gym.testing.problems import SUBMISSION
from aiops_gym.types import Call

FIRST = 30
"""Resets of a process that has made no world yet."""

RESETS = 200
STEPS = 20
FEW, COMPARED = 2, 60
"""Healthy worlds of an app, and episodes in them, by which tiers are compared."""

PATIENCE = 900.0


def measure_first_resets(resets: int = FIRST) -> dict[str, float]:
    """What the first episodes of a process cost, where each has to make its past, and where another process has.

    The files of pasts (`backends.shelf`) must not be there yet.
    """
    program = f"from {__name__} import print_first; print_first({resets})"
    asked = (subprocess.run([sys.executable, "-c", program], check=True, capture_output=True) for _ in range(2))
    made, read = (json.loads(done.stdout) for done in asked)
    return {
        f"train split, the first {resets} resets of all on a machine, mean, ms": 1e3 * statistics.mean(made),
        f"train split, the first {resets} resets of a later process, mean, ms": 1e3 * statistics.mean(read),
    }


def print_first(resets: int) -> None:
    """Print what the first resets of this process took, as JSON."""
    print(json.dumps(_reset(make_env(None, "detection", "train"), range(resets))))  # for who started it


def draw_seeds(start: int, number: int, worlds: int) -> list[int]:
    """The first so many seeds of episodes from `start` on that begin in the first so many healthy worlds of their app.

    >>> draw_seeds(7, 3, VARIANTS)
    [7, 8, 9]
    """
    return list(islice((seed for seed in count(start) if draws.pick(VARIANTS, seed, "variant") < worlds), number))


def measure_resets(worlds: int = VARIANTS, resets: int = RESETS) -> dict[str, float]:
    """What a reset costs once all pasts are there, problems drawn as in training; no episode is met twice."""
    lives = product(registry.apps(), range(worlds), range(LIVES))
    made = [_take_time(partial(make_lived_in, *each)) for each in lives]
    env = make_env(None, "detection", "train")
    _reset(env, draw_seeds(2_000, resets, worlds))
    times = _reset(env, draw_seeds(1_000_000, resets, worlds))
    return {
        "a world in which people have decided things, when an episode first has it, ms": 1e3 * statistics.mean(made),
        "train split, reset, mean, ms": 1e3 * statistics.mean(times),
        **_spread("train split, reset", times),
    }


def measure_tiers(worlds: int = FEW, resets: int = COMPARED) -> dict[str, float]:
    """What hard episodes cost beside standard ones, in as many worlds: a reset, and a step of the one who looks.

    No episode is met twice, as in training.
    """
    found = {}
    for tier in ("standard", "hard"):
        env = make_env(None, "detection", "train", tier=tier, max_episode_steps=-1)
        _reset(env, draw_seeds(3_000, resets, worlds))  # makes the pasts
        found[tier, "reset"] = statistics.mean(_reset(env, draw_seeds(500_000, resets, worlds)))
        look = str(Call("exec_shell", ("kubectl get pods -A",)))
        found[tier, "step"] = statistics.median(_take_time(partial(env.step, look)) for _ in range(COMPARED))
    ratios = {what: found["hard", what] / found["standard", what] for what in ("reset", "step")}
    return {
        "tier hard, reset, mean, ms": 1e3 * found["hard", "reset"],
        **{f"tier hard, a {what} in those of standard": ratio for what, ratio in ratios.items()},
    }


def measure_branching() -> dict[str, float]:
    """What a fork costs between two steps of an episode, in each application."""
    report = {}
    for app in registry.apps().values():
        problem = next(each for each in registry.problems("mitigation", app.id) if each.fault)
        env = make_env(problem.id, max_episode_steps=-1)
        env.reset(options={"episode_seed": 0})
        looks = [Call("exec_shell", (f"kubectl get {kind} -n {app.namespace}",)) for kind in ("pods", "events")]
        times = []
        for action in map(str, STEPS * looks):
            env.step(action)
            times.append(_take_time(env.get_wrapper_attr("fork")))
        report[f"{app.title}, fork amid an episode, ms"] = 1e3 * statistics.median(times)
    return report


def measure_verdicts() -> dict[str, float]:
    """What a verdict costs after the reference repair, for one problem of each family."""
    return _spread("a verdict", [_judge(problem) for problem in draw_mitigations(1, "train")])


def _judge(problem: Problem) -> float:
    backend = Simulated(problem, 1)
    assert backend.fault is not None
    backend.shell.run(backend.fault.fixes[0], timeout=PATIENCE)
    backend.spend(SUBMISSION)
    return _take_time(backend.assess)


def _reset(env: Env, seeds: Iterable[int]) -> list[float]:
    return [_take_time(partial(env.reset, options={"episode_seed": seed})) for seed in seeds]


def _take_time(action: Callable[[], Any]) -> float:
    """CPU seconds of one call, which are its time where nobody else wants the processor."""
    begin = time.process_time()
    action()
    return time.process_time() - begin


def _spread(name: str, times: Sequence[float]) -> dict[str, float]:
    return {
        f"{name}, median, ms": 1e3 * statistics.median(times),
        f"{name}, 90 % take less than, ms": 1e3 * statistics.quantiles(times, n=10)[-1],
    }
