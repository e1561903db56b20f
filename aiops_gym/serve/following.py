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
    """One client that follows a log.

    Args:
        keeper: of the world.
        request: for the log, checked already.
        first: what the log held at first, as it was asked for.
        began: the world's time (ms) then.
        container: id of the container's process, whose end ends the log.
    """

    def __init__(self, keeper: Keeper, request: Request, first: str, began: int, container: str) -> None:
        self.keeper, self.request, self.first, self.container = keeper, request, first, container
        self.read_until = began
        self.stamps = request.query.get("timestamps") in ("true", "1")
        self.seen: Counter[str] = Counter()

    async def pieces(self) -> AsyncGenerator[bytes, None]:
        """The log, then what comes to it."""
        bell, epoch = self.keeper.bell(), self.keeper.epoch
        try:
            await self.keeper.ask(self._more)  # what was there already
            yield self.first.encode("utf-8", "replace")
            running = True
            while running and not self.keeper.closed and self.keeper.epoch == epoch:
                await bell.wait(PAUSE)
                running = await self.keeper.ask(self._running)
                if text := await self.keeper.ask(self._more):
                    yield text.encode("utf-8", "replace")
        finally:
            self.keeper.quiet(bell)

    def _running(self, world: World) -> bool:
        return find_container_id(world, self.request) == self.container

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
