"""`kubectl explain`: the fields of a kind and their types, as far as the server's schema tells; it has no prose."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from aiops_gym.clients.flags import Flag
from aiops_gym.kubectl.client import api_version, find_resource
from aiops_gym.kubectl.errors import Failure, KubectlError
from aiops_gym.kubectl.targets import warn_of
from aiops_gym.kubectl.verb import Invocation, Verb
from aiops_gym.sim.golang.literals import go_quote
from aiops_gym.sim.kube_api.resources import RESOURCES, Resource, find
from aiops_gym.sim.kube_api.schema import Field, fields, type_of

MISSING: Final = (
    'You must specify the type of resource to explain. Use "kubectl api-resources" for a complete list of supported '
    "resources."
)
PLAIN: Final = {
    "quantity": "Quantity",
    "intstr": "IntOrString",
    "str": "string",
    "bool": "boolean",
    "int32": "integer",
    "int64": "integer",
    "float64": "number",
}


def run(call: Invocation) -> int | None:
    """Print the fields of a kind, or of one of its fields."""
    if not call.args:
        raise Failure(MISSING)
    if len(call.args) > 1:
        raise Failure("We accept only this format: explain RESOURCE")
    word, path = _split(call.args[0])
    try:
        resource = find_resource(word)
    except Failure as error:
        raise KubectlError(error.inner) from None
    warn_of(call, word)
    version = call.flags.text("api-version") or api_version(resource)
    kind = type_of(version, resource.kind)
    if not kind and any(version == api_version(other) for other in RESOURCES.values()):
        raise Failure(f"GVR ({version}, Resource={resource.plural}) not found in OpenAPI schema")
    if not kind and version != api_version(resource):
        group, _, number = version.rpartition("/")
        raise Failure(f"couldn't find resource for {go_quote(f'{group}/{number}, Resource={resource.plural}')}")
    if not kind:
        raise Failure(f"couldn't find resource for {go_quote(f'{api_version(resource)}, Resource={resource.plural}')}")
    if call.flags.text("output") == "plaintext-openapiv2":  # of which the server has nothing
        raise Failure(f"couldn't find resource for {go_quote(f'/{version}, Kind={resource.kind}')}")
    if call.flags.text("output") != "plaintext":
        raise Failure(f"unrecognized format: {call.flags.text('output')}")
    field: Field | None = None
    for name in path:
        found = fields(kind).get(name)
        if found is None:
            _head(call, resource)
            raise Failure(f"field {go_quote(name)} does not exist")
        field, kind = found, found.type
    _head(call, resource)
    if field is not None:
        call.say(f"FIELD: {path[-1]} <{_shown(field)}>\n\n")
    call.say("DESCRIPTION:\n    <empty>")
    if fields(kind):
        call.say("FIELDS:")
        call.write("".join(_rows(kind, 1, call.flags.on("recursive"))))
    call.say()
    return 0


def _split(text: str) -> tuple[str, list[str]]:
    """The resource, with its group where that is named, and the fields behind it.

    >>> _split("deployments.apps.spec"), _split("pods.spec.containers")
    (('deployments.apps', ['spec']), ('pods', ['spec', 'containers']))
    """
    steps = text.split(".")
    for count in range(len(steps), 1, -1):
        found = find(".".join(steps[:count]))
        if found is not None and found.group and ".".join(steps[1:count]) == found.group:
            return ".".join(steps[:count]), steps[count:]
    return steps[0], steps[1:]


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
            yield f"{'  ' * level}  <no description>\n\n"
        elif field.type not in above:
            yield from _rows(field.type, level + 1, recursive, (*above, field.type))


def _shown(field: Field, called: str = "") -> str:
    """The type of a field as it is printed."""
    if called == "fieldsV1":
        return "FieldsV1"
    name = PLAIN.get(field.type) or (field.type.rpartition(".")[2] if fields(field.type) else "string")
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
