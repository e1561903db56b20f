"""`nc`: whether a TCP port answers."""

from __future__ import annotations

from aiops_gym.clients.context import Context
from aiops_gym.clients.waiting import Host, finish
from aiops_gym.sim.machine.executables import nc
from aiops_gym.types import Output

NAMES = ("nc", "ncat", "telnet")


def run(context: Context, argv: list[str]) -> Output:
    """`nc [-zv] [-w SECONDS] HOST PORT`, see `sim.machine.executables.nc`."""
    return finish(context, nc.run(Host(context), argv, context.stdin))
