"""Where a kind keeps its pod spec, and how `kubectl set` changes containers in it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from fnmatch import fnmatchcase

from aiops_gym.kubectl import output
from aiops_gym.kubectl.changes import ALL, LOCAL, RECORD, SAVING, make_query, prepare, read_dry_run, report
from aiops_gym.kubectl.client import kind_group
from aiops_gym.kubectl.errors import Failure, Failures, KubectlError, ServerError
from aiops_gym.kubectl.filed import Info
from aiops_gym.kubectl.output.structs import Struct
from aiops_gym.kubectl.targets import FILES, MISSING, SELECTOR, UNLOCAL, Selection, select
from aiops_gym.kubectl.verb import Invocation
from aiops_gym.sim.golang.literals import go_quote
from aiops_gym.sim.kernel.objects import assoc, get
from aiops_gym.sim.kube_api.patch.strategic import apply_strategic_merge
from aiops_gym.sim.kube_api.schema import type_of
from aiops_gym.sim.kube_api.selectors import parse_labels
from aiops_gym.types import Json

PATHS: Mapping[str, tuple[str, ...]] = {
    "Pod": ("spec",),
    "CronJob": ("spec", "jobTemplate", "spec", "template", "spec"),
    **dict.fromkeys(
        ("Deployment", "ReplicaSet", "StatefulSet", "DaemonSet", "Job", "ReplicationController"),
        ("spec", "template", "spec"),
    ),
}
FLAGS = (ALL, LOCAL, SELECTOR, *FILES, *SAVING)
RECORDING = (*FLAGS, RECORD)
"""The flags of `set`, and of those parts of it that can write the command line down."""


def find_path(info: Info) -> tuple[str, ...]:
    """Where the pod spec of an object is. Raises Failure for kinds without one."""
    path = PATHS.get(info.resource.kind)
    if path is None:
        raise Failure(f"the object is not a pod or does not have a pod template: *v1.{info.resource.kind}")
    return path


def find_pod_spec(info: Info) -> Json:
    """The pod spec of an object."""
    return get(info.obj, *find_path(info), default={})


def wrap_patch(info: Info, spec: Json) -> Json:
    """A patch of the object from a patch of its pod spec."""
    patch = spec
    for step in reversed(find_path(info)):
        patch = {step: patch}
    return patch


def choose_containers(containers: Iterable[Json], pattern: str) -> list[Json]:
    """Containers whose names match a pattern such as `*`."""
    return [container for container in containers if fnmatchcase(container["name"], pattern)]


def read_infos(call: Invocation, resources: Sequence[str]) -> list[Info]:
    """What `kubectl set` is about. Raises what failed."""
    return read_selection(call, resources).infos()


def read_selection(call: Invocation, resources: Sequence[str]) -> Selection:
    """The same, not asked for yet. Raises Failure."""
    flags, local = call.flags, call.flags.on("local")
    prepare(call)
    selector = flags.text("selector") if "selector" in flags.values else ""
    if local and resources and call.path in ("kubectl set env", "kubectl set serviceaccount"):
        if not flags.items("filename") and not flags.values.get("kustomize"):
            raise Failure(MISSING)
        resources = ()
    if local and resources:
        raise Failure(UNLOCAL)
    if selector:
        try:
            parse_labels(selector)
        except ValueError as error:
            raise Failure(f"the provided selector {go_quote(selector)} is not valid: {error}") from None
    return select(
        call,
        resources,
        empty_selector=bool(selector) or flags.on("all"),
        latest=not local,
    )


def patch_each(
    call: Invocation,
    infos: Sequence[Info],
    change: Callable[[Info], Json],
    *,
    done: str,
    failed: str,
    named: bool = True,
    colon: bool = True,
) -> list[KubectlError]:
    """Patch objects one by one and say so; what failed is given back.

    Args:
        call: the invocation.
        infos: the objects.
        change: the strategic merge patch of one; empty when there is nothing to change.
        done: what is said.
        failed: how a refusal begins.
        named: tell the object's name in an error of `change`.
        colon: whether one stands between `failed` and the server's words.
    """
    errors: list[KubectlError] = []
    shown = output.choose_printer(call)
    away = call.flags.on("local") or read_dry_run(call) == "client"
    for info in infos:
        try:
            patch = change(info)
        except Failure as error:
            errors.append(Failure(f"error: {name_object(call, info)} {error.inner}\n" if named else error.inner))
            continue
        if not patch:
            continue
        try:
            changed = (
                apply_strategic_merge(info.obj, patch, type_of(info.resource.api_version, info.resource.kind))
                if away
                else call.client.patch(
                    info.resource, info.name, patch, namespace=info.namespace, query=make_query(call, MANAGER)
                )
            )
        except (ServerError, Failure) as error:
            errors.append(Failure(f"{failed}{':' if colon else ''} {error.message}"))
            continue
        report(call, info.resource, Struct(as_typed(changed) if call.flags.on("local") else changed), done, shown=shown)
    return errors


def name_object(call: Invocation, info: Info) -> str:
    """An object in errors: by its resource, which nobody asks the server for with --local; by its kind then."""
    if not call.flags.on("local"):
        return f"{info.resource.plural}/{info.name}"
    # the end of the line is kubectl's own
    return f"{kind_group(info.resource)}/{info.name}" + ("\n" if info.resource.group else "")


def as_typed(obj: Json) -> Json:
    """An object of a file as Go's types print it: with the empty fields that they always write."""
    path = PATHS.get(obj.get("kind", ""))
    if path is None:
        return obj
    found = {**obj, "metadata": {"creationTimestamp": None, **(obj.get("metadata") or {})}}
    found.setdefault("status", {})
    if obj["kind"] == "Deployment":
        found["spec"] = {"strategy": {}, **found["spec"]}
    if len(path) > 1:
        above = path[:-1]
        template = get(found, *above, default={})
        metadata = {"creationTimestamp": None, **(template.get("metadata") or {})}
        found = assoc(found, above, {**template, "metadata": metadata})
    spec = get(found, *path, default={})
    filled = {
        field: [{"resources": {}, **container} for container in spec[field]]
        for field in ("initContainers", "containers")
        if spec.get(field)
    }
    return assoc(found, path, {**spec, **filled})


MANAGER = "kubectl-set"


def finish(errors: Sequence[KubectlError]) -> None:
    """Raise what failed, if anything did."""
    if errors:
        raise Failures(errors)
