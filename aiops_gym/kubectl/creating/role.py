"""`kubectl create role`."""

from __future__ import annotations

from collections.abc import Sequence

from aiops_gym.clients.flags import Flag
from aiops_gym.kubectl.client import find_resource
from aiops_gym.kubectl.creation import FLAGS, make, name_of, new_object
from aiops_gym.kubectl.errors import Failure, KubectlError
from aiops_gym.kubectl.verb import Invocation, Verb
from aiops_gym.types import Json

VERBS = (
    *("get", "list", "watch", "create", "update", "patch", "delete", "deletecollection", "*"),
    *("use", "bind", "escalate", "impersonate", "approve", "sign", "attest"),
)
RBAC = "rbac.authorization.k8s.io/v1"


def make_rules(call: Invocation) -> list[Json]:
    """One rule for each API group that the flags name."""
    verbs = list(dict.fromkeys(call.flags.items("verb")))
    if not verbs:
        raise Failure("at least one verb must be specified")
    for verb_ in verbs:
        if verb_ not in VERBS:
            call.warn(f"Warning: '{verb_}' is not a standard resource verb")
    if "*" in verbs:
        verbs = ["*"]
    words: Sequence[str] = call.flags.items("resource")
    if not words:
        raise Failure("at least one resource must be specified")
    names = list(call.flags.items("resource-name"))
    groups: dict[str, list[str]] = {}
    for word in words:
        if word == "*":
            return [{"apiGroups": ["*"], "resources": ["*"], "verbs": verbs}]
        kind, slash, sub = word.partition("/")
        call.client.touch()
        try:
            resource = find_resource(kind)
        except Failure as error:
            raise KubectlError(error.inner) from None
        groups.setdefault(resource.group, []).append(resource.plural + slash + sub)
    named: dict[str, Json] = {"resourceNames": names} if names else {}
    return [{"apiGroups": [group], **named, "resources": found, "verbs": verbs} for group, found in groups.items()]


def run(call: Invocation) -> int | None:
    """Create a role."""
    make(call, new_object(RBAC, "Role", name_of(call), rules=make_rules(call)))
    return None


OPTIONS = (
    Flag("verb", "list", help="Verb that applies to the resources contained in the rule"),
    Flag("resource", "list", help="Resource that the rule applies to"),
    Flag("resource-name", "array", help="Resource in the white list that the rule applies to"),
)
verb = Verb(
    "role",
    run,
    flags=(*OPTIONS, *FLAGS),
    usage="create role NAME --verb=verb --resource=resource.group/subresource [--resource-name=resourcename]",
    short="Create a role with single rule",
)
