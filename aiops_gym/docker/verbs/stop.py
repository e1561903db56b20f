"""`docker stop`"""

from __future__ import annotations

from aiops_gym.docker.call import Call


def run(call: Call) -> int:
    """Ask containers to end, kill those that do not in time, and wait for all of them."""
    return call.each_ended(call.args, "stop")
