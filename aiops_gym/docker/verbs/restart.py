"""`docker restart`"""

from __future__ import annotations

from aiops_gym.docker.call import Call


def run(call: Call) -> int:
    """Stop containers, and start them again."""
    return call.each_ended(call.args, "restart")
