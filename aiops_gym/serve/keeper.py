"""The one place where a served world is touched: a single thread, and so one request after another.

Whoever wants something of the world hands over a function and waits for its answer. Between two functions nobody else
was there: that is the lock which keeps concurrent writers from losing an update.
"""

from __future__ import annotations

import asyncio
import logging
import threading
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TypeVar

from aiops_gym.sim.kernel.world import World

T = TypeVar("T")

_log = logging.getLogger(__name__)


class Bell:
    """Wakes the coroutines of one event loop when the world has moved."""

    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._event = asyncio.Event()

    def ring(self) -> None:
        """Wake whoever waits; from any thread."""
        try:
            self._loop.call_soon_threadsafe(self._event.set)
        except RuntimeError:  # the loop is closed: nobody waits any more
            return

    async def wait(self, seconds: float) -> bool:
        """Wait for the next ring, at most so long; whether it rang.

        Not with `asyncio.wait_for`: before Python 3.12 that forgets that its task was cancelled if the ring comes at
        the same moment, and the watch of a client who has left would go on.
        """
        try:
            async with asyncio.timeout(max(0.0, seconds)):
                await self._event.wait()
        except TimeoutError:
            return False
        self._event.clear()
        return True


class Keeper:
    """Keeps one world, for all who are connected.

    Attributes:
        epoch: counts the worlds that were put here, so that a watch of the one before notices.
        version: the newest resourceVersion.
        now: milliseconds since 1970 on the world's clock.
        closed: whether all is over, and who waits should leave.
        trouble: what went wrong while the world moved, in a line that says nothing of the incident; "" if nothing.
        troubles: how often.
        tell: hears of each trouble that is not that of before.
    """

    def __init__(self, world: World) -> None:
        self._world = world
        self._pool = ThreadPoolExecutor(1, thread_name_prefix="aiops-gym-world")
        self._bells: set[Bell] = set()
        self._lock = threading.Lock()
        self.epoch = 0
        self.version = world.store.version
        self.now = world.now
        self.closed = False
        self.trouble, self.troubles = "", 0
        self.tell: Callable[[str], None] = _ignore

    @property
    def watched(self) -> int:
        """How many clients wait for a change."""
        return len(self._bells)

    def call(self, work: Callable[[World], T]) -> T:
        """Do something with the world, from another thread than the event loop's."""
        return self._submit(work).result()

    async def ask(self, work: Callable[[World], T]) -> T:
        """Do something with the world, from the event loop."""
        return await asyncio.wrap_future(self._submit(work))

    def put(self, world: World) -> None:
        """Serve another world from now on; watches of the one before end."""

        def exchange(_: World) -> None:
            self._world = world
            self.epoch += 1

        self.call(exchange)
        self.ring()

    def bell(self) -> Bell:
        """A bell that rings at each change; give it back with `quiet`."""
        bell = Bell()
        with self._lock:
            self._bells = {*self._bells, bell}
        return bell

    def quiet(self, bell: Bell) -> None:
        """This bell need not ring any more."""
        with self._lock:
            self._bells = self._bells - {bell}

    def ring(self) -> None:
        """Tell all who wait."""
        for bell in self._bells:
            bell.ring()

    def note_trouble(self, error: Exception) -> None:
        """A part of the cluster raised: a mistake of ours. What it was about stays undone, and the rest goes on."""
        self.troubles += 1
        trouble = f"a part of the cluster failed with {type(error).__name__}: the server's log says more"
        if trouble != self.trouble:
            _log.error("a part of the cluster failed; the world goes on without what it was about", exc_info=error)
            self.trouble = trouble
            self.tell(trouble)

    def leave(self) -> None:
        """Tell all who wait that it is over."""
        self.closed = True
        self.ring()

    def close(self) -> None:
        """End the thread; what was asked before is still answered."""
        self._pool.shutdown(wait=True)

    def _submit(self, work: Callable[[World], T]) -> Future[T]:
        return self._pool.submit(self._do, work)

    def _do(self, work: Callable[[World], T]) -> T:
        before = self._world, self._world.store.version, self._world.now
        try:
            return work(self._world)
        finally:
            self.version, self.now = self._world.store.version, self._world.now
            if (self._world, self.version, self.now) != before:
                self.ring()


def _ignore(trouble: str) -> None:
    """Nobody wants to hear of it."""
