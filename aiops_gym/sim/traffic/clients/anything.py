"""What programs of every language have: trouble of their own, and messages that a broker hands on."""

from __future__ import annotations

from aiops_gym.sim.traffic.clients.client import Client, Failed


def _unheard(failed: Failed) -> tuple[str, float]:
    return "", 1.0


CLIENTS = {
    "own": Client("own", _unheard),
    "deliver": Client("deliver", _unheard, unknown="no consumer of {name}"),
}
