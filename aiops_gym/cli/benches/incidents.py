"""How fast incidents are, beside something that everybody's machine can measure."""

from __future__ import annotations

import gc
import json
import statistics
import time
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from importlib import resources
from itertools import product
from multiprocessing import get_context
from typing import Any

import gymnasium as gym

from aiops_gym.agents.base import Env
from aiops_gym.backends.baseline import VARIANTS, make_baseline
from aiops_gym.backends.warmup import WARMUPS, make_warmed_up
from aiops_gym.catalog import registry
from aiops_gym.catalog.registry import fill_in
from aiops_gym.cli.benches import queries, training
from aiops_gym.cli.benches.shares import measure_shares
from aiops_gym.cli.common import make_env
from aiops_gym.cli.measure import measure_own_memory, measure_seconds, own_cache, spawn, spawn_bare, start_python
from aiops_gym.types import Call

PROBLEM = "revoke_auth_mongodb-mitigation-1"
HEALTHY = "noop_detection_hotel_reservation-1"
UNLIMITED = -1

YARDSTICK = "hotel_reservation"
"""The application by which the others are measured."""

SAMPLED = 0.5
"""Seconds of processor time a round in which it is looked where the time goes."""

EPISODES = 5
"""Episodes in which the mix is run; all together it takes some seconds, which no short disturbance fills."""


def measure(rounds: int, envs: int, worlds: int = VARIANTS) -> dict[str, Any]:
    """Steps, resets, branching, verdicts and memory.

    Args:
        rounds: times that the mix of 20 commands is run in each episode.
        envs: environments whose memory is measured.
        worlds: healthy worlds of each application in which episodes begin, 1 <= worlds <= VARIANTS.
    """
    with own_cache():
        return _measure(rounds, envs, worlds)


def _measure(rounds: int, envs: int, worlds: int) -> dict[str, Any]:
    few = 3 * rounds
    first = training.measure_first_resets(min(few, training.FIRST))  # before anything is made here
    warmups = _warmups(worlds)
    env = make_env(PROBLEM, max_episode_steps=UNLIMITED)
    mix, per_command = _mix(env, rounds)
    get_pods, spawned = _beside_a_spawn()
    report: dict[str, Any] = {
        "steps a second, mix of 20 commands": 1.0 / mix,
        "a step of `kubectl get pods`, healthy episode, ms": 1e3 * get_pods,
        "posix_spawn of /bin/true, ms": 1e3 * spawned,
        "subprocess.run of /bin/true, ms": 1e3 * measure_seconds(spawn, 200),
        "a step of `kubectl get pods`, in spawns of /bin/true": get_pods / spawned,
        "reset to a drawn problem, ms": 1e3 * _resets(None, worlds, rounds),
        **first,
        **training.measure_resets(worlds, min(10 * rounds, training.RESETS)),
        **training.measure_tiers(min(worlds, training.FEW), min(few, training.COMPARED)),
        **_apps(rounds, worlds),
        **warmups,
        **_branching(env),
        **training.measure_branching(),
        **training.measure_verdicts(),
        **_ask(min(rounds, queries.ROUNDS)),
        "memory of one more environment, MB": _memory(envs) / 1e6,
        "import aiops_gym, s": start_python("import aiops_gym"),
    }
    each = {name: 1e3 * value for name, value in per_command.items()}
    return {**report, "commands, ms": each, **_find_shares(env, worlds, SAMPLED * rounds)}


def _ask(rounds: int) -> dict[str, float]:
    """Queries in a process of their own, as somebody has who plays an episode, and in one that has had thousands."""
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as home:
        apart = home.submit(queries.measure_queries, rounds).result()
    instant = "an instant query over one namespace at first sight, ms"
    return {**apart, f"{instant}, in a process of many worlds": queries.measure_queries(rounds)[instant]}


def _mix(env: Env, rounds: int) -> tuple[float, dict[str, float]]:
    """Median time of a step of a round, and of each command of the mix, over several episodes."""
    mix = _read_mix(env)
    times: dict[str, list[float]] = {command: [] for command in mix}
    averages = []
    for seed in range(EPISODES):
        env.reset(options={"episode_seed": seed})
        for turn in range(rounds + 1):
            begin = time.perf_counter()
            for command, action in mix.items():
                before = time.perf_counter()
                env.step(action)
                if turn:  # the first round fills caches
                    times[command].append(time.perf_counter() - before)
            if turn:
                averages.append((time.perf_counter() - begin) / len(mix))
    return statistics.median(averages), {name: statistics.median(found) for name, found in times.items()}


def _read_mix(env: Env) -> dict[str, str]:
    """The commands of the mix as the application of a new episode has them, and the actions that run them."""
    env.reset(options={"episode_seed": 0})
    app = env.get_wrapper_attr("app")
    mix = json.loads(resources.files("aiops_gym.cli").joinpath("mix.json").read_text(encoding="utf-8"))
    names = {"namespace": app.namespace, **mix["names"][app.id]}
    return {command: str(Call("exec_shell", (command,))) for command in fill_in(mix["commands"], names)}


