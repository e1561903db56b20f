"""A process that holds sessions, and the queue before it."""

from __future__ import annotations

import asyncio
import multiprocessing
import threading
from concurrent.futures import ThreadPoolExecutor
from multiprocessing.connection import Connection

from aiops_gym.runs.workers import collect_seldom, end_with_parent, uninterrupted
from aiops_gym.serve.drawers import BUSY, Answered, Drawers
from aiops_gym.sessions import Sessions

QUEUE = 256
"""Requests that wait for a process at most; one more is told to come again."""

PATIENCE = 120.0
"""Seconds that a process may take for one request."""

SWEEP = 5.0
"""Seconds between two looks for idle sessions, while nobody asks for anything."""


class Desk:
    """One process with sessions, seen from the one that has the sockets.

    Args:
        number: which one it is.
        limit: sessions at once.
        idle: seconds after which an unused one ends.

    Attributes:
        open: how many sessions there are, by its last word.
        life: how many processes there were: a new one knows no session of the last.
    """

    def __init__(self, number: int, limit: int, idle: float) -> None:
        self.number, self.limit, self.idle = number, limit, idle
        self.open = self.life = self.waiting = 0
        self._thread = ThreadPoolExecutor(1, "aiops-gym-desk")
        self._start()

    @property
    def pid(self) -> int:
        """Of its process."""
        return self._process.pid or 0

    @property
    def prefix(self) -> str:
        """Of the secrets of its sessions."""
        return f"{self.number}.{self.life}."

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
        self._stop()

    def _ask(self, what: str, secret: str, body: bytes) -> Answered | None:
        try:
            self._connection.send((what, secret, body))
            if not self._connection.poll(PATIENCE):
                raise EOFError
            self.open, code, answer = self._connection.recv()
        except (EOFError, OSError):
            self._stop()
            self._start()
            return None
        return Answered(code, answer)

    def _start(self) -> None:
        self.open, self.life = 0, self.life + 1
        context = multiprocessing.get_context("spawn")
        self._connection, theirs = context.Pipe()
        given = (self.limit, self.idle, self.prefix, theirs)
        self._process = context.Process(target=_work, args=given, daemon=True)
        with uninterrupted():
            self._process.start()
        theirs.close()

    def _stop(self) -> None:
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
