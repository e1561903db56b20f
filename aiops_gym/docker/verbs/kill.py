"""`docker kill`"""

from __future__ import annotations

from aiops_gym.docker.call import Call, clean


def run(call: Call) -> int:
    """Send a signal to containers."""
    query = {"signal": call.flags.text("signal") or "KILL"}
    return call.each(call.args, lambda name: call.ask("POST", f"/containers/{clean(name)}/kill", query))
