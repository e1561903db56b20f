"""Waiting for agents that are async."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import suppress
from typing import Any

from aiops_gym.errors import AgentError

INTERRUPTED = "interrupted"
"""Why an agent gave up that was not to wait any more."""

HEARTBEAT = 1.0
"""Seconds for which a thread sleeps at most before it looks for an interrupt."""


def wait_until_done(future: Future[Any]) -> None:
    """Wait so that Ctrl-C is heard: a signal that comes just before a thread sleeps on a lock does not wake it."""
    while not wait([future], HEARTBEAT).done:
        pass


class EventLoop:
    """One event loop an episode: what an agent opens in one step is open in the next, and in `close` too.

    It runs while the agent is waited for, and stands still otherwise. Where a loop runs here already, as in a notebook,
    it runs in a thread of its own.

    Attributes:
        interrupted: whoever waits, or is about to, does not wait any more.
    """

    def __init__(self) -> None:
        self.interrupted = False
        self._runner: asyncio.Runner | None = None
        self._thread: ThreadPoolExecutor | None = None
        self._task: asyncio.Task[Any] | None = None

    @property
    def opened(self) -> bool:
        """Whether it waited for something since it was closed."""
        return self._runner is not None

    def wait(self, found: Awaitable[Any]) -> Any:
        """What comes of something awaitable. Raises AgentError at an interrupt, and whatever the awaitable raises."""
        if self._runner is None:
            self._runner = asyncio.Runner()
            self._thread = ThreadPoolExecutor(1, thread_name_prefix="agent") if _running() else None
        try:
            if self._thread is None:
                return self._runner.run(self._awaited(found))
            return self._in_thread(self._thread, self._runner, found)
        except asyncio.CancelledError:
            raise AgentError(INTERRUPTED) from None

    def interrupt(self) -> None:
        """End what is waited for; called from another thread."""
        self.interrupted = True
        if (task := self._task) is not None:
            with suppress(RuntimeError):  # the loop was closed in between
                task.get_loop().call_soon_threadsafe(task.cancel)

    def close(self) -> None:
        """The end of the loop, and of all that still runs in it."""
        runner, thread = self._runner, self._thread
        self._runner = self._thread = None
        if thread is not None and runner is not None:
            thread.submit(runner.close).result()
            thread.shutdown()
        elif runner is not None:
            runner.close()

    def _in_thread(self, thread: ThreadPoolExecutor, runner: asyncio.Runner, found: Awaitable[Any]) -> Any:
        future = thread.submit(runner.run, self._awaited(found))
        try:
            wait_until_done(future)
            return future.result()
        except KeyboardInterrupt:
            self.interrupt()
            raise

    async def _awaited(self, found: Awaitable[Any]) -> Any:
        self._task = task = asyncio.current_task()
        try:
            if self.interrupted and task is not None:
                task.cancel()
            return await found
        finally:
            self._task = None


def _running() -> bool:
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return False
    return True
