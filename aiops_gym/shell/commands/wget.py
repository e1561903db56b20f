"""`wget`: a file by HTTP from the host."""

from __future__ import annotations

from aiops_gym.clients.context import Context
from aiops_gym.clients.waiting import Host, finish
from aiops_gym.sim.machine.executables import wget
from aiops_gym.types import Output


def run(context: Context, argv: list[str]) -> Output:
    """`wget [-q] [-O FILE] [-T SECONDS] URL`, see `sim.machine.executables.wget`."""
    return finish(context, wget.run(Host(context), argv, context.cluster.now(), small=False))
