"""A program that keeps a connection to another one, and tries for ever where it has none, longer and longer apart."""

from __future__ import annotations

from typing import TypeVar

from aiops_gym.sim.machine.container import Container, is_running
from aiops_gym.sim.machine.program import Program, program_of
from aiops_gym.sim.software.environment import read_option
from aiops_gym.sim.software.federated.speech import read_port, say

LONGEST = 20.0
"""Seconds between two attempts at most."""

P = TypeVar("P", bound=Program)


class Caller(Program):
    """Dials the address that the option `dials` of its params names.

    Its event `connect` has the number of the attempt, since when it tries (ms), and what is done once it succeeds.
    """

    def connect_soon(self, c: Container, then: str = "", low: int = 50, high: int = 1_000) -> None:
        """Have it dial, in some ms, unless it tries already."""
        if not c.state.get("trying"):
            c.remember(trying=True)
            c.after(int(c.between(low, high, "dial", c.now)), "connect", 1, c.now, then)

    def find_peer(self, c: Container, kind: type[P]) -> tuple[P, Container] | None:
        """Where the address leads, if a program of this kind answers there."""
        address = read_option(c.argv, str(c.params["dials"]))
        route = c.dial(address.rpartition(":")[0], read_port(address))
        if not route.targets:
            return None
        peer = Container(c.world, route.targets[0].process)
        program = program_of(c.world, peer.process)
        return (program, peer) if isinstance(program, kind) else None

    def attempt(self, c: Container, kind: type[P], tries: int, since: int, then: str) -> tuple[P, Container] | None:
        """Dial once; where nobody answers, say so and plan the next attempt."""
        found = self.find_peer(c, kind)
        if found is None:
            wait = c.between(0.0, min(LONGEST, float(1 << min(tries - 1, 10))), "backoff", c.now)
            say(c, "failed" if tries == 1 else "retrying", wait=f"{wait:.2f}")
            c.after(max(20, int(1000 * wait)), "connect", tries + 1, since, then)
            return None
        if tries > 1:
            say(c, "connected", seconds=f"{(c.now - since) / 1000:.2f}", tries=tries)
        c.remember(peers=[found[1].key], trying=False)
        return found

    def peer_of(self, c: Container, kind: type[P]) -> tuple[P, Container] | None:
        """The program that it is connected to, if that still runs."""
        for key in c.state.get("peers", ()):
            if is_running(c.world, key):
                peer = Container(c.world, key)
                program = program_of(c.world, peer.process)
                return (program, peer) if isinstance(program, kind) else None
        return None
