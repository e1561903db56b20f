"""Processes that play entries, and are replaced when they die."""

from __future__ import annotations

import multiprocessing
import signal
from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from multiprocessing.connection import Connection, wait
from typing import Any

from aiops_gym.runs.plan import Entry
from aiops_gym.runs.player import WORKER, Player

TRIES = 2
"""Workers that may die of an entry before it is given up."""

PATIENCE = 5.0
"""Seconds that a process gets to end."""


@dataclass
class _Worker:
    process: Any
    connection: Connection
    entry: Entry

    def give(self, entry: Entry) -> None:
        self.entry = entry
        with suppress(OSError):  # it may be dead, which the next look at it says
            self.connection.send(entry)

    def answer(self) -> str | None:
        """What came of its entry; None when it died instead."""
        try:
            return str(self.connection.recv()) if self.connection.poll() else None
        except (EOFError, OSError):
            return None

    def end(self) -> None:
        self.connection.close()
        self.process.terminate()
        self.process.join(PATIENCE)
        if self.process.is_alive():
            self.process.kill()
            self.process.join()


def play(player: Player, entries: Sequence[Entry], count: int) -> Iterator[tuple[Entry, str]]:
    """Play entries in processes, and give each with "" or whose fault it is that it failed, in order of their ends."""
    waiting, deaths = deque(entries), dict[str, int]()
    workers: list[_Worker] = []
    try:
        while waiting or workers:
            while waiting and len(workers) < count:
                workers.append(_hired(player, waiting.popleft()))
            for worker in _ready(workers):
                entry, outcome = worker.entry, worker.answer()
                if outcome is None:
                    workers.remove(worker)
                    worker.end()
                    deaths[entry.name] = deaths.get(entry.name, 0) + 1
                    if player.folder.finished(entry):  # it died after its work
                        yield entry, ""
                    elif deaths[entry.name] < TRIES:
                        waiting.append(entry)
                    else:
                        player.folder.note(entry, WORKER, f"the process ended with {worker.process.exitcode}")
                        yield entry, WORKER
                    continue
                if waiting:
                    worker.give(waiting.popleft())
                else:
                    workers.remove(worker)
                    worker.end()
                yield entry, outcome
    finally:
        for worker in workers:
            worker.end()


def _ready(workers: Sequence[_Worker]) -> list[_Worker]:
    """Those that answered or died; waits for the first."""
    ready = wait([handle for worker in workers for handle in (worker.connection, worker.process.sentinel)])
    return [worker for worker in workers if worker.connection in ready or worker.process.sentinel in ready]


def _hired(player: Player, entry: Entry) -> _Worker:
    context = multiprocessing.get_context("spawn")
    ours, theirs = context.Pipe()
    process = context.Process(target=_work, args=(player, theirs), daemon=True)
    with _uninterrupted():
        process.start()
    theirs.close()
    worker = _Worker(process, ours, entry)
    worker.give(entry)
    return worker


@contextmanager
def _uninterrupted() -> Iterator[None]:
    """What starts here never hears of Ctrl-C, which a terminal sends to all: it is the parent that ends it."""
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})


def _work(player: Player, connection: Connection) -> None:
    """The life of a process: until nobody asks any more."""
    while True:
        try:
            entry = connection.recv()
        except EOFError:
            return
        connection.send(player.play(entry))
