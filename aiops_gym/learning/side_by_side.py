"""Several runs of training at once, each in a process of its own.

Environments in two processes step together: each step takes as long as the slower one, and an episode begins in the
time of fifty steps, so half of both cores waits. Runs beside each other wait for nobody.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
import time
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from multiprocessing.connection import Connection, wait
from pathlib import Path
from typing import Any

from aiops_gym.errors import AiopsGymError
from aiops_gym.learning.training import train
from aiops_gym.runs.workers import collect_seldom, end_with_parent, uninterrupted

OFTEN = 0.5
"""Seconds between two tellings of a run."""


Tell = Callable[[Any], None]
"""Is told how a run stands."""


def train_run(settings: Any, out: Path, tell: Tell) -> None:
    """Train a policy, from where its run stands."""
    collect_seldom()
    train(settings, out, resume=True, progress=tell)


@dataclass(frozen=True)
class Job:
    """A run that is to be done.

    Attributes:
        work: given the other two and where to tell how it stands, it does what is not done yet; a function of a module.
    """

    settings: Any
    out: Path
    work: Callable[[Any, Path, Tell], None] = train_run


def train_all(jobs: Sequence[Job], workers: int, shown: Callable[[Job, Any], None]) -> None:
    """Do what is not done of these runs, the first ones first.

    Args:
        workers: runs at the same time; 0 does one after the other in this process.
        shown: told how a run stands, now and then.

    Raises:
        AiopsGymError: a run failed, or its process died; the others are saved, and go on with the next call.
        KeyboardInterrupt: Ctrl-C was pressed; all runs are saved.
    """
    if not workers:
        for job in jobs:
            job.work(job.settings, job.out, partial(shown, job))
        return
    waiting = deque(jobs)
    at_work: dict[Connection, tuple[Job, Any]] = {}
    try:
        while waiting or at_work:
            while waiting and len(at_work) < workers:
                pipe, process = _begin(waiting[0])
                at_work[pipe] = waiting.popleft(), process
            ready = wait(list(at_work))
            for pipe in [each for each in at_work if each in ready]:
                _hear(pipe, at_work, shown)
    finally:
        for _, process in at_work.values():
            _interrupt(process)
        for _, process in at_work.values():
            process.join()


def _begin(job: Job) -> tuple[Connection, Any]:
    context = multiprocessing.get_context("spawn")
    here, there = context.Pipe(duplex=False)
    process = context.Process(target=_work, args=(job, there))
    with uninterrupted():
        process.start()
    there.close()
    return here, process


def _hear(pipe: Connection, at_work: dict[Connection, tuple[Job, Any]], shown: Callable[[Job, Any], None]) -> None:
    """What a run says: that it is done (None), what went wrong, or how it stands. Raises what went wrong."""
    job, process = at_work[pipe]
    try:
        told = pipe.recv()
    except EOFError:
        process.join()
        told = AiopsGymError(f"the process of the run in {job.out} ended with {process.exitcode}")
    if told is not None and not isinstance(told, AiopsGymError):
        shown(job, told)
        return
    process.join()
    del at_work[pipe]
    if told is not None:
        raise told


def _interrupt(process: Any) -> None:
    """Let a run save what it has, as Ctrl-C does."""
    if process.is_alive():
        os.kill(process.pid, signal.SIGINT)


def _work(job: Job, pipe: Connection) -> None:
    """One run. Ctrl-C of a terminal goes to the parent alone, which tells all."""
    if hasattr(os, "setsid"):
        os.setsid()
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
    threading.Thread(target=end_with_parent, daemon=True).start()
    told: AiopsGymError | None = None
    try:
        job.work(job.settings, job.out, _seldom(pipe.send))
    except KeyboardInterrupt:
        return
    except AiopsGymError as error:
        told = error
    pipe.send(told)


def _seldom(tell: Tell) -> Tell:
    """The same, but what comes close behind another is not told."""
    last = -OFTEN

    def told(now: Any) -> None:
        nonlocal last
        if time.monotonic() - last >= OFTEN:
            last = time.monotonic()
            tell(now)

    return told
