"""`kubectl api-resources`"""

from __future__ import annotations

from aiops_gym.clients.flags import Flag
from aiops_gym.kubectl.errors import Failure, UsageFailure
from aiops_gym.kubectl.output.table import lay_out
from aiops_gym.kubectl.verb import Invocation, Verb
from aiops_gym.sim.kube_api.resources import RESOURCES, Resource

HEADERS = ["NAME", "SHORTNAMES", "APIVERSION", "NAMESPACED", "KIND"]


def run(call: Invocation) -> int | None:
    """Print the resources that the server has."""
    flags = call.flags
    output, key = flags.text("output"), flags.text("sort-by")
    if call.args:
        raise UsageFailure(f"unexpected arguments: [{' '.join(call.args)}]")
    if output not in ("", "wide", "name"):
        raise Failure(f"--output {output} is not available")
    if key not in ("", "name", "kind"):
        raise Failure("--sort-by accepts only name or kind")
    found = [resource for resource in RESOURCES.values() if _wanted(call, resource)]
    found.sort(key=lambda r: ({"name": r.plural, "kind": r.kind}.get(key, r.group), r.plural))
    if output == "name":
        call.write("".join(f"{resource.name}\n" for resource in found))
        return 0
    rows = [_row(resource, output == "wide") for resource in found]
    if not flags.on("no-headers"):
        rows.insert(0, [*HEADERS, "VERBS", "CATEGORIES"] if output == "wide" else HEADERS)
    call.write(lay_out(rows))
    return 0


def _wanted(call: Invocation, resource: Resource) -> bool:
    flags = call.flags
    if flags.given("api-group") and flags.text("api-group") != resource.group:
        return False
    if flags.given("namespaced") and flags.on("namespaced") != resource.namespaced:
        return False
    if any(category not in resource.categories for category in flags.items("categories")):
        return False
    return all(verb in resource.verbs for verb in flags.items("verbs"))


def _row(resource: Resource, wide: bool) -> list[str]:
    namespaced = "true" if resource.namespaced else "false"
    row = [resource.plural, ",".join(resource.short), resource.api_version, namespaced, resource.kind]
    return [*row, ",".join(resource.verbs), ",".join(resource.categories)] if wide else row


verb = Verb(
    "api-resources",
    run,
    flags=(
        Flag("api-group", help="Limit to resources in the specified API group."),
        Flag("cached", "bool", help="Use the cached list of resources if available."),
        Flag("categories", "list", help="Limit to resources that belong to the specified categories."),
        Flag("namespaced", "bool", default=True, help="If false, non-namespaced resources will be returned."),
        Flag("no-headers", "bool", help="When using the default output format, don't print headers."),
        Flag("output", short="o", help="Output format. One of: (wide, name)."),
        Flag("sort-by", help="If non-empty, sort list of resources using specified field: name or kind."),
        Flag("verbs", "list", help="Limit to resources that support the specified verbs."),
    ),
    usage="api-resources [flags]",
    short="Print the supported API resources on the server",
)
