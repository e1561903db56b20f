"""`ping`: whether an address answers."""

from __future__ import annotations

from aiops_gym.shell.context import Context
from aiops_gym.shell.waiting import Host, finished
from aiops_gym.sim.executables import ping
from aiops_gym.types import Output


def run(context: Context, argv: list[str]) -> Output:
    """`ping [-c COUNT] [-W SECONDS] HOST`, see `sim.executables.ping`."""
    return finished(context, ping.run(Host(context), argv))
