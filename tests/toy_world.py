"""A world of a few lines behind the same seam, so that tools, environments and runs are tested without a cluster."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, Self

from aiops_gym.backends.base import Assessment
from aiops_gym.catalog import registry
from aiops_gym.catalog.model import Problem
from aiops_gym.envs.live import LiveEnv
from aiops_gym.errors import BackendError
from aiops_gym.types import Request, Response, Sample, ShellRun, Span

START = 1_700_000_000.0


class ToyShell:
    """Knows echo, cat, sleep, ls, false, break and mend; one command a script."""

    def __init__(self, backend: ToyBackend) -> None:
        self.backend = backend
        self.files: dict[str, str] = {}
        self.full = False

    def run(self, script: str, timeout: float = 30.0) -> ShellRun:
        name, _, rest = script.strip().partition(" ")
        out, err, code = self.answer(name, rest)
        if name == "sleep" and rest.isdecimal():
            self.backend.spend(min(float(rest), timeout))
            if float(rest) > timeout:
                return ShellRun("", "", "bash: killed\n", 124, "time")
        return ShellRun(out, err, out + err, code)

    def answer(self, name: str, rest: str) -> tuple[str, str, int]:
        if name == "crash":
            raise BackendError("the cluster is gone")
        if name == "echo":
            return rest + "\n", "", 0
        if name == "cat":
            return (self.files[rest], "", 0) if rest in self.files else ("", f"cat: {rest}: no such file\n", 1)
        if name == "ls":
            return "\n".join(self.list_files(rest)) + "\n", "", 0
        if name == "mend":
            self.backend.broken = False
        if name in ("mend", "sleep", "kubectl"):
            return "", "", 0
        return "", f"bash: {name}: command not found\n", 127

    def read_file(self, path: str) -> str:
        if path not in self.files:
            raise FileNotFoundError(path)
        return self.files[path]

    def write_file(self, path: str, text: str) -> None:
        if self.full:
            raise OSError(28, "No space left on device", path)
        self.files[path] = text

    def list_files(self, path: str) -> Sequence[str]:
        return sorted(name for name in self.files if name.startswith(path))


class ToyCluster:
    """Two services, `geo` with one pod and `rate` with none."""

    def __init__(self, backend: ToyBackend) -> None:
        self.backend = backend

    def handle(self, request: Request) -> Response:
        app = self.backend.app
        pod: dict[str, Any] = {
            "metadata": {"name": "geo-1", "namespace": app.namespace, "labels": {app.selector: "geo"}},
            "spec": {"containers": [{"name": "geo"}]},
        }
        if request.subresource == "log":
            return Response(200, "10:00:01 connection refused\n10:00:02 connection refused\n10:00:03 give up")
        if (request.verb, request.resource) == ("list", "pods"):
            return Response(200, {"items": [pod] if request.namespace == app.namespace else []})
        if (request.verb, request.resource) == ("list", "namespaces"):
            return Response(200, {"items": [{"metadata": {"name": app.namespace}}]})
        there = request.name == app.namespace or (request.resource == "services" and request.name == "rate")
        return Response(200, {}) if there else Response(404, {"reason": "NotFound", "message": "not found"})

    def now(self) -> float:
        return self.backend.now()

    def wait(self, seconds: float) -> bool:
        self.backend.spend(seconds)
        return True


class ToyTelemetry:
    """One metric of two pods, one trace through two services."""

    def __init__(self, backend: ToyBackend) -> None:
        self.backend = backend

    def metric_names(self) -> Sequence[str]:
        return ["container_threads", "container_network_receive_bytes_total", "container_never"]

    def metrics(self, name: str, namespace: str, start: float, end: float) -> Sequence[Sample]:
        label = "eth0" if "network" in name else ""
        if name == "container_never":
            return []
        return [Sample(int(t), f"node-1.{pod}", label, 1.5) for t in (start, end) for pod in ("geo-1", "rate-1")]

    def services(self) -> Sequence[str]:
        return ["geo", "jaeger-all-in-one", "rate"]

    def traces(self, service: str, start: float, end: float, limit: int) -> tuple[Sequence[Span], int]:
        tags = (("response_class", "2xx"), ("http.status_code", "200"))
        root = Span("t1", "s1", "", "rate", "GetRates", 1_000, 500, False, tags)
        return [root, Span("t1", "s2", "s1", "geo", "Nearby", 1_100, 200, True, ())], 250


class ToyBackend:
    """An incident that one command mends."""

    def __init__(self, problem: Problem, seed: int) -> None:
        self.problem, self.seed = problem, seed
        self.app, self.fault = registry.find_app(problem.app), registry.find_fault(problem)
        self.began, self.clock = START, START
        self.broken = self.fault is not None
        self.shell, self.cluster, self.telemetry = ToyShell(self), ToyCluster(self), ToyTelemetry(self)

    def now(self) -> float:
        return self.clock

    def spend(self, seconds: float) -> None:
        self.clock = round(self.clock + seconds, 3)

    def pods(self) -> Sequence[Any]:
        return []

    def calm(self) -> Self:
        return self.fork()

    def assess(self) -> Assessment:
        well = not self.broken
        return Assessment(cause_gone=well, complete=True, steady=True, served=well)

    def snapshot(self) -> bytes:
        data = [self.problem.id, self.seed, self.clock, self.broken, self.shell.files]
        return json.dumps(data).encode()

    @classmethod
    def restored(cls, data: bytes) -> Self:
        problem, seed, clock, broken, files = json.loads(data)
        self = cls(registry.find_problem(problem), seed)
        self.clock, self.broken, self.shell.files = clock, broken, files
        return self

    def fork(self) -> Self:
        return self.restored(self.snapshot())


class ToyEnv(LiveEnv):
    """The environment over the toy."""

    def _open(self, problem: str, seed: int) -> Any:
        return ToyBackend(self.choice.find(problem), seed)

    def _restored(self, data: bytes) -> Any:
        return ToyBackend.restored(data)


def block(call: str) -> str:
    """A call as an action."""
    return f"```\n{call}\n```"
