"""`ping`: whether an address answers."""

from __future__ import annotations

from aiops_gym.clients.context import Context
from aiops_gym.clients.waiting import Host, finish
from aiops_gym.sim.machine.executables import ping
from aiops_gym.types import Output


def run(context: Context, argv: list[str]) -> Output:
    """`ping [-c COUNT] [-W SECONDS] HOST`, see `sim.machine.executables.ping`."""
    return finish(context, ping.run(Host(context), argv))
