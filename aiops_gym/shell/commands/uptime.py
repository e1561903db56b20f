"""`uptime`: how long the machine has been up."""

from __future__ import annotations

from aiops_gym.clients.context import Context
from aiops_gym.shell.commands.date import render
from aiops_gym.shell.host import BOOTED_AGO, INSTALLED
from aiops_gym.types import Output


def run(context: Context, argv: list[str]) -> Output:
    """`uptime [-p|-s]`."""
    now = context.cluster.now()
    seconds = int(now - INSTALLED) % 86400 + BOOTED_AGO
    days, hours, minutes = seconds // 86400, seconds // 3600 % 24, seconds // 60 % 60
    if argv[1:2] in (["-p"], ["--pretty"]):
        parts = [(days, "day"), (hours, "hour"), (minutes, "minute")]
        return Output("up " + ", ".join(f"{n} {word}{'s' if n != 1 else ''}" for n, word in parts if n) + "\n")
    if argv[1:2] in (["-s"], ["--since"]):
        return Output(render(now - seconds, "%F %T") + "\n")
    plural = "s" if days != 1 else ""
    clock = f"{hours:2d}:{minutes:02d}" if hours else f"{minutes} min"
    return Output(f" {render(now, '%T')} up {days} day{plural}, {clock},  0 users,  load average: 0.92, 0.87, 0.83\n")
