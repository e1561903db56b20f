"""`kubectl create serviceaccount`."""

from __future__ import annotations

from aiops_gym.kubectl.creation import FLAGS, make, name_of, new_object
from aiops_gym.kubectl.verb import Invocation, Verb


def run(call: Invocation) -> int | None:
    """Create a service account."""
    make(call, new_object("v1", "ServiceAccount", name_of(call)), "serviceaccount")
    return None


verb = Verb(
    "serviceaccount",
    run,
    flags=FLAGS,
    aliases=("sa",),
    usage="create serviceaccount NAME [--dry-run=server|client|none]",
    short="Create a service account with the specified name",
)
