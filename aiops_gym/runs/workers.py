"""Processes that play entries, and are replaced when they die or take too long."""

from __future__ import annotations

import gc
import math
import multiprocessing
import os
import signal
import threading
import time
from collections import Counter, deque
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from multiprocessing import resource_tracker
from multiprocessing.connection import Connection, wait
from typing import Any

from aiops_gym.runs.plan import Entry
from aiops_gym.runs.player import AGENT, WORKER, Player

TRIES = 2
"""Workers that may die of an entry before it is given up."""

PATIENCE = 5.0
"""Seconds that a process gets to end."""


@dataclass
class _Worker:
    process: Any
    connection: Connection
    entry: Entry
    since: float = 0.0
    """When it was given its entry."""

    def give(self, entry: Entry) -> None:
        self.entry, self.since = entry, time.monotonic()
        with suppress(OSError):  # it may be dead, which the next look at it says
            self.connection.send(entry)

    def answer(self) -> str | None:
        """What came of its entry; None when it died instead. Raises what kept it from saving a file."""
        try:
            told = self.connection.recv() if self.connection.poll() else None
        except (EOFError, OSError):
            return None
        if isinstance(told, OSError):
            raise told
        return None if told is None else str(told)

    def silent(self) -> bool:
        """Whether it neither answered nor died."""
        return not wait([self.connection, self.process.sentinel], 0)

    def end(self, patience: float = 0.0) -> None:
        """Be rid of it; one that is about to end by itself gets the time for that."""
        self.connection.close()
        self.process.join(patience)
        self.process.terminate()
        self.process.join(PATIENCE)
        if self.process.is_alive():
            self.process.kill()
            self.process.join()


def play(
    player: Player, entries: Sequence[Entry], count: int, limit: float | None = None
) -> Iterator[tuple[Entry, str]]:
    """Play entries in processes, and give each with "" or whose fault it is that it failed, in order of their ends.

    Args:
        limit: seconds that an entry may take; None for ever.

    Raises:
        OSError: a file could not be saved.
    """
    waiting, deaths = deque(entries), Counter[str]()
    workers: list[_Worker] = []
    try:
        while waiting or workers:
            while waiting and len(workers) < count:
                workers.append(_hired(player, waiting.popleft()))
            for worker in _ready(workers, limit):
                entry, outcome = worker.entry, _outcome(player, worker, limit, deaths)
                if outcome is None:
                    waiting.append(entry)
                if worker.connection.closed or not waiting:
                    workers.remove(worker)
                    worker.end()
                else:
                    worker.give(waiting.popleft())
                if outcome is not None:
                    yield entry, outcome
    finally:
        for worker in workers:
            worker.end()


def _outcome(player: Player, worker: _Worker, limit: float | None, deaths: Counter[str]) -> str | None:
    """What came of a worker's entry; None when it is to be tried again. Who died or takes too long is ended."""
    entry = worker.entry
    if worker.silent():
        worker.end()
        player.folder.note(entry, AGENT, f"the episode took more than {limit:g} seconds")
        return AGENT
    outcome = worker.answer()
    if outcome is not None:
        return outcome
    worker.end(PATIENCE)
    deaths[entry.name] += 1
    if player.folder.finished(entry):  # it died after its work
        return ""
    if deaths[entry.name] < TRIES:
        return None
    player.folder.note(entry, WORKER, f"the process ended with {worker.process.exitcode}")
    return WORKER


def _ready(workers: Sequence[_Worker], limit: float | None) -> list[_Worker]:
    """Those that answered, died, or take too long; waits for the first."""
    now = time.monotonic()
    left = None if limit is None else max(0.0, min(worker.since for worker in workers) + limit - now)
    ready = wait([handle for worker in workers for handle in (worker.connection, worker.process.sentinel)], left)
    late = time.monotonic() - (math.inf if limit is None else limit)
    return [
        worker
        for worker in workers
        if worker.connection in ready or worker.process.sentinel in ready or worker.since <= late
    ]


def _hired(player: Player, entry: Entry) -> _Worker:
    context = multiprocessing.get_context("spawn")
    ours, theirs = context.Pipe()
    process = context.Process(target=_work, args=(player, theirs), daemon=True)
    with uninterrupted():
        process.start()
    theirs.close()
    worker = _Worker(process, ours, entry)
    worker.give(entry)
    return worker


@contextmanager
def uninterrupted() -> Iterator[None]:
    """What starts here never hears of Ctrl-C, which a terminal sends to all: it is the parent that ends it.

    Systems without signal masks, such as Windows, have no tracker either, and let it hear.
    """
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    resource_tracker.ensure_running()  # else it starts with the first process, and lets signals through again
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})


def _work(player: Player, connection: Connection) -> None:
    """The life of a process: until nobody asks any more."""
    threading.Thread(target=end_with_parent, daemon=True).start()
    collect_seldom()
    while True:
        try:
            entry = connection.recv()
        except EOFError:
            return
        try:
            told: str | OSError = player.play(entry)
        except OSError as error:  # a full disk: nobody's fault among the three
            told = error
        try:
            connection.send(told)
        except OSError:  # the parent ends while this one plays
            return


def collect_seldom() -> None:
    """Let Python look for garbage in cycles less often, in a process that only plays.

    Worlds are freed by reference counts, and a look through thirty of them takes a third of a second: it is measured to
    cost a seventh of all time. What there is already will stay, and is looked at no more.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(50_000, 20, 100)


def end_with_parent() -> None:
    """An orphan plays for nobody, and perhaps for ever: a killed parent cannot end it."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)
