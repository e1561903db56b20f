"""`kubectl create quota`."""

from __future__ import annotations

from typing import Any

from aiops_gym.clients.flags import Flag
from aiops_gym.kubectl.creation import FLAGS, make, name_of, new_object
from aiops_gym.kubectl.setting.resources import parse_amounts
from aiops_gym.kubectl.verb import Invocation, Verb


def run(call: Invocation) -> int | None:
    """Create a resource quota."""
    name = name_of(call)
    spec: dict[str, Any] = {}
    if call.flags.text("hard"):
        spec["hard"] = parse_amounts(call.flags.text("hard"))
    if call.flags.text("scopes"):
        spec["scopes"] = call.flags.text("scopes").split(",")
    make(call, new_object("v1", "ResourceQuota", name, spec=spec, status={}), "quota")
    return None


verb = Verb(
    "quota",
    run,
    flags=(
        Flag("hard", help="A comma-delimited set of resource=quantity pairs that define a hard limit."),
        Flag("scopes", help="A comma-delimited set of quota scopes."),
        *FLAGS,
    ),
    aliases=("resourcequota",),
    usage="create quota NAME [--hard=key1=value1,key2=value2] [--scopes=Scope1,Scope2] [--dry-run=server|client|none]",
    short="Create a quota with the specified name",
)
