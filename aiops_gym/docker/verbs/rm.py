"""`docker rm`"""

from __future__ import annotations

from aiops_gym.docker.call import Call, clean


def run(call: Call) -> int:
    """Remove containers."""
    query = {"force": "1" if call.flags.on("force") else "0"}
    return call.each(call.args, lambda name: call.ask("DELETE", f"/containers/{clean(name)}", query))
