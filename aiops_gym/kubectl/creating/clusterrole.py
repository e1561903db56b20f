"""`kubectl create clusterrole`."""

from __future__ import annotations

from aiops_gym.clients.flags import Flag
from aiops_gym.kubectl.creating.role import OPTIONS, RBAC, make_rules
from aiops_gym.kubectl.creation import FLAGS, make, name_of, new_object
from aiops_gym.kubectl.errors import Failure
from aiops_gym.kubectl.verb import Invocation, Verb


def run(call: Invocation) -> int | None:
    """Create a cluster role."""
    name, urls = name_of(call), list(call.flags.items("non-resource-url"))
    if labels := call.flags.items("aggregation-rule"):
        if urls or any(call.flags.items(flag) for flag in ("verb", "resource", "resource-name")):
            raise Failure(
                "aggregation rule must be specified without nonResourceURLs, verbs, resources or resourceNames"
            )
        chosen = [{"matchLabels": dict(pair.split("=", 1) for pair in labels if "=" in pair)}]
        make(call, new_object(RBAC, "ClusterRole", name, aggregationRule={"clusterRoleSelectors": chosen}, rules=None))
        return None
    found = make_rules(call) if call.flags.items("resource") or not urls else []
    if urls:
        verbs = list(call.flags.items("verb"))
        if not verbs:
            raise Failure("at least one verb must be specified")
        for verb_ in verbs:
            if verb_ not in URL_VERBS:
                raise Failure(f"invalid verb: '{verb_}' for nonResourceURL")
        for url in urls:
            if not url.startswith("/") and url != "*":
                raise Failure("nonResourceURL should start with /")
            if "*" in url[:-1]:
                raise Failure("nonResourceURL only supports wildcard matches when '*' is at the end")
        found.append({"nonResourceURLs": urls, "verbs": verbs})
    make(call, new_object(RBAC, "ClusterRole", name, rules=found))
    return None


URL_VERBS = ("get", "put", "post", "head", "options", "delete", "patch", "*")

verb = Verb(
    "clusterrole",
    run,
    flags=(
        *OPTIONS,
        Flag("non-resource-url", "list", help="A partial url that user should have access to."),
        Flag("aggregation-rule", "map", help="An aggregation label selector for combining ClusterRoles."),
        *FLAGS,
    ),
    usage="create clusterrole NAME --verb=verb --resource=resource.group [--resource-name=resourcename]",
    short="Create a cluster role",
)
