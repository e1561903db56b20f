"""`docker start`"""

from __future__ import annotations

from aiops_gym.docker.call import Call, clean


def run(call: Call) -> int:
    """Start containers that have ended, or never ran."""
    return call.each(call.args, lambda name: call.ask("POST", f"/containers/{clean(name)}/start"))
