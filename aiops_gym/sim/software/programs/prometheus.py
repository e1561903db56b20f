"""Prometheus: scrapes the containers' metrics and answers plain selectors over HTTP; see `sim/telemetry`."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import parse_qs

from aiops_gym.sim.kernel.objects import name_of
from aiops_gym.sim.kernel.patterns import compile_pattern
from aiops_gym.sim.kernel.tables import Instance, Process
from aiops_gym.sim.kernel.times import SECOND, millis
from aiops_gym.sim.machine.program import MIB, HttpAnswer, Program
from aiops_gym.sim.telemetry import metrics
from aiops_gym.types import Json, Sample

if TYPE_CHECKING:
    from aiops_gym.sim.kernel.world import World
    from aiops_gym.sim.machine.container import Container

Query = Mapping[str, list[str]]
PORT = 9090
STALE = 5 * 60
"""Seconds after which a sample is too old for an instant query."""

MOST_POINTS = 11_000
"""For each series: a range query that asks for more is refused, as by a real Prometheus."""

SELECTOR = re.compile(r"\s*([a-zA-Z_:][\w:]*)?\s*(?:\{(.*)\})?\s*", re.DOTALL)
MATCHER = re.compile(r'\s*([a-zA-Z_]\w*)\s*(=~|!~|!=|=)\s*(?:"((?:[^"\\]|\\.)*)"|\'([^\']*)\')\s*(,|$)')
STEP = re.compile(r"(?:(\d+(?:\.\d+)?)|(?:(\d+)h)?(?:(\d+)m)?(?:(\d+)s)?)")
BUILD = {"version": "2.47.2", "revision": "3f3172cde1ee37f1c7b3a5f3d9b031190509b3ad", "branch": "HEAD"}
BUILD |= {"buildUser": "", "buildDate": "20231016-12:38:12", "goVersion": "go1.21.3"}
PAGE = '<!DOCTYPE html>\n<html lang="en"><head><title>Prometheus Time Series Collection</title></head></html>\n'


class Wrong(Exception):
    """A query that is not understood: errorType `bad_data`."""


class Selector(NamedTuple):
    """A metric and what its labels must be: (label, operator, value)."""

    name: str
    matchers: Sequence[tuple[str, str, str]]

    def takes(self, labels: Mapping[str, str]) -> bool:
        """Whether a series is meant."""
        for label, operator, value in self.matchers:
            have = labels.get(label, "")
            same = re.fullmatch(value, have) is not None if "~" in operator else have == value
            if same == operator.startswith("!"):
                return False
        return True


class Prometheus(Program):
    """Ready within a second."""

    def start(self, c: Container) -> None:
        """Open the port."""
        c.after(int(c.between(200, 700, "open")), "open")

    def event(self, c: Container, name: str, *arguments: object) -> None:
        """Ready to receive web requests."""
        c.listen(PORT)

    def usage(self, process: Instance, rps: float, cpu_seconds_per_s: float) -> dict[str, float]:
        """A scrape a minute."""
        memory = float(process["params"].get("memory", 260 * MIB))
        return {"cpu": float(process["params"].get("cpu", 0.03)), "memory": memory, "threads": 14.0}

    def http(self, world: World, process: Process, path: str) -> tuple[int, str]:
        """The reading part of its HTTP API, version 1."""
        where, _, text = path.partition("?")
        query = parse_qs(text, keep_blank_values=True)
        if where in ("/-/ready", "/-/healthy"):
            return 200, f"Prometheus Server is {where[3:].capitalize()}.\n"
        if where in ("/", "/graph"):
            return 200, PAGE
        label = re.fullmatch(r"/api/v1/label/(\w+)/values", where)
        try:
            if label:
                return _good(_values(world, label[1], query))
            if where in ANSWERS:
                return _good(ANSWERS[where](world, query))
        except Wrong as error:
            body = {"status": "error", "errorType": "bad_data", "error": str(error)}
            return 400, json.dumps(body, separators=(",", ":"))
        return 404, "404 page not found\n"

    def answer(self, world: World, process: Process, method: str, path: str) -> HttpAnswer | None:
        """As `http`, a few milliseconds later."""
        return HttpAnswer(*self.http(world, process, path), seconds=0.004)

    def post(self, world: World, process: Process, path: str, body: str) -> HttpAnswer | None:
        """A form is read as the query of the address is."""
        where, _, text = path.partition("?")
        return self.answer(world, process, "POST", f"{where}?{'&'.join(filter(None, (body, text)))}")


def _good(data: Json) -> tuple[int, str]:
    return 200, json.dumps({"status": "success", "data": data}, separators=(",", ":"))


def parse(text: str, parameter: str = "query") -> Selector:
    """A plain selector. Raises Wrong.

    >>> parse('up{job="a",pod=~"geo.*"}').matchers
    [('job', '=', 'a'), ('pod', '=~', 'geo.*')]
    """
    head = f'invalid parameter "{parameter}": '
    if not text.strip():
        raise Wrong(f"{head}unknown position: parse error: no expression found in input")
    found = SELECTOR.fullmatch(text)
    if found is None or not (found[1] or found[2]):
        stem = re.match(r"\s*[\w:]*", text)
        at = stem.end() if stem else 0
        raise Wrong(f"{head}1:{at + 1}: parse error: unexpected {_token(text[at : at + 1])}")
    matchers, rest = list[tuple[str, str, str]](), found[2] or ""
    while rest.strip():
        one = MATCHER.match(rest)
        if one is None:
            at = len(text) - len(rest) - 1
            raise Wrong(f"{head}1:{at + 1}: parse error: unexpected character inside braces: {rest.strip()[0]!r}")
        value = one[3] if one[3] is not None else one[4]
        if "~" in one[2]:
            _compiled(value, head)
        matchers.append((one[1], one[2], value))
        rest = rest[one.end() :]
    name = found[1] or next((v for label, operator, v in matchers if (label, operator) == ("__name__", "=")), "")
    return Selector(name, matchers)


def _compiled(pattern: str, head: str) -> None:
    try:
        compile_pattern(pattern)
    except re.error as error:
        raise Wrong(f"{head}1:1: parse error: error parsing regexp: {error}") from error


def _token(char: str) -> str:
    names = {"(": "left parenthesis '('", ")": "right parenthesis ')'", "[": "left bracket '['", "": "end of input"}
    return names.get(char, f"character: {char!r}")


def _time(query: Query, name: str, default: float) -> float:
    text = query.get(name, [""])[0]
    if not text:
        return default
    try:
        return float(text) if re.fullmatch(r"\d+(\.\d+)?", text) else millis(text) / SECOND
    except ValueError:
        raise Wrong(f'invalid parameter "{name}": cannot parse "{text}" to a valid timestamp') from None


def _labels(world: World, metric: str, sample: Sample, places: Mapping[str, tuple[str, str]]) -> dict[str, str]:
    node, _, pod = sample.series.partition(".")
    namespace, container = places.get(pod, ("", ""))
    labels = {"__name__": metric, "beta_kubernetes_io_os": "linux", "container": container, "instance": node}
    labels |= {"job": "kubernetes-nodes-cadvisor", "kubernetes_io_hostname": node, "namespace": namespace, "pod": pod}
    return labels | ({"interface": sample.label} if sample.label else {})


def _samples(
    world: World, selector: Selector, start: float, end: float, step: float
) -> list[tuple[dict[str, str], list[Sample]]]:
    """The series that a selector means, each with its samples, by labels."""
    found: dict[str, tuple[dict[str, str], list[Sample]]] = {}
    wanted = {v for label, operator, v in selector.matchers if (label, operator) == ("namespace", "=")}
    for namespace in sorted(_namespaces(world) & wanted if wanted else _namespaces(world)):
        places = _places(world, namespace)
        rows = metrics.query_range(
            world, selector.name, namespace, round(start * 1000), round(end * 1000), max(1, round(step * 1000))
        )
        for sample in rows:
            labels = _labels(world, selector.name, sample, places)
            if selector.takes(labels):
                found.setdefault(json.dumps(labels), (labels, []))[1].append(sample)
    return [found[key] for key in sorted(found)]


def _namespaces(world: World) -> set[str]:
    return {str(row["pod"]).partition("/")[0] for row in world.table("processes").values()}


def _places(world: World, namespace: str) -> dict[str, tuple[str, str]]:
    pods = [*world.store.all("pods", namespace)]
    found = {row["pod"].partition("/")[2]: (namespace, row["container"]) for row in world.table("ended").values()}
    return found | {name_of(pod): (namespace, pod["spec"]["containers"][0]["name"]) for pod in pods}


def _value(value: float) -> str:
    return repr(int(value)) if value == int(value) else repr(value)


def _query(world: World, query: Query) -> Json:
    selector, time = parse(query.get("query", [""])[0]), _time(query, "time", world.now / 1000)
    result = []
    for labels, samples in _samples(world, selector, time - STALE, time, 15.0):
        if samples:
            result.append({"metric": labels, "value": [time, _value(samples[-1].value)]})
    return {"resultType": "vector", "result": result}


def _query_range(world: World, query: Query) -> Json:
    selector = parse(query.get("query", [""])[0])
    start, end = _time(query, "start", -1.0), _time(query, "end", -1.0)
    for name, value in (("start", start), ("end", end)):
        if value < 0:
            raise Wrong(f'invalid parameter "{name}": cannot parse "" to a valid timestamp')
    step = _step(query.get("step", [""])[0])
    if end < start:
        raise Wrong('invalid parameter "end": end timestamp must not be before start time')
    if (end - start) / step > MOST_POINTS:
        raise Wrong(
            "exceeded maximum resolution of 11,000 points per timeseries. "
            "Try decreasing the query resolution (?step=XX)"
        )
    result = [
        {"metric": labels, "values": [[s.time, _value(s.value)] for s in samples]}
        for labels, samples in _samples(world, selector, start, end, step)
    ]
    return {"resultType": "matrix", "result": result}


def _step(text: str) -> float:
    found = STEP.fullmatch(text)
    if found is None or not text:
        raise Wrong(f'invalid parameter "step": cannot parse "{text}" to a valid duration')
    seconds = float(found[1]) if found[1] else sum(int(found[i] or 0) * f for i, f in ((2, 3600), (3, 60), (4, 1)))
    if seconds <= 0:
        text = "zero or negative query resolution step widths are not accepted. Try a positive integer"
        raise Wrong(f'invalid parameter "step": {text}')
    return seconds


def _values(world: World, label: str, query: Query) -> list[str]:
    if label == "__name__":
        return sorted(metrics.NAMES)
    rows = _series(world, {"match[]": ["container_memory_usage_bytes"]})
    return sorted({row[label] for row in rows if label in row})


def _series(world: World, query: Query) -> list[dict[str, str]]:
    wanted = query.get("match[]") or query.get("match")
    if not wanted:
        raise Wrong("no match[] parameter provided")
    end = _time(query, "end", world.now / 1000)
    start = max(_time(query, "start", end - STALE), end - 3600.0)
    found = []
    for text in wanted:
        found += [labels for labels, _ in _samples(world, parse(text, "match[]"), start, end, 60.0)]
    return found


def _labels_of(world: World, query: Query) -> list[str]:
    own = ("container", "instance", "interface", "job", "kubernetes_io_hostname", "namespace", "pod")
    return ["__name__", "beta_kubernetes_io_os", *own]


def _targets(world: World, query: Query) -> Json:
    found = []
    for node in world.store.all("nodes"):
        name = name_of(node)
        url = f"https://kubernetes.default.svc:443/api/v1/nodes/{name}/proxy/metrics/cadvisor"
        found.append(
            {
                "discoveredLabels": {"__address__": name, "job": "kubernetes-nodes-cadvisor"},
                "labels": {"instance": name, "job": "kubernetes-nodes-cadvisor"},
                "scrapePool": "kubernetes-nodes-cadvisor",
                "scrapeUrl": url,
                "globalUrl": url,
                "lastError": "",
                "health": "up",
                "scrapeInterval": "1m",
                "scrapeTimeout": "10s",
            }
        )
    return {"activeTargets": found, "droppedTargets": [], "droppedTargetCounts": {}}


ANSWERS: Mapping[str, Callable[[World, Query], Json]] = {
    "/api/v1/query": _query,
    "/api/v1/query_range": _query_range,
    "/api/v1/series": _series,
    "/api/v1/labels": _labels_of,
    "/api/v1/targets": _targets,
    "/api/v1/status/buildinfo": lambda world, query: BUILD,
    "/api/v1/alerts": lambda world, query: {"alerts": []},
    "/api/v1/rules": lambda world, query: {"groups": []},
}

program = Prometheus()
