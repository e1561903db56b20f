"""What the telemetry of an incident says over its time: alerts, and the golden signals of users and components.

Everything is asked for as an agent could: PromQL of the cluster's Prometheus, its alerts, and the spans of its Jaeger.
What the telemetry does not know is not known here either. All that it comes to is JSON data, small enough to be kept
with an episode: the points of a series are one text.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from aiops_gym.backends.span_signals import Floats, Measured, find_component, measure_spans
from aiops_gym.catalog.model import App
from aiops_gym.sim.alerts.board import Course
from aiops_gym.sim.alerts.rules import Rule
from aiops_gym.sim.alerts.source import Ruled
from aiops_gym.sim.alerts.template import expand
from aiops_gym.sim.kernel.tables import Process
from aiops_gym.sim.kernel.times import HOUR, MINUTE, SECOND
from aiops_gym.sim.kernel.world import World
from aiops_gym.sim.promql import evaluate
from aiops_gym.sim.promql.errors import QueryError
from aiops_gym.sim.promql.parser import parse
from aiops_gym.sim.software.prometheus_api.loading import open_rules
from aiops_gym.types import Json

BEFORE = 10 * MINUTE
"""Milliseconds before the episode that are told as well: what is normal, and how it began."""

STEP, POINTS = 30 * SECOND, 64
"""Milliseconds between two points, or a multiple of it where there would be more points than that."""

WINDOW = 2 * MINUTE
"""Milliseconds that each point looks back: two scrapes."""

ANSWERS = "sum by (proxy) (rate(haproxy_backend_http_responses_total[2m]))"
FAILURES = 'sum by (proxy) (rate(haproxy_backend_http_responses_total{code="5xx"}[2m]))'
QUERIES: Mapping[str, str] = {"rate": ANSWERS, "errors": f"{FAILURES} / {ANSWERS}"}
"""Of operations, at the load balancer: requests a second, and the share that fails."""

CPU = 'sum by (pod) (rate(container_cpu_usage_seconds_total{{namespace="{0}", container!=""}}[2m]))'
LIMITS = 'sum by (pod) (kube_pod_container_resource_limits{{namespace="{0}", resource="cpu"}})'

SERIES = ("rate", "errors", "p50", "p99", "cpu", "saturation")
UNKNOWN = "-"
DIGITS = 3

OF_SCRAPES = ("instance", "job", "service", "uid")
"""Labels of alerts that tell only who measured."""

OF_RULES = ("long", "short")
"""Labels that tell two rules of one name apart; they come last."""


class Grid(NamedTuple):
    """The moments of the points, Unix ms: from start to end, both included."""

    start: int
    end: int
    step: int

    @property
    def times(self) -> NDArray[np.int64]:
        """All of them."""
        return np.arange(self.start, self.end + 1, self.step, dtype=np.int64)


def read_signals(world: World, app: App, began: float) -> dict[str, Json]:
    """What is known of an incident until now; changes nothing.

    Args:
        world: as it is at the end.
        app: its application.
        began: Unix seconds at which the episode began.

    Returns:
        `start`, `end` and `step` of the points in seconds since the episode began; `operations` and `components`: by
        name the series `rate` (requests a second), `errors` (share), `p50` and `p99` (ms), and of components `cpu`
        (cores) and `saturation` (of their limit), each a text of numbers with `-` for what is not known, series of
        which nothing is known left out; `alerts` in the order in which they came: `name`, `severity`, `labels`, `what`,
        and `spans`, each as when it was pending, fired and ended, None for never and for not yet.
    """
    twin, first = world.fork(), round(began * SECOND)
    grid = _make_grid(first, twin.now)
    operations, components = measure_spans(twin, app, grid.times, WINDOW)
    alerts: list[Json] = []
    ruled = _open_prometheus(twin)
    if ruled is not None:
        _add(operations, _ask_users(ruled, twin, grid))
        _add(components, _ask_pods(ruled, app, grid))
        alerts = sorted(
            _list_alerts(ruled, app, grid.start, first), key=lambda alert: (alert["spans"][0][0], alert["name"])
        )
    return {
        **{name: (value - first) / SECOND for name, value in (("start", grid.start), ("end", grid.end))},
        "step": grid.step / SECOND,
        "operations": {each.name: _write(operations.get(each.name, {})) for each in twin.blueprint.operations},
        "components": {name: _write(components.get(name, {})) for name in app.components},
        "alerts": alerts,
    }


def _make_grid(first: int, now: int) -> Grid:
    """Points up to now, as far back as telemetry reaches."""
    whole = min(now - first + BEFORE, HOUR - WINDOW)
    step = STEP * max(1, math.ceil(whole / STEP / POINTS))
    return Grid(now - whole // step * step, now, step)


def _open_prometheus(world: World) -> Ruled | None:
    rows = (row for row in world.table("processes").values() if row["program"] == "prometheus" and row["running"])
    running: Process | None = next(rows, None)
    return None if running is None else open_rules(world, running)


def _add(found: dict[str, Measured], more: Mapping[str, Measured]) -> None:
    for name, series in more.items():
        found[name] = {**found.get(name, {}), **series}


def _ask(ruled: Ruled, query: str, grid: Grid, label: str) -> dict[str, Floats]:
    """The series of a query by the value of a label, NaN where there is no point."""
    found = {}
    for series in evaluate.query_range(ruled, parse(query), grid.start, grid.end, grid.step).series:
        column = np.full(len(grid.times), np.nan)
        column[(series.times - grid.start) // grid.step] = series.values
        found[dict(series.labels).get(label, "")] = column
    return found


def _ask_users(ruled: Ruled, world: World, grid: Grid) -> dict[str, Measured]:
    blueprint = world.blueprint
    names = {f"{blueprint.namespace}_{each.name.replace(' ', '-')}": each.name for each in blueprint.operations}
    found: dict[str, Measured] = {}
    for key, query in QUERIES.items():
        for proxy, column in _ask(ruled, query, grid, "proxy").items():
            if proxy in names:
                found.setdefault(names[proxy], {})[key] = column
    return found


def _ask_pods(ruled: Ruled, app: App, grid: Grid) -> dict[str, Measured]:
    """Cores that the pods of each component use, and their share of what those with a limit may use."""
    used, limits = (_ask(ruled, query.format(app.namespace), grid, "pod") for query in (CPU, LIMITS))
    sums: dict[str, list[Floats]] = {}
    for pod, cores in used.items():
        nothing = np.full(len(cores), np.nan)
        limit = limits.get(pod, nothing)
        rows = sums.setdefault(find_component(app, pod), [nothing, nothing, nothing])
        for i, column in enumerate((cores, np.where(np.isnan(limit), np.nan, cores), limit)):
            rows[i] = np.where(np.isnan(rows[i]), column, rows[i] + np.nan_to_num(column))
    with np.errstate(all="ignore"):
        return {name: {"cpu": cores, "saturation": inside / limit} for name, (cores, inside, limit) in sums.items()}


def _list_alerts(ruled: Ruled, app: App, start: int, first: int) -> Iterator[dict[str, Json]]:
    """The alerts that were active at some time from a start on, times in seconds since the first moment."""
    for group in ruled.groups:
        for rule in group.rules:
            try:
                courses: Sequence[Course] = ruled.courses(group, rule) if rule.alerting else ()
            except QueryError:
                continue
            for course in courses:
                spans = [
                    [None if at is None else (int(course.times[at]) - first) / SECOND for at in stretch]
                    for stretch in course.stretches
                    if stretch.ended is None or course.times[stretch.ended] > start
                ]
                if spans:
                    yield {**_tell(rule, course, app), "spans": spans}


def _tell(rule: Rule, course: Course, app: App) -> dict[str, Json]:
    own = {name: value for name, value in course.labels if name != "alertname"}
    value = float(course.values[np.flatnonzero(course.there)[-1]])
    notes = dict(rule.annotations)
    what = expand(notes.get("description") or notes.get("summary") or "", own, value)
    severity = own.pop("severity", "")
    if own.get("namespace") == app.namespace:
        del own["namespace"]
    told = {name: text for name, text in own.items() if name not in OF_SCRAPES and not name.startswith("app_")}
    if len(told) > 1:
        told.pop("node", None)  # of who tells of the other labels
    labels = dict(sorted(told.items(), key=lambda pair: (pair[0] in OF_RULES, pair[0])))
    return {"name": rule.name, "severity": severity, "labels": labels, "what": " ".join(what.split())}


def _write(measured: Measured) -> dict[str, str]:
    known = {key: measured[key] for key in SERIES if key in measured}
    return {key: _write_points(column) for key, column in known.items() if not np.isnan(column).all()}


def _write_points(column: Floats) -> str:
    """Numbers between blanks, with as many digits as a picture shows."""
    return " ".join(f"{value:.{DIGITS}g}" if math.isfinite(value) else UNKNOWN for value in column.tolist())
