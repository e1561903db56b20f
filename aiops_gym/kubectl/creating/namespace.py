"""`kubectl create namespace`."""

from __future__ import annotations

from aiops_gym.kubectl.creation import FLAGS, make, name_of, new_object
from aiops_gym.kubectl.verb import Invocation, Verb


def run(call: Invocation) -> int | None:
    """Create a namespace."""
    make(call, new_object("v1", "Namespace", name_of(call), spec={}, status={}))
    return None


verb = Verb(
    "namespace",
    run,
    flags=FLAGS,
    aliases=("ns",),
    usage="create namespace NAME [--dry-run=server|client|none]",
    short="Create a namespace with the specified name",
)
