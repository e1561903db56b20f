"""`curl`: HTTP from the host: addresses of the cluster answer, names of services do not resolve."""

from __future__ import annotations

from aiops_gym.clients.context import Context
from aiops_gym.clients.waiting import Host, finish
from aiops_gym.sim.machine.executables import curl
from aiops_gym.types import Output


def run(context: Context, argv: list[str]) -> Output:
    """`curl [options...] <url>`, see `sim.machine.executables.curl`."""

    def read(path: str) -> str:
        try:
            return context.stdin if path == "-" else context.files.read(path)
        except OSError:
            return ""

    return finish(context, curl.run(Host(context), argv, context.cluster.now(), read))
