"""How long Prometheus takes for its answers in worlds that were never asked before, beside a spawn of a program."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Mapping
from urllib.parse import urlencode

from aiops_gym.backends import Simulated
from aiops_gym.catalog import registry
from aiops_gym.cli.measure import measure_seconds, spawn_bare

ROUNDS = 15
"""Worlds in which each question is asked, once, unless it is said otherwise; each has an hour of history."""

POINTS = 60
INSTANT = 'sum by (pod) (rate(container_cpu_usage_seconds_total{{namespace="{}"}}[5m]))'
RANGE = "sum by (namespace, pod) (rate(container_cpu_usage_seconds_total[5m]))"

Question = Callable[[Simulated], object]


def measure_queries(rounds: int = ROUNDS) -> dict[str, float]:
    """Medians in ms, and in spawns of /bin/true, which take turns with them.

    Args:
        rounds: worlds in which each question is asked.
    """
    questions: Mapping[str, Question] = {
        "an instant query over one namespace at first sight": _ask_instant,
        f"a range query of {POINTS} points over all pods at first sight": _ask_range,
        "all alerts of a world at first sight": lambda world: world.telemetry.ask("prometheus", "/api/v1/alerts"),
        "alerts and golden signals of an episode that is kept": Simulated.signals,
    }
    known = [registry.problems("detection", app) for app in registry.apps()]
    _open(known[0][0].id, 0).signals()  # what a process loads
    took: dict[str, list[float]] = {name: [] for name in questions}
    spawns = list[float]()
    for number in range(rounds):
        for name, question in questions.items():
            turn, place = divmod(number, len(known))  # applications take turns
            world = _open(known[place][turn % len(known[place])].id, len(spawns) + 10_000)
            took[name].append(measure_seconds(lambda: question(world), 1))  # noqa: B023  # called at once
            spawns.append(measure_seconds(spawn_bare, 1))
    spawned = statistics.median(spawns)
    report = {}
    for name, times in took.items():
        report[f"{name}, ms"] = 1e3 * statistics.median(times)
        report[f"{name}, in spawns of /bin/true"] = statistics.median(times) / spawned
    return report


def _open(problem: str, seed: int) -> Simulated:
    return Simulated(registry.find_problem(problem), seed)


def _ask(world: Simulated, path: str, **asked: object) -> None:
    status, body = world.telemetry.ask("prometheus", f"{path}?{urlencode(asked)}")
    if status != 200 or '"result":[]' in body:
        raise RuntimeError(f"Prometheus answers {status}: {body[:200]}")


def _ask_instant(world: Simulated) -> None:
    _ask(world, "/api/v1/query", query=INSTANT.format(world.app.namespace))


def _ask_range(world: Simulated) -> None:
    now = world.now()
    _ask(world, "/api/v1/query_range", query=RANGE, start=now - 60 * (POINTS - 1), end=now, step=60)
