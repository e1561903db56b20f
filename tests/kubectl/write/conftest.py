"""A running cluster of one node, and kubectl beside it."""

from __future__ import annotations

import shlex
from collections.abc import Iterator

import pytest
from small_cluster import SmallCluster

from aiops_gym.clients.context import Context
from aiops_gym.kubectl import run
from aiops_gym.sim.kube_api import handle
from aiops_gym.types import Output, Request, Response

DEPLOYMENT = """
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, labels: {tier: front}}
spec:
  replicas: 2
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      terminationGracePeriodSeconds: 1
      containers:
      - name: app
        image: app:1
        env: [{name: A, value: "1"}]
        ports: [{containerPort: 8080}]
"""


class Files(dict[str, str]):
    """Files in memory."""

    def read(self, path: str) -> str:
        if path not in self:
            raise FileNotFoundError(path)
        return self[path]

    def write(self, path: str, text: str) -> None:
        self[path] = text

    def exists(self, path: str) -> bool:
        return path in self

    def list(self, path: str) -> list[str]:
        raise NotADirectoryError(path)


class Desk:
    """A shell beside a cluster: `desk("get pods")` runs kubectl in the namespace `ns`."""

    def __init__(self) -> None:
        self.world = SmallCluster().world
        self.files = Files({"web.yaml": DEPLOYMENT})
        self.budget = 900.0

    def handle(self, request: Request) -> Response:
        return handle(self.world, request)

    def now(self) -> float:
        return self.world.now / 1000

    def wait(self, seconds: float) -> bool:
        if self.budget < seconds:
            return False
        self.budget -= seconds
        self.world.run(int(seconds * 1000))
        return True

    def bare(self, command: str, stdin: str = "") -> Output:
        """A command without the namespace."""
        return run(Context(self, self.files, "/", {}, stdin), ["kubectl", *shlex.split(command)])

    def run(self, command: str, stdin: str = "") -> Output:
        return self.bare(f"-n ns {command}", stdin)

    def __call__(self, command: str, stdin: str = "") -> str:
        """stdout of a command that is meant to succeed."""
        output = self.run(command, stdin)
        assert output.code == 0, output.stderr
        return output.stdout

    def fails(self, command: str, stdin: str = "") -> str:
        """stderr of a command that is meant to fail with 1."""
        output = self.run(command, stdin)
        assert output.code == 1, output
        return output.stderr


@pytest.fixture
def desk() -> Iterator[Desk]:
    yield Desk()


@pytest.fixture
def web(desk: Desk) -> Desk:
    """The desk with the deployment `web` rolled out."""
    desk("apply -f web.yaml")
    desk("rollout status deploy/web")
    return desk
