"""A client of the cluster's API in a container, such as kubectl: does one thing and ends.

Params: `name` of the command; the world is given the clients themselves, see `Dynamics.clients`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from aiops_gym.sim.machine.container import Container
from aiops_gym.sim.machine.program import Program, Tool
from aiops_gym.types import Output


class Client(Program):
    """Runs its command line."""

    def start(self, c: Container) -> None:
        """Take a moment, then run."""
        c.after(int(c.between(150, 600, "run")), "run")

    def event(self, c: Container, name: str, *arguments: object) -> None:
        """Run, write down what was said, and end."""
        done = _run(c, c.argv, "")
        c.log(*(done.stdout + done.stderr).splitlines())
        c.exit(done.code)

    def tools(self, c: Container) -> Mapping[str, Tool]:
        """The same command, for scripts."""
        return {str(c.params.get("name") or name): _run for name in c.world.dynamics.clients}


def _run(c: Container, argv: Sequence[str], stdin: str) -> Output:
    name = argv[0].rpartition("/")[2]
    client = c.world.dynamics.clients.get(name)
    return client(c, argv, stdin) if client is not None else Output("", f"{name}: not found\n", 127)


program = Client()
