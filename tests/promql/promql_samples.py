"""Series that a query language can be tried on, drawn by a seed: counters with resets, gauges, histograms, gaps, ends."""

from __future__ import annotations

import math
import random
from collections.abc import Iterator, Sequence

import numpy as np

from aiops_gym.sim.promql.patterns import compile_matchers
from aiops_gym.sim.promql.series import Matcher, Series

START = 1_699_999_200_000
"""ms; a full hour, and the beginning of a block of two hours."""

LENGTH = 2 * 3_600_000
STRANGE = (math.nan, math.inf, -math.inf, 0.0, -1.5, 1e-9, 1e22, 3.0, 3.0)
BOUNDS = ("0.005", "0.05", "0.1", "0.5", "1", "2.5", "+Inf")
CELLS = tuple(
    {"namespace": namespace, "pod": f"{name}-{i}", "container": name, "node": f"node-{(i + len(name)) % 3}"}
    for namespace, name, many in (("shop", "cart", 3), ("shop", "pay", 2), ("kube-system", "dns", 2), ("ops", "job", 1))
    for i in range(many)
)


class Samples:
    """Series in memory, as a source of queries."""

    def __init__(self, series: Sequence[Series]) -> None:
        self.series = sorted(series, key=lambda each: each.labels)
        self.dicts = [dict(each.labels) for each in self.series]

    def select(self, matchers: Sequence[Matcher], start: int, end: int) -> list[Series]:
        """See `Source`."""
        takes = compile_matchers(matchers)
        found = []
        for series, labels in zip(self.series, self.dicts, strict=True):
            if takes(labels):
                low, high = np.searchsorted(series.times, (start, end), side="right")
                if low < high:
                    found.append(Series(series.labels, series.times[low:high], series.values[low:high]))
        return found


def make(name: str, labels: dict[str, str], points: Sequence[tuple[int, float]]) -> Series:
    """A series of points."""
    times, values = zip(*points, strict=True)
    pairs = tuple(sorted({**labels, "__name__": name}.items()))
    return Series(pairs, np.array(times, np.int64), np.array(values, np.float64))


def draw(seed: int) -> Samples:
    """All series of a seed."""
    return Samples(list(_draw(random.Random(seed))))


def _times(rng: random.Random, step: int, *, jitter: int = 0, gaps: bool = True) -> list[int]:
    """Scrapes, some of which fail."""
    first, last = START + rng.randrange(step), START + LENGTH
    if rng.random() < 0.15:
        last -= rng.randrange(LENGTH)
    if rng.random() < 0.15:
        first += rng.randrange(LENGTH // 2)
    missed = (rng.randrange(LENGTH), rng.choice((0, 90_000, 400_000, 900_000))) if gaps else (0, 0)
    found = [time + (rng.randrange(jitter) if jitter else 0) for time in range(first, max(last, first + step), step)]
    return [t for t in found if not missed[0] <= t - START < missed[0] + missed[1]] or found[:1]


def _counter(rng: random.Random, times: Sequence[int], rate: float, whole: bool = False) -> list[tuple[int, float]]:
    found, value, before = [], rng.choice((0.0, rng.uniform(0, 1000))), times[0]
    for time in times:
        value += rate * (time - before) / 1000 * rng.uniform(0, 2)
        value, before = 0.0 if rng.random() < 0.01 else value, time
        found.append((time, float(math.floor(value)) if whole else value))
    return found


def _gauge(rng: random.Random, times: Sequence[int], level: float) -> list[tuple[int, float]]:
    return [(time, level * rng.uniform(0.5, 1.5)) for time in times]


def _draw(rng: random.Random) -> Iterator[Series]:
    for job, instance in (("api", "10.0.0.1:80"), ("api", "10.0.0.2:80"), ("web", "10.0.0.3:80")):
        here = {"job": job, "instance": instance}
        times = _times(rng, 15_000)
        yield make("up", here, [(time, float(rng.random() > 0.1)) for time in times])
        for method in ("GET", "POST"):
            for code in ("200", "404", "500"):
                labels = {**here, "method": method, "code": code}
                yield make("http_requests_total", labels, _counter(rng, times, 20.0 / int(code[0]), whole=True))
        yield from _histogram(rng, here, times)
    for cell in CELLS:
        times = _times(rng, 30_000, jitter=400)
        yield make("container_cpu_usage_seconds_total", cell, _counter(rng, times, rng.uniform(0.01, 2)))
        yield make("container_memory_working_set_bytes", cell, _gauge(rng, times, rng.uniform(1e6, 1e9)))
        where = {name: cell[name] for name in ("namespace", "pod")}
        still = _times(rng, 60_000, gaps=False)
        yield make("kube_pod_info", {**where, "node": cell["node"], "host_ip": "10.1.0.9"}, [(t, 1.0) for t in still])
        owner = {**where, "workload": cell["container"], "workload_type": "deployment"}
        yield make("namespace_workload_pod:kube_pod_owner:relabel", owner, [(time, 1.0) for time in still])
        for resource, value in (("cpu", 0.5), ("memory", 2.0**29)):
            limit = {**where, "container": cell["container"], "resource": resource}
            yield make("kube_pod_container_resource_limits", limit, [(time, value) for time in still])
        for phase in ("Pending", "Running", "Failed"):
            phases = [(time, float(phase == "Running")) for time in still]
            yield make("kube_pod_status_phase", {**where, "phase": phase}, phases)
    for kind in ("a", "b", "c"):
        times = _times(rng, 45_000)
        yield make("strange", {"kind": kind}, [(time, rng.choice(STRANGE)) for time in times])
        yield make(
            "temperature", {"room": kind, "Unit": "C", "_x": "é\\"}, _gauge(rng, times, rng.choice((-20.0, 5.0)))
        )


def _histogram(rng: random.Random, here: dict[str, str], times: Sequence[int]) -> Iterator[Series]:
    totals = [0.0] * len(BOUNDS)
    rows: list[list[tuple[int, float]]] = [[] for _ in BOUNDS]
    for time in times:
        level = 0.0
        for i in range(len(BOUNDS)):
            totals[i] += rng.randrange(4)
            level += totals[i]
            rows[i].append((time, level))
    for bound, row in zip(BOUNDS, rows, strict=True):
        yield make("latency_seconds_bucket", {**here, "le": bound}, row)
    yield make("latency_seconds_count", here, rows[-1])
    yield make("latency_seconds_sum", here, _counter(rng, times, 3.0))


def write_openmetrics(samples: Samples) -> str:
    """What `promtool tsdb create-blocks-from openmetrics` reads."""
    lines, family = [], ""
    for series, labels in zip(samples.series, samples.dicts, strict=True):
        name = labels["__name__"]
        if name != family:
            family = name
            lines.append(f"# TYPE {name} unknown")
        inside = ",".join(f'{key}="{_escape(value)}"' for key, value in labels.items() if key != "__name__")
        for time, value in zip(series.times.tolist(), series.values.tolist(), strict=True):
            shown = repr(value).replace("inf", "Inf").replace("nan", "NaN")
            lines.append(f"{name}{{{inside}}} {shown} {time // 1000}.{time % 1000:03d}")
    return "\n".join([*lines, "# EOF", ""])


def _escape(value: str) -> str:
    return value.replace("\\", "\\\\").replace('"', '\\"')
