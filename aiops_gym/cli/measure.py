"""Measuring: medians of single operations, and the memory of this process."""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from aiops_gym.folders import VARIABLE

TRUE = "/bin/true"


def measure_seconds(action: Callable[[], Any], times: int) -> float:
    """Median time of one call."""
    return statistics.median(_timed(action) for _ in range(times))


def _timed(action: Callable[[], Any]) -> float:
    begin = time.perf_counter()
    action()
    return time.perf_counter() - begin


def spawn() -> None:
    """Start a program that does nothing and wait for its end, as any Python program would."""
    subprocess.run([TRUE], check=True)


def spawn_bare() -> None:
    """The same with one system call, and nothing of `subprocess`."""
    os.waitpid(os.posix_spawn(TRUE, [TRUE], {}), 0)


def start_python(code: str) -> float:
    """Median time that code takes in a new interpreter, without the interpreter's own start."""
    bare = measure_seconds(lambda: subprocess.run([sys.executable, "-c", ""], check=True), 3)
    return max(0.0, measure_seconds(lambda: subprocess.run([sys.executable, "-c", code], check=True), 3) - bare)


@contextmanager
def own_cache() -> Iterator[None]:
    """Keep what can be made again in a new folder, here and in the processes that are started meanwhile."""
    before = os.environ.get(VARIABLE)
    with tempfile.TemporaryDirectory(prefix="aiops_gym-bench-") as folder:
        os.environ[VARIABLE] = folder
        try:
            yield
        finally:
            del os.environ[VARIABLE]
            if before is not None:
                os.environ[VARIABLE] = before


def measure_own_memory() -> int:
    """Bytes of memory that are this process's own; 0 where the system does not tell."""
    return measure_memory("self")


def measure_memory(pid: int | str) -> int:
    """The same of any process of this user."""
    return _kilobytes(f"/proc/{pid}/smaps_rollup", "Anonymous:") * 1024


def measure_processor_seconds(pid: int) -> float:
    """Processor time that a process has used; 0 where the system does not tell."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
    except OSError:
        return 0.0
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def measure_peak_memory() -> int:
    """Bytes that this process had in memory at most; 0 where the system does not tell.

    `getrusage` would not do: a process inherits the peak of the one that started it.
    """
    return _kilobytes("/proc/self/status", "VmHWM:") * 1024


def _kilobytes(path: str, name: str) -> int:
    try:
        text = Path(path).read_text(encoding="ascii")
    except OSError:
        return 0
    return next((int(line.split()[1]) for line in text.splitlines() if line.startswith(name)), 0)
