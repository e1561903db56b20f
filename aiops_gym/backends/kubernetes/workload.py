"""Users: requests for each operation of the application, through the API server, counted one by one.

What a simulated world knows as a distribution is measured here, and every figure is a count with its interval. A Job
may make further requests inside the cluster, so that telemetry has something to show between our looks.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from math import sqrt
from shlex import join
from typing import NamedTuple
from urllib.parse import parse_qsl, quote, urlencode

from aiops_gym.backends.kubernetes.api import Api
from aiops_gym.catalog.model import App
from aiops_gym.sim.machine.program import HttpAnswer
from aiops_gym.types import Json, Request

Z = 1.96
"""Of an interval that holds in 95 of 100 cases."""

TIMES = 20
"""Requests for an operation in a look that counts."""

TOLERANCE = 0.01
"""How much rarer an operation may succeed, as in `backends.steady`."""

IMAGE = "curlimages/curl:8.10.1"
JOB = "workload"


class Count(NamedTuple):
    """Requests for an operation, and how many succeeded."""

    asked: int
    ok: int

    @property
    def share(self) -> float:
        """Of requests that succeeded."""
        return self.ok / self.asked if self.asked else 0.0

    @property
    def interval(self) -> tuple[float, float]:
        """Wilson's interval of the share.

        >>> Count(20, 20).interval
        (0.839, 1.0)
        """
        if not self.asked:
            return 0.0, 1.0
        n, p = self.asked, self.share
        middle, half = p + Z * Z / (2 * n), Z * sqrt(p * (1 - p) / n + Z * Z / (4 * n * n))
        low, high = (middle - half) / (1 + Z * Z / n), (middle + half) / (1 + Z * Z / n)
        return round(max(0.0, low), 3), round(min(1.0, high), 3)


Counts = Mapping[str, Count]
"""By operation."""


def list_operations(app: App) -> tuple[str, ...]:
    """Operations that are asked for here: those of which the catalogue says how."""
    return tuple(each["name"] for each in app.operations if each["name"] in app.requests)


def write_request(operation: Mapping[str, Json], given: str) -> tuple[str, str, str]:
    """Method, path and body of a request for an operation, with what `App.requests` gives for it.

    >>> write_request({"handler": "GET /hotels"}, "lat=38&lon=-122")
    ('GET', '/hotels?lat=38&lon=-122', 'lat=38&lon=-122')
    >>> write_request({"handler": "POST /ask/{product}"}, 'product=A1{"question": "why?"}')
    ('POST', '/ask/A1', '{"question": "why?"}')
    """
    method, path = str(operation["handler"]).split()[-2:]
    query, brace, more = given.partition("{")
    values = dict(parse_qsl(query))
    for name in re.findall(r"{(\w+)}", path):
        path = path.replace(f"{{{name}}}", quote(values.pop(name)))
        query = urlencode(values)
    return method, f"{path}?{query}" if query else path, brace + more or query


def ask(api: Api, app: App, operation: Mapping[str, Json]) -> bool:
    """One request of a user; whether it succeeded. Raises BackendError where the API server is gone."""
    method, path, text = write_request(operation, app.requests[operation["name"]])
    asked = {"method": method, "path": path, "text": text}
    place = f"{operation['service']}:{operation['port']}"
    answer = api.send(Request("get", "services", app.namespace, place, "proxy", asked))
    return answer.code < 400 and isinstance(answer.body, HttpAnswer)


def measure(api: Api, app: App, seconds: float, times: int = TIMES) -> Counts:
    """Ask for each operation so many times, spread over so many seconds."""
    named = [each for each in app.operations if each["name"] in app.requests]
    found = {each["name"]: Count(0, 0) for each in named}
    for _ in range(times):
        for each in named:
            asked, ok = found[each["name"]]
            found[each["name"]] = Count(asked + 1, ok + ask(api, app, each))
        api.clock.wait(seconds / times)
    return found


def list_worse(before: Counts, now: Counts) -> list[str]:
    """Operations that certainly succeed more rarely than before, in words."""
    return [
        f"{name} succeeds in {count.share:.0%} of requests ({count.ok} of {count.asked}, {_span(count)})"
        for name, count in now.items()
        if count.interval[1] < before[name].share - TOLERANCE or (before[name].share == 1.0 and count.share <= 0.95)
    ]


def _span(count: Count) -> str:
    low, high = count.interval
    return f"95 % interval {low:.0%} to {high:.0%}"


def make_job(app: App, rate: float) -> Json:
    """A Job that makes the users' requests, each operation as often as its weight says."""
    weights = [(each, round(100 * float(each["weight"]))) for each in app.operations if each["name"] in app.requests]
    lines = [
        f"{_write_curl(each, app)}; sleep {1.0 / rate:.3f}"
        for each, weight in weights
        for _ in range(max(1, weight // 5))
    ]
    script = "while true; do\n" + "\n".join(lines) + "\ndone"
    container = {"name": JOB, "image": IMAGE, "command": ["sh", "-c", script]}
    template = {"spec": {"restartPolicy": "Never", "containers": [container]}}
    return {
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": {"name": JOB, "namespace": f"{app.namespace}-users"},
        "spec": {"template": template, "backoffLimit": 10},
    }


def _write_curl(operation: Mapping[str, Json], app: App) -> str:
    """The command that makes one request."""
    _, path, text = write_request(operation, app.requests[operation["name"]])
    url = f"http://{operation['service']}.{app.namespace}:{operation['port']}{path}"
    told = ("-H", "Content-Type: application/json", "-d", text) if text.startswith("{") else ()
    return join(["curl", "-s", "-o", "/dev/null", "-m", "10", *told, url])
