"""Commands that take time: what they print when they are let finish, and when they are not."""

from __future__ import annotations

from collections.abc import Sequence

from aiops_gym.clients.context import Context
from aiops_gym.sim.machine.executables.peer import Link
from aiops_gym.sim.machine.program import HttpAnswer
from aiops_gym.types import Output, Timed


def finish(context: Context, output: Output) -> Output:
    """Wait for a command to end and keep the files it wrote; when time is up before, what it had printed by then."""
    if not isinstance(output, Timed):
        return output
    began = context.cluster.now()
    if output.seconds > 0.0 and not context.cluster.wait(output.seconds):
        return Output(output.until(context.cluster.now() - began), "", 124)
    for path, text in output.files.items():
        context.files.write(path, text)
    return output


class Host:
    """The host as a place from which commands reach the network; see `sim.machine.executables.peer.Peer`."""

    def __init__(self, context: Context) -> None:
        self._network = context.network
        self.draw = context.draw

    def resolve(self, host: str) -> Sequence[str]:
        """Addresses of a host name."""
        return self._network.resolve(host) if self._network is not None else ()

    def link(self, host: str, port: int) -> Link:
        """The way to an address; without a network there is none."""
        return self._network.link(host, port) if self._network is not None else Link("no_host")

    def http(self, method: str, host: str, port: int, path: str, body: str = "") -> HttpAnswer | None:
        """What a web server answers."""
        return self._network.http(method, host, port, path, body) if self._network is not None else None

    def talk(self, host: str, port: int, text: str) -> str:
        """What a server sends back."""
        return self._network.talk(host, port, text) if self._network is not None else ""
