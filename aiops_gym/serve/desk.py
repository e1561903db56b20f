"""A process that holds sessions, and the queue before it."""

from __future__ import annotations

import asyncio
import multiprocessing
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from multiprocessing.connection import Connection
from typing import Protocol

from aiops_gym.runs.workers import collect_seldom, end_with_parent, uninterrupted
from aiops_gym.serve.drawers import BUSY, Answered, Drawers
from aiops_gym.sessions import Sessions

QUEUE = 256
"""Requests that wait for a process at most; one more is told to come again."""

PATIENCE = 120.0
"""Seconds that a process may take for one request."""

SWEEP = 5.0
"""Seconds between two looks for idle sessions, while nobody asks for anything."""


class Holder(Protocol):
    """A process with `Drawers`, here or on another machine. It is started by being made."""

    def ask(self, what: str, secret: str, body: bytes) -> tuple[int, int, bytes]:
        """How many sessions are open, and the answer's code and body. Raises EOFError or OSError once it is gone."""

    def stop(self) -> None:
        """End it, and all its sessions."""


class Desk:
    """One process with sessions, seen from the one that has the sockets.

    Args:
        number: which one it is.
        start: makes its process, given the prefix of the secrets of its sessions.

    Attributes:
        open: how many sessions there are, by its last word.
        life: how many processes there were: a new one knows no session of the last.
        holder: the process.
    """

    def __init__(self, number: int, start: Callable[[str], Holder]) -> None:
        self.number = number
        self.open = self.life = self.waiting = 0
        self._begin = start
        self._thread = ThreadPoolExecutor(1, "aiops-gym-desk")
        self._start()

    async def ask(self, what: str, secret: str, body: bytes) -> Answered | None:
        """What comes of a request; None where its process died of it, and all its sessions with it."""
        if self.waiting >= QUEUE:
            return BUSY
        self.waiting += 1
        try:
            return await asyncio.get_running_loop().run_in_executor(self._thread, self._ask, what, secret, body)
        finally:
            self.waiting -= 1

    def close(self) -> None:
        """End the process, and all sessions with it."""
        self._thread.shutdown(cancel_futures=True)
        self.holder.stop()

    def _ask(self, what: str, secret: str, body: bytes) -> Answered | None:
        try:
            self.open, code, answer = self.holder.ask(what, secret, body)
        except (EOFError, OSError):
            self.holder.stop()
            self._start()
            return None
        return Answered(code, answer)

    def _start(self) -> None:
        self.open, self.life = 0, self.life + 1
        self.holder = self._begin(f"{self.number}.{self.life}.")


class LocalProcess:
    """A process of this machine.

    Args:
        limit: sessions at once.
        idle: seconds after which an unused one ends.
        prefix: of the secrets of its sessions.
    """

    def __init__(self, limit: int, idle: float, prefix: str) -> None:
        context = multiprocessing.get_context("spawn")
        self._connection, theirs = context.Pipe()
        self._process = context.Process(target=_work, args=(limit, idle, prefix, theirs), daemon=True)
        with uninterrupted():
            self._process.start()
        theirs.close()

    @property
    def pid(self) -> int:
        """Of the process."""
        return self._process.pid or 0

    def ask(self, what: str, secret: str, body: bytes) -> tuple[int, int, bytes]:
        """See `Holder`."""
        self._connection.send((what, secret, body))
        if not self._connection.poll(PATIENCE):
            raise EOFError
        answered: tuple[int, int, bytes] = self._connection.recv()
        return answered

    def stop(self) -> None:
        """See `Holder`."""
        self._connection.close()
        self._process.kill()
        self._process.join()


def _work(limit: int, idle: float, prefix: str, connection: Connection) -> None:
    """The life of the process: until nobody asks any more."""
    threading.Thread(target=end_with_parent, daemon=True).start()
    drawers = Drawers(Sessions(limit, idle), prefix)
    collect_seldom()
    while True:
        try:
            if connection.poll(min(SWEEP, idle)):
                answered = drawers.answer(*connection.recv())
                connection.send((len(drawers.sessions), *answered))
            else:
                drawers.sessions.sweep()
        except (EOFError, OSError):
            return
