"""What `apply`, `create -f`, `replace` and `diff` share: objects of files, and what apply remembers on them."""

from __future__ import annotations

from typing import Final

from aiops_gym.clients import gojson
from aiops_gym.kubectl.changes import make_query
from aiops_gym.kubectl.errors import Failure
from aiops_gym.kubectl.filed import Info, find_by_kind
from aiops_gym.kubectl.output import as_json
from aiops_gym.kubectl.output.structs import Struct, order_keys
from aiops_gym.kubectl.targets import Selection, select
from aiops_gym.kubectl.verb import Invocation
from aiops_gym.sim.golang.literals import go_quote
from aiops_gym.sim.kernel.objects import get
from aiops_gym.sim.kube_api.patch import apply_three_way
from aiops_gym.sim.kube_api.schema import type_of
from aiops_gym.types import Json

LAST_APPLIED: Final = "kubectl.kubernetes.io/last-applied-configuration"


def read_files(call: Invocation) -> Selection:
    """The objects of `-f`. Raises Failure."""
    require_files(call)
    selection = select(
        call,
        [],
    )
    for info in selection.named:
        if isinstance(info, Info):
            _placed(info)
    return selection


def require_files(call: Invocation) -> None:
    """Raise Failure where none are named."""
    if not call.flags.items("filename") and not call.flags.values.get("kustomize"):
        raise Failure("must specify one of -f and -k")


def _placed(info: Info) -> None:
    """Write the namespace into the object, as kubectl does before anything else."""
    if info.namespace:
        metadata = info.obj.get("metadata") or {}
        info.obj = {**info.obj, "metadata": {**metadata, "namespace": info.namespace}}


def read_validation(call: Invocation) -> str:
    """What the server is to do with unknown fields. Raises Failure."""
    word = call.flags.text("validate")
    modes = {"strict": "Strict", "true": "Strict", "warn": "Warn", "ignore": "Ignore", "false": "Ignore"}
    if word not in modes:
        raise Failure(f'invalid - validate option "{word}"; must be one of: strict (or true), warn, ignore (or false)')
    return modes[word]


def make_validation_query(call: Invocation, manager: str) -> dict[str, str]:
    """The parameters of a request that sends a whole object."""
    return {**make_query(call, manager), "fieldValidation": read_validation(call)}


def find_prunable(word: str) -> str:
    """`apps/v1/Deployment` as a resource's name. Raises Failure."""
    parts = word.split("/")
    if len(parts) != 3:
        raise Failure(f"invalid GroupVersionKind format: {word}, please follow <group/version/kind>")
    group, version, kind = parts
    found = find_by_kind(kind, version if group == "core" else f"{group}/{version}")
    if found is None:
        raise Failure(
            f'no matches for kind "{kind}" in version "{version if group == "core" else f"{group}/{version}"}"'
        )
    return found.name


def remember(obj: Json) -> str:
    """An object as the annotation holds it."""
    return as_json.format_compact(obj) + "\n"


def add_last_applied(obj: Json) -> Json:
    """The object with itself in an annotation: what the next apply compares with."""
    metadata = obj.get("metadata") or {}
    annotations = {k: v for k, v in annotations_of(obj).items() if k != LAST_APPLIED}
    bare = {**obj, "metadata": {**metadata, "annotations": annotations}}
    return {**obj, "metadata": {**metadata, "annotations": {**annotations, LAST_APPLIED: remember(bare)}}}


def add_own_config(obj: Json) -> Json:
    """The same of an object that kubectl made itself: its types write their fields in their own order."""
    metadata, text = obj["metadata"], as_json.format_line(order_keys(Struct(obj)))
    return {**obj, "metadata": {**metadata, "annotations": {**annotations_of(obj), LAST_APPLIED: text + "\n"}}}


def annotations_of(obj: Json) -> Json:
    """The annotations of an object of a file; none where they are no map (the server says so then)."""
    found = get(obj, "metadata", "annotations")
    return found if isinstance(found, dict) else {}


def compute_patch(call: Invocation, info: Info, live: Json, wanted: Json) -> Json:
    """The patch that brings a live object to what is wanted, leaving alone what others set. Raises Failure."""
    text = get(live, "metadata", "annotations", LAST_APPLIED)
    try:
        original = gojson.loads(text) if text else None
        original = {} if original is None else original
    except ValueError:
        original = None
    if not isinstance(original, dict):  # somebody wrote into the annotation
        call.warn("warning: error calculating patch from openapi v3 spec: invalid JSON document")
        sides = f"original:\n{text}\nmodified:\n{as_json.format_compact(wanted)}\n\n"
        sides += f"current:\n{as_json.format_compact(live)}\n\nfor:: invalid JSON document"
        raise Failure(f"error when patching {go_quote(info.source)}: creating patch with:\n{sides}")
    name = type_of(info.resource.api_version, info.resource.kind)
    return apply_three_way(original, wanted, live, name)


def describe_info(info: Info) -> str:
    """An object as kubectl's errors name it."""
    resource = info.resource
    version = f"{resource.group}/{resource.version}"
    return (
        f'Resource: "{version}, Resource={resource.plural}", GroupVersionKind: "{version}, Kind={resource.kind}"\n'
        f'Name: "{info.name}", Namespace: "{info.namespace}"'
    )


def refuse_generated_name(info: Info) -> None:
    """Refuse an object whose name the server would make. Raises Failure."""
    prefix = get(info.obj, "metadata", "generateName")
    if not info.name and prefix:
        raise Failure(f"from {prefix}: cannot use generate name with apply")


def refuse_unnamed(info: Info) -> None:
    """Refuse an object without a name, which cannot be looked up. Raises Failure."""
    if not info.name:
        raise Failure(
            f"error when retrieving current configuration of:\n{describe_info(info)}\n"
            f'from server for: "{info.source}": resource name may not be empty'
        )
