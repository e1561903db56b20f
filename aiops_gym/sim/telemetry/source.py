"""What the cluster's Prometheus has: all series, worked out when a query names them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from aiops_gym.sim.kernel import draws
from aiops_gym.sim.kernel.objects import name_of
from aiops_gym.sim.kernel.times import HOUR
from aiops_gym.sim.kernel.world import World
from aiops_gym.sim.promql.patterns import Condition, compile_matcher, compile_matchers
from aiops_gym.sim.promql.series import Matcher, Series
from aiops_gym.sim.telemetry import metrics
from aiops_gym.sim.telemetry.scrapes import SCRAPE, collect_scrapes

JOB = "kubernetes-nodes-cadvisor"


class Telemetry:
    """The series of a world, see `promql.series.Source`.

    Args:
        world: whose.
    """

    def __init__(self, world: World) -> None:
        self.world = world

    def select(self, matchers: Sequence[Matcher], start: int, end: int) -> list[Series]:
        """The series that all matchers take, by labels, with their samples in (start, end] ms."""
        start, end = max(start, self.world.now - HOUR), min(end, self.world.now)
        named = [compile_matcher(matcher) for matcher in matchers if matcher.label == "__name__"]
        placed = [compile_matcher(matcher) for matcher in matchers if matcher.label == "namespace"]
        takes = compile_matchers(matchers)
        names = [name for name in metrics.NAMES if all(condition(name) for condition in named)]
        spaces = [space for space in _namespaces(self.world) if all(condition(space) for condition in placed)]
        found = [
            *(
                series
                for space in spaces
                for name in names
                for series in _containers(self.world, name, space, start, end)
            ),
            *_up(self.world, named, start, end),
        ]
        return sorted((series for series in found if takes(dict(series.labels))), key=lambda series: series.labels)

    def list_metrics(self) -> list[tuple[str, str, str]]:
        """Name, type and help of all families."""
        kinds = [(name, "counter" if name.endswith("_total") else "gauge", "") for name in metrics.NAMES]
        return sorted([*kinds, ("up", "gauge", "")])


def open_source(world: World) -> Telemetry:
    """All series of a world."""
    return Telemetry(world)


def _namespaces(world: World) -> list[str]:
    return sorted({str(row["pod"]).partition("/")[0] for row in world.table("processes").values()})


def _labels(name: str, node: str, **own: str) -> tuple[tuple[str, str], ...]:
    labels = {"__name__": name, "beta_kubernetes_io_os": "linux", "instance": node, "job": JOB}
    labels |= {"kubernetes_io_hostname": node, **own}
    return tuple(sorted((label, value) for label, value in labels.items() if value))


def _containers(world: World, name: str, namespace: str, start: int, end: int) -> Iterator[Series]:
    """Of each pod, the scrapes of its processes."""
    first = end - ((end - start) // SCRAPE + 1) * SCRAPE  # points repeat scrapes: the last one is at the end
    found = collect_scrapes(world, namespace, first, end, SCRAPE) if end > start else None
    if found is None:
        return
    network = "_network_" in name
    points = found.limited if "_cfs_" in name or name == "container_spec_cpu_quota" else found.points
    values = metrics.MEASURES[name](found.pods if network else found.own)[points.rows]
    times = found.own.times[points.rows].astype(np.int64)
    rows: dict[str, list[int]] = {}
    for row, title in enumerate(points.series):
        rows.setdefault(title, []).append(row)
    containers = dict(_list_containers(world, namespace))
    for title, mine in rows.items():
        node, _, pod = title.partition(".")
        own = {"namespace": namespace, "pod": pod, "container": containers.get(pod, "")}
        own["interface"] = "eth0" if network else ""
        yield _cut(Series(_labels(name, node, **own), *_last(times[mine], values[mine])), start)


def _last(times: NDArray[np.int64], values: NDArray[np.float64]) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """One sample a scrape: of processes that share a pod, the one that runs."""
    order = np.argsort(times, kind="stable")
    times, values = times[order], values[order]
    kept = np.append(times[1:] != times[:-1], True)
    return times[kept], values[kept]


def _cut(series: Series, start: int) -> Series:
    inside = series.times > start
    return Series(series.labels, series.times[inside], series.values[inside])


def _list_containers(world: World, namespace: str) -> Iterator[tuple[str, str]]:
    """Pods and their first container, those that are there last."""
    for row in world.table("ended").values():
        yield row["pod"].partition("/")[2], row["container"]
    for pod in world.store.all("pods", namespace):
        yield name_of(pod), pod["spec"]["containers"][0]["name"]


def _up(world: World, named: Sequence[Condition], start: int, end: int) -> Iterator[Series]:
    """That nodes could be scraped."""
    if not all(condition("up") for condition in named) or end <= start:
        return
    for node in sorted(name_of(each) for each in world.store.all("nodes")):
        offset = draws.pick(SCRAPE, world.seed, "scrape", node)
        times = np.arange(-((offset - start - 1) // SCRAPE) * SCRAPE + offset, end + 1, SCRAPE, dtype=np.int64)
        yield Series(_labels("up", node), times, np.ones(len(times)))
