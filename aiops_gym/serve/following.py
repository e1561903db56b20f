"""`logs -f`: a container's log as it grows, until the container ends."""

from __future__ import annotations

from collections import Counter
from collections.abc import AsyncGenerator
from dataclasses import replace

from aiops_gym.serve.keeper import Keeper
from aiops_gym.sim.kernel.objects import get
from aiops_gym.sim.kernel.times import iso_nano
from aiops_gym.sim.kernel.world import World
from aiops_gym.sim.kube_api import handle
from aiops_gym.types import Request

PAUSE = 60.0
"""Seconds after which the log is looked at even if nothing rang."""

OVERLAP = 2_000
"""Milliseconds that are read again, for lines that came late."""


class Following:
    """One client that follows a log, from the moment in which this is made: in the keeper's own thread.

    Args:
        keeper: of the world.
        world: as it is at first.
        request: for the log, checked already.
        first: what the log holds, as it was asked for.
    """

    def __init__(self, keeper: Keeper, world: World, request: Request, first: str) -> None:
        self.keeper, self.request, self.first = keeper, request, first
        self.container = find_container_id(world, request)  # whose end ends the log; "" if none runs
        self.read_until = world.now
        self.stamps = request.query.get("timestamps") in ("true", "1")
        self.seen: Counter[str] = Counter()
        self._more(world)  # what is there already, in the same step: the world moves before the next

    async def pieces(self) -> AsyncGenerator[bytes, None]:
        """The log, then what comes to it."""
        bell, epoch = self.keeper.bell(), self.keeper.epoch
        try:
            yield self.first.encode("utf-8", "replace")
            while not self.keeper.closed and self.keeper.epoch == epoch:
                running, text = await self.keeper.ask(self._look)
                if text:
                    yield text.encode("utf-8", "replace")
                if not running:
                    return
                await bell.wait(PAUSE)
        finally:
            self.keeper.quiet(bell)

    def _look(self, world: World) -> tuple[bool, str]:
        """Whether the container still runs, and what it has written since the last look."""
        return find_container_id(world, self.request) == self.container, self._more(world)

    def _more(self, world: World) -> str:
        """Lines that are new since the last look."""
        query = {k: v for k, v in self.request.query.items() if k in ("container", "previous")}
        query |= {"timestamps": "true", "sinceTime": iso_nano(max(0, self.read_until - OVERLAP))}
        answer = handle(world, replace(self.request, query=query))
        if answer.code >= 400:
            return ""
        lines = str(answer.body).splitlines(keepends=True)
        fresh, before, self.seen = [], self.seen, Counter(lines)
        for line in lines:
            if before[line] > 0:
                before[line] -= 1
            else:
                fresh.append(line if self.stamps else line.partition(" ")[2])
        self.read_until = world.now
        return "".join(fresh)


def find_container_id(world: World, request: Request) -> str:
    """The running process of the container whose log is asked for, "" if there is none."""
    pod = world.store.get("pods", request.namespace, request.name)
    wanted = request.query.get("container", "")
    for kind in ("containerStatuses", "initContainerStatuses", "ephemeralContainerStatuses"):
        for status in get(pod or {}, "status", kind, default=()):
            if wanted in ("", status["name"]) and "running" in status.get("state", {}):
                return str(status.get("containerID", ""))
    return ""