def _find_shares(env: Env, worlds: int, seconds: float) -> dict[str, dict[str, float]]:
    """Which parts of the package have the processor in a step, and in a reset."""
    actions, drawn = _read_mix(env).values(), make_env(None, "detection")
    seeds = iter(training.draw_seeds(0, 10_000, worlds))
    steps = measure_shares(lambda: [env.step(action) for action in actions], seconds)
    resets = measure_shares(lambda: drawn.reset(options={"episode_seed": next(seeds)}), seconds)
    return {"steps of the mix, %": steps, "resets to drawn problems, %": resets}


def _beside_a_spawn(times: int = 300) -> tuple[float, float]:
    """Median of a step of `kubectl get pods` and of spawning /bin/true, in turn."""
    env = make_env(HEALTHY, max_episode_steps=UNLIMITED)
    env.reset(options={"episode_seed": 1})
    namespace = env.get_wrapper_attr("app").namespace
    action = str(Call("exec_shell", (f"kubectl get pods -n {namespace}",)))
    steps, spawns = [], []
    for _ in range(times):
        steps.append(measure_seconds(lambda: env.step(action), 1))
        spawns.append(measure_seconds(spawn_bare, 1))
    return statistics.median(steps), statistics.median(spawns)


def _warmups(worlds: int) -> dict[str, float]:
    """Simulate every healthy world and every warm-up of it, once for all that follows: that is what warm means."""
    apps, variants = registry.apps(), range(worlds)
    for app, variant in product(apps, variants):
        make_baseline(app, variant)
    gc.collect()
    empty, begin = measure_own_memory(), time.perf_counter()
    for app, variant, number in product(apps, variants, range(WARMUPS)):
        make_warmed_up(app, variant, number)
    took, each = time.perf_counter() - begin, len(apps) * worlds * WARMUPS
    gc.collect()
    return {
        "a warm-up, when an episode first has it, ms": 1e3 * took / each,
        "memory of a warm-up, MB": (measure_own_memory() - empty) / each / 1e6,
    }


def _resets(problems: Sequence[str] | None, worlds: int, rounds: int) -> float:
    """Each warm-up of each variant of the cluster has been simulated, and each problem been seen before."""
    times = min(3 * rounds, 60)
    env = make_env(None, "detection") if problems is None else gym.make("aiops_gym/Detection-v0", problem=problems)
    for seed in training.draw_seeds(0, 2 * times, worlds):
        env.reset(options={"episode_seed": seed})
    later = iter(training.draw_seeds(100_000, 70, worlds))
    return measure_seconds(lambda: env.reset(options={"episode_seed": next(later)}), times)


def _apps(rounds: int, worlds: int) -> dict[str, float]:
    """Resets and steps of each application, and of the others a deployment in those of `YARDSTICK`."""
    report: dict[str, float] = {}
    each: dict[str, dict[str, float]] = {}
    for app in registry.apps().values():
        known = registry.problems("detection", app.id)
        calm = next(problem.id for problem in known if not problem.fault)
        step, _ = _mix(make_env(calm, max_episode_steps=UNLIMITED), rounds)
        found = {"reset": _resets([problem.id for problem in known], worlds, rounds), "step of the mix": step}
        each[app.title] = {name: value / len(app.components) for name, value in found.items()}
        report |= {f"{app.title}, {name}, ms": 1e3 * value for name, value in found.items()}
    usual = registry.find_app(YARDSTICK).title
    for title, found in each.items():
        for name, value in found.items() if title != usual else ():
            report[f"{title}, {name} a deployment, in those of {usual}"] = value / each[usual][name]
    return report


def _branching(env: Env) -> dict[str, float]:
    fork, snapshot = env.get_wrapper_attr("fork"), env.get_wrapper_attr("snapshot")
    restore, data = env.get_wrapper_attr("restore"), env.get_wrapper_attr("snapshot")()
    return {
        "fork, ms": 1e3 * measure_seconds(fork, 50),
        "snapshot, ms": 1e3 * measure_seconds(snapshot, 30),
        "restore, ms": 1e3 * measure_seconds(lambda: restore(data), 30),
        "size of a snapshot, kB": len(data) / 1e3,
    }


def _memory(envs: int) -> float:
    """Bytes of one more environment in use, beyond the first."""
    action = str(Call("exec_shell", ("kubectl get pods -A",)))
    made: list[Env] = []
    before = 0
    for seed in range(envs):
        env = make_env(PROBLEM)
        env.reset(options={"episode_seed": seed % 16})
        env.step(action)
        made.append(env)
        if seed == 0:
            gc.collect()
            before = measure_own_memory()
    gc.collect()
    return (measure_own_memory() - before) / (len(made) - 1)
