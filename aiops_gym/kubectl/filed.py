"""The objects that files hold: read, told apart by kind, and placed; what is wrong with one is told where it stands."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from aiops_gym.kubectl import manifests
from aiops_gym.kubectl.client import Client, api_version, find_resource
from aiops_gym.kubectl.errors import Failure, KubectlError, Misconfigured, Unreachable
from aiops_gym.kubectl.verb import Invocation
from aiops_gym.sim.golang.literals import go_quote
from aiops_gym.sim.kube_api.decode import DecodeError, Decoder
from aiops_gym.sim.kube_api.resources import Resource
from aiops_gym.sim.kube_api.schema import fields, type_of
from aiops_gym.types import Json


@dataclass(slots=True)
class Info:
    """One object that a command is about.

    Attributes:
        obj: the object (a stored one: read only), or a Table where tables were asked for. Empty when not fetched.
        source: the file it came from, "" for the server.
        wrong: why nothing is to be done with it, None for nothing.
    """

    resource: Resource
    namespace: str
    name: str
    obj: Any
    source: str = ""
    wrong: KubectlError | None = None


def read_objects(
    call: Invocation, filenames: Sequence[str], recursive: bool, kustomize: str, latest: bool
) -> list[Info | KubectlError]:
    """The objects of files, which `latest` leaves to be fetched, and between them what is wrong with the others."""
    found: list[Info | KubectlError] = []
    lost = None if call.flags.values.get("local") else _lost(call)
    try:
        read = manifests.read(call.context, list(filenames), recursive, _validated(call), kustomize)
    except Failure as error:
        return [error]
    for manifest in read:
        try:
            if isinstance(manifest, KubectlError):
                raise manifest
            if isinstance(lost, Unreachable) and _validated(call):
                return [*found, _unvalidated(manifest.source, lost)]
            if lost is not None:
                raise _told_of(manifest.source, lost)
            local = bool(call.flags.values.get("local")) and call.path in UNTYPED
            info = from_manifest(call.client, manifest, call.path.startswith(TYPED), local)
            if call.path.startswith(ANYWHERE):
                info.wrong = None
            found.append(replace(info, obj=None) if latest and info.name else info)
        except KubectlError as error:
            found.append(error)
    return found


def _lost(call: Invocation) -> KubectlError | None:
    """Why no client can be made, or no server answers it, where that is told of each object."""
    try:
        call.client.configure()
    except Misconfigured as error:
        if not call.path.startswith(LOOKING) or error.once:
            raise
        return error if error.named else KubectlError(error.inner)
    try:
        if not call.path.startswith(TYPED[0]):  # which knows all types that it needs
            call.client.touch()
    except Unreachable as error:
        return error
    return None


def _told_of(source: str, lost: KubectlError) -> KubectlError:
    if not isinstance(lost, Unreachable):
        return lost
    return Failure(f"unable to recognize {go_quote(source)}: {lost.get('api')}")


def _unvalidated(source: str, lost: Unreachable) -> Failure:
    return Failure(
        f"error validating {go_quote(source)}: error validating data: failed to download openapi: "
        f"{lost.get('openapi/v2')}; if you choose to ignore these errors, turn validation off with --validate=false"
    )


LOOKING: Final = tuple(
    f"kubectl {verb}"
    for verb in (
        *("get", "describe", "label", "annotate", "patch", "set image", "set resources", "set selector"),
        *("set serviceaccount", "set subject", "wait"),
        *("rollout history", "rollout restart", "rollout undo", "rollout pause", "rollout resume"),
    )
)
"""Commands that make their client with the first object that a file holds, and go on to the next where they cannot."""


def _validated(call: Invocation) -> bool:
    """Whether files are compared with the server's schema before they are read as objects."""
    forced = call.path == "kubectl replace" and call.flags.on("force")  # which looks for what to delete first
    return not forced and call.flags.values.get("validate", "false") not in ("false", "ignore")


TYPED: Final = ("kubectl auth reconcile", "kubectl set", "kubectl expose", "kubectl rollout")
"""Commands that read objects into the types of kubectl's own scheme."""

UNTYPED: Final = ("kubectl label", "kubectl annotate")
"""Commands that with --local take objects of any kind."""

ANYWHERE: Final = "kubectl certificate"
"""The command that takes objects of other namespaces than that of `-n`."""


def from_manifest(client: Client, manifest: manifests.Manifest, typed: bool = False, local: bool = False) -> Info:
    """The object of a file, in the namespace it goes to.

    Args:
        client: of the call.
        manifest: what the file holds.
        typed: whether only kubectl's own types are known.
        local: whether the server is not asked which kinds it has, so that any will do.

    Raises:
        Failure: a kind the server does not have.
    """
    obj, source = manifest
    kind, version = str(obj.get("kind", "")), str(obj.get("apiVersion", ""))
    resource = find_by_kind(kind, version)
    if resource is None and typed:
        what = f"no kind {go_quote(kind)} is registered for version {go_quote(version)}"
        raise Failure(f'unable to decode {go_quote(source)}: {what} in scheme "pkg/scheme/scheme.go:28"')
    if resource is None and local:
        group, _, number = version.rpartition("/")
        names = dict.fromkeys(("name", "plural", "singular"), kind.lower())
        resource = Resource(kind=kind, group=group, version=number, namespaced=True, **names)  # type: ignore[arg-type]
    if resource is None:
        raise Failure(
            f"resource mapping not found for name: {go_quote(_name(obj))} namespace: "
            f"{go_quote(str((obj.get('metadata') or {}).get('namespace', '')))} from {go_quote(source)}: "
            f"no matches for kind {go_quote(kind)} in version {go_quote(version)}\n"
            "ensure CRDs are installed first"
        )
    found = Info(resource, "", _name(obj), _as_typed(resource, obj, source) if typed else obj, source)
    if resource.namespaced:
        found.namespace = place = str((obj.get("metadata") or {}).get("namespace") or client.namespace)
        if client.explicit and place != client.namespace:
            found.wrong = Failure(
                f"the namespace from the provided object {go_quote(place)} does not match the namespace "
                f"{go_quote(client.namespace)}. You must pass '--namespace={place}' to perform this operation."
            )
    return found


def _as_typed(resource: Resource, obj: Json, source: str) -> Json:
    """An object with the fields that its type has. Raises Failure for one that cannot be read as its type."""
    name = type_of(resource.api_version, resource.kind)
    if not fields(name):
        return obj
    try:
        return Decoder().object(obj, name) | {"apiVersion": resource.api_version, "kind": resource.kind}
    except DecodeError as error:
        raise Failure(f"unable to decode {go_quote(source)}: {error}") from None


def find_by_kind(kind: str, version: str) -> Resource | None:
    """The resource of a `kind` and `apiVersion`."""
    group, _, number = version.rpartition("/")
    word = f"{kind}.{number}.{group}" if group else kind
    try:
        resource = find_resource(word if group else kind)
    except Failure:
        return None
    return resource if resource.kind == kind and api_version(resource) == version else None


def _name(obj: Any) -> str:
    return str((obj.get("metadata") or {}).get("name", ""))
