"""`nc`: whether a TCP port answers."""

from __future__ import annotations

from aiops_gym.shell.context import Context
from aiops_gym.shell.waiting import Host, finished
from aiops_gym.sim.executables import nc
from aiops_gym.types import Output

NAMES = ("nc", "ncat", "telnet")


def run(context: Context, argv: list[str]) -> Output:
    """`nc [-zv] [-w SECONDS] HOST PORT`, see `sim.executables.nc`."""
    return finished(context, nc.run(Host(context), argv, context.stdin))
