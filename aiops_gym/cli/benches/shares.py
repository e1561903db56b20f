"""Where the time goes: what share of the processor each part of the package has, sampled by the kernel's clock."""

from __future__ import annotations

import signal
import time
from collections import Counter
from collections.abc import Callable, Mapping
from pathlib import Path
from types import FrameType

import aiops_gym

PARTS: Mapping[str, tuple[str, ...]] = {
    "environment and tools": ("envs", "wrappers", "tools", "tasks", "types.py"),
    "shell and its commands": ("shell", "sim/jq", "sim/machine/scripts"),
    "kubectl, and what it prints": ("kubectl", "clients", "helm", "docker"),
    "the API": ("sim/kube_api",),
    "logs, metrics and traces": ("sim/telemetry", "sim/software"),
    "traffic and network": ("sim/traffic", "sim/network"),
    "controllers, kubelets and machines": ("sim/kube_control", "sim/machine"),
    "state and time": ("sim/kernel",),
}
"""What is told apart, and its folders; the first that fits counts."""

OTHER = "all else"
EVERY = 0.001
"""Seconds of processor time between two samples, at least; some kernels count by four times as much."""


def measure_shares(work: Callable[[], object], seconds: float) -> dict[str, float]:
    """Do some work again and again; the percentage of the processor's time that each part has of it.

    A sample counts for the innermost function of the package that is at work: what a library or a native part does
    belongs to whoever asked for it.

    Args:
        work: what is done.
        seconds: of processor time, about; the work that is begun is done to its end.
    """
    found = Counter[str]()
    before = signal.signal(signal.SIGPROF, lambda _, frame: found.update([_find_part(frame)]))
    signal.setitimer(signal.ITIMER_PROF, EVERY, EVERY)
    end = time.process_time() + seconds
    try:
        while time.process_time() < end:
            work()
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)
    return {name: 100 * found[name] / found.total() for name in (*PARTS, OTHER)}


def _find_part(frame: FrameType | None) -> str:
    root = f"{Path(aiops_gym.__file__).parent}/"
    while frame is not None and not frame.f_code.co_filename.startswith(root):
        frame = frame.f_back
    where = frame.f_code.co_filename.removeprefix(root) if frame else ""
    return next((name for name, folders in PARTS.items() if where.startswith(folders)), OTHER)
