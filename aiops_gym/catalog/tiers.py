"""How hard an incident is: a function of what it is, frozen before any agent was scored on it.

`basic`: one fault, at most one call behind what users call, and one command mends it. `standard`: one fault with
components between it and the users that show its symptoms too, or a repair of several commands. `hard`: several faults,
one that spread, or one that is quiet, in motion, comes back or refuses its obvious repair.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from aiops_gym.catalog.model import Change, Effect, Exec, Fault, Patch, Restart, Schedule

NEAR = 1
"""Calls between users and a cause up to which nothing stands between it and what users call."""

SHORT = 2
"""Commands of the shortest repair of a basic incident: to change something, and to wait or pass it on."""


def find_tier(faults: Sequence[Fault], distance: int, how: str = "") -> str:
    """The tier of an incident; without a fault it is basic.

    Args:
        faults: what is wrong.
        distance: calls between the users and the farthest cause, and so the components with symptoms that are nearer.
        how: what a composed incident is, see `catalog.composed`.
    """
    if how or len(faults) > 1 or any(fault.features for fault in faults):
        return "hard"
    length = max((count_commands(fault) for fault in faults), default=0)
    return "standard" if distance > NEAR or length > SHORT else "basic"


def blames_change(fault: Fault) -> bool:
    """Whether something that was written in the cluster is to blame; to have more pods of something is no blame."""
    return any(not isinstance(each, HAPPENING) and not _only_scales(each) for each in fault.changes)


HAPPENING = (Effect, Exec, Schedule, Restart)
"""What befalls, or is done inside a program, and is written nowhere in the cluster."""


def _only_scales(change: Change) -> bool:
    return isinstance(change, Patch) and all(op["path"] == "/spec/replicas" and op["value"] for op in change.ops)


def count_commands(fault: Fault) -> int:
    """Commands of the shortest repair of a fault; 0 where there is none to be made."""
    scripts = (re.split(r"\n|;|&&|\|", script) for script in fault.fixes)
    return min((sum(bool(command.strip()) for command in script) for script in scripts), default=0)
