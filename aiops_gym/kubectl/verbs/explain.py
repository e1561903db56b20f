"""`kubectl explain`: the fields of a kind and their types, and what they mean."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from aiops_gym.clients.flags import Flag
from aiops_gym.kubectl.client import api_version, find_resource
from aiops_gym.kubectl.errors import Failure, KubectlError
from aiops_gym.kubectl.targets import warn_of
from aiops_gym.kubectl.verb import Invocation, Verb
from aiops_gym.sim.golang.literals import go_quote
from aiops_gym.sim.golang.text import fold
from aiops_gym.sim.kube_api.descriptions import describe
from aiops_gym.sim.kube_api.resources import RESOURCES, Resource, find
from aiops_gym.sim.kube_api.schema import Field, fields, type_of

MISSING: Final = (
    'You must specify the type of resource to explain. Use "kubectl api-resources" for a complete list of supported '
    "resources."
)
PLAIN: Final = {
    "quantity": "Quantity",
    "intstr": "IntOrString",
    "bool": "boolean",
    "int32": "integer",
    "int64": "integer",
    "num": "number",
    "[str]": "[]string",
    **dict.fromkeys(("str", "bytes", "time"), "string"),
}


def run(call: Invocation) -> int | None:
    """Print the fields of a kind, or of one of its fields."""
    if not call.args:
        raise Failure(MISSING)
    if len(call.args) > 1:
        raise Failure("We accept only this format: explain RESOURCE")
    version = call.flags.text("api-version")
    word, path = _split(call.args[0], grouped=not version)
    try:
        resource = find_resource(word)
    except Failure as error:
        raise KubectlError(error.inner) from None
    warn_of(call, word)
    resource = _place(call, resource, version or api_version(resource))
    kind, told = type_of(api_version(resource), resource.kind), ""
    field: Field | None = None
    for name in path:
        found = fields(kind).get(name)
        if found is None:
            _head(call, resource)
            raise Failure(f"field {go_quote(path[-1])} does not exist")  # whichever step is wrong
        told, field, kind = describe(kind, name), found, found.type
    _head(call, resource)
    if field is not None:
        call.say(f"FIELD: {path[-1]} <{_shown(field, path[-1])}>\n\n")
    told = "".join(f"{text}\n" for text in (told, describe(kind)) if text)
    call.say(f"DESCRIPTION:\n{fold(told or '<empty>', 80, 4)}")
    if fields(kind):
        call.say("FIELDS:")
        call.write("".join(_rows(kind, 1, call.flags.on("recursive"))))
    call.say()
    return 0


def _place(call: Invocation, resource: Resource, version: str) -> Resource:
    """The resource of this name in a version."""
    where = version if "/" in version else f"/{version}"
    if call.flags.text("output") == "plaintext-openapiv2":  # of which the server has nothing
        raise Failure(f"couldn't find resource for {go_quote(f'{where}, Kind={resource.kind}')}")
    there = {other.plural: other for other in RESOURCES.values() if api_version(other) == version}
    if not there:
        raise Failure(f"couldn't find resource for {go_quote(f'{where}, Resource={resource.plural}')}")
    if call.flags.text("output") != "plaintext":
        raise Failure(f"unrecognized format: {call.flags.text('output')}")
    if resource.plural not in there:
        raise Failure(f"GVR ({where}, Resource={resource.plural}) not found in OpenAPI schema")
    return there[resource.plural]


def _split(text: str, grouped: bool) -> tuple[str, list[str]]:
    """The resource and the fields behind it; its group may stand between them, after the plural.

    >>> _split("deployments.apps.spec", True), _split("deploy.spec", True), _split("events.events.k8s.io", True)
    (('deployments', ['spec']), ('deploy', ['spec']), ('events', ['events', 'k8s', 'io']))
    """
    first, *path = text.split(".")
    found = find(first)
    if grouped and found is not None and text.startswith(found.name):
        path = path[found.name.count(".") :]
    return first, [*filter(None, path)]


def _head(call: Invocation, resource: Resource) -> None:
    if resource.group:
        call.say(f"GROUP:      {resource.group}")
    call.say(f"KIND:       {resource.kind}")
    call.say(f"VERSION:    {resource.version}\n")


def _rows(kind: str, level: int, recursive: bool, above: tuple[str, ...] = ()) -> Iterator[str]:
    for name, field in sorted(fields(kind).items()):
        mark = " -required-" if field.required else ""
        yield f"{'  ' * level}{name}\t<{_shown(field, name)}>{mark}\n"
        if not recursive:
            yield fold(describe(kind, name) or "<no description>", 80, 2 * level + 2) + "\n\n"
        elif field.type not in above:
            yield from _rows(field.type, level + 1, recursive, (*above, field.type))


def _shown(field: Field, called: str = "") -> str:
    """The type of a field as it is printed."""
    if called == "fieldsV1":
        return "FieldsV1"
    name = PLAIN.get(field.type) or (field.type.rpartition(".")[2] if fields(field.type) else "Object")
    return {"": name, "list": f"[]{name}", "map": f"map[string]{name}"}[field.shape]


verb = Verb(
    "explain",
    run,
    flags=(
        Flag("api-version", help="Use given api-version (group/version) of the resource."),
        Flag("output", short="o", default="plaintext", help="Format in which to render the schema."),
        Flag("recursive", "bool", help="When true, print the name of all the fields recursively."),
    ),
    usage="explain TYPE [--recursive=FALSE|TRUE] [--api-version=api-version-group] [-o|--output=plaintext]",
    short="Get documentation for a resource",
)
