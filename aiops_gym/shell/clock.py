"""The time a script may take, measured on the cluster's clock."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import cast

from aiops_gym.types import Cluster, DockerHost, Json, Request, Response

ROUNDING = 0.0005
"""Seconds: clocks count milliseconds, and floats of 2026 are coarse."""


class Clock:
    """A cluster whose `wait` ends at a deadline.

    Deadlines nest, as in `timeout 60 sh -c "timeout 5 ..."`: the first to come ends what runs below it.

    Args:
        cluster: the real one.
        deadline: Unix seconds after which nothing may run any more.

    Attributes:
        others: lets what runs beside whoever waits go on until so many seconds after the script began.
    """

    def __init__(self, cluster: Cluster, deadline: float) -> None:
        self._cluster = cluster
        self._deadlines, self._next = [deadline], deadline
        self.started = cluster.now()
        self.others: Callable[[float], None] | None = None

    def handle(self, request: Request) -> Response:
        """Answer one API request."""
        return self._cluster.handle(request)

    def docker(self, method: str, path: str, query: Mapping[str, str] | None = None, body: Json = None) -> Response:
        """Answer one request to the daemon of the host, where it has one: else nobody has the command that asks it."""
        return cast("DockerHost", self._cluster).docker(method, path, query, body)

    def now(self) -> float:
        """Unix seconds on the cluster's clock."""
        return self._cluster.now()

    def wait(self, seconds: float) -> bool:
        """Let time pass; False when a deadline came first, and then time stands there."""
        if self.others is None:
            return self.idle(seconds)
        end = self._cluster.now() + seconds
        self.others(min(self._next, end) - self.started)
        return self.idle(end - self._cluster.now())

    def idle(self, seconds: float) -> bool:
        """The same for all there is: nothing else goes on meanwhile."""
        left = self._next - self._cluster.now()
        if seconds < left:
            return self._cluster.wait(seconds) if seconds > 0 else True
        if left > 0:
            self._cluster.wait(left)
        return False

    def elapsed(self) -> float:
        """Seconds since the script began."""
        return self._cluster.now() - self.started

    @property
    def expired(self) -> bool:
        """Whether the innermost deadline, or one around it, has come."""
        return self._cluster.now() >= self._next - ROUNDING

    @property
    def spent(self) -> bool:
        """Whether the time of the whole script is used up."""
        return self._cluster.now() >= self._deadlines[0] - ROUNDING

    @contextmanager
    def limit(self, seconds: float) -> Iterator[None]:
        """Set a nearer deadline for what runs inside the `with` block."""
        self._deadlines.append(self._cluster.now() + seconds)
        self._next = min(self._deadlines)
        try:
            yield
        finally:
            self._deadlines.pop()
            self._next = min(self._deadlines)
