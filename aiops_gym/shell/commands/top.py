"""`top`: needs a terminal, except in batch mode."""

from __future__ import annotations

from aiops_gym.clients.context import Context
from aiops_gym.shell.commands.date import render
from aiops_gym.shell.commands.ps import PROCESSES
from aiops_gym.types import Output


def run(context: Context, argv: list[str]) -> Output:
    """`top -b [-n COUNT]`: one screen."""
    if not any(word.startswith("-") and "b" in word for word in argv[1:]):
        return Output("", "top: failed tty get\n", 1)
    lines = [
        f"top - {render(context.cluster.now(), '%T')} up 3 days,  0 users,  load average: 0.92, 0.87, 0.83",
        f"Tasks: {len(PROCESSES):3d} total,   1 running, {len(PROCESSES) - 1:3d} sleeping,   0 stopped,   0 zombie",
        "%Cpu(s):  9.1 us,  3.4 sy,  0.0 ni, 86.9 id,  0.3 wa,  0.0 hi,  0.3 si,  0.0 st",
        "MiB Mem :  16000.0 total,   3028.5 free,   5773.8 used,   7197.7 buff/cache",
        "MiB Swap:      0.0 total,      0.0 free,      0.0 used.  10185.9 avail Mem",
        "",
        "    PID USER      PR  NI    VIRT    RES    SHR S  %CPU  %MEM     TIME+ COMMAND",
    ]
    lines += [
        f"{pid:7d} root      20   0    4332   3064   2728 S   0.0   0.0   0:00.01 {cmd.split()[0].rpartition('/')[2]}"
        for pid, _, cmd in PROCESSES
    ]
    return Output("\n".join(lines) + "\n")
