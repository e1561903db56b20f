"""`kubectl create priorityclass`."""

from __future__ import annotations

from aiops_gym.clients.flags import Flag
from aiops_gym.kubectl.creation import FLAGS, make, name_of, new_object
from aiops_gym.kubectl.verb import Invocation, Verb


def run(call: Invocation) -> int | None:
    """Create a priority class."""
    flags = call.flags
    rest: dict[str, object] = {"value": flags.number("value"), "preemptionPolicy": flags.text("preemption-policy")}
    if flags.text("description"):
        rest["description"] = flags.text("description")
    if flags.on("global-default"):
        rest["globalDefault"] = True
    make(call, new_object("scheduling.k8s.io/v1", "PriorityClass", name_of(call), **rest), "priorityclass")
    return None


verb = Verb(
    "priorityclass",
    run,
    flags=(
        Flag("value", "int", help="the value of this priority class."),
        Flag("global-default", "bool", help="global-default specifies whether this class is the default."),
        Flag("description", help="description is an arbitrary string that provides guidelines."),
        Flag("preemption-policy", default="PreemptLowerPriority", help="the policy for preempting pods."),
        *FLAGS,
    ),
    aliases=("pc",),
    usage="create priorityclass NAME --value=VALUE --global-default=BOOL [--dry-run=server|client|none]",
    short="Create a priority class with the specified name",
)
