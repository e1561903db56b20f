"""How `create`, `run`, `expose` and `autoscale` put a new object into the cluster, or show it."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Final

from aiops_gym.clients import gojson
from aiops_gym.clients.flags import Flag
from aiops_gym.clients.kubeconfig import HEAD
from aiops_gym.kubectl.applying import add_own_config, read_validation
from aiops_gym.kubectl.changes import CHANGING, SAVING, VALIDATE, make_query, prepare, read_dry_run, report
from aiops_gym.kubectl.errors import Failure, ServerError, UsageFailure
from aiops_gym.kubectl.filed import find_by_kind
from aiops_gym.kubectl.output.structs import Struct
from aiops_gym.kubectl.verb import Invocation
from aiops_gym.sim.golang.literals import go_quote
from aiops_gym.sim.kube_api.patch import apply_merge_patch
from aiops_gym.sim.kube_api.patch.errors import PatchError
from aiops_gym.sim.kube_api.patch.jsonpatch import apply_json_patch
from aiops_gym.sim.kube_api.patch.strategic import apply_strategic_merge
from aiops_gym.sim.kube_api.schema import type_of
from aiops_gym.types import Json

KEEPING: Final = Flag(
    "save-config", "bool", help="If true, the configuration of current object will be saved in its annotation."
)
FLAGS: Final = (VALIDATE, KEEPING, *SAVING)
"""The flags of `create KIND`."""

DERIVING: Final = (KEEPING, *CHANGING)
"""The flags of verbs that make an object from others, or from an image."""


PLACELESS: Final = ("kubectl run", "kubectl autoscale", "kubectl expose")
"""Commands that save the configuration as it is before they know the namespace."""

FORGETFUL: Final = "kubectl create service "
"""The command that takes `--save-config` and saves nothing."""


def name_of(call: Invocation) -> str:
    """The one name on the command line. Raises UsageFailure, and Failure for a wrong `--dry-run` or `-o`."""
    args = call.args if call.flags.dash < 0 else call.args[: call.flags.dash]
    if len(args) != 1:
        raise UsageFailure(f"exactly one NAME is required, got {len(args)}")
    call.client.configure()
    if "dry-run" in call.flags.values:
        prepare(call)
    if "validate" in call.flags.values:
        read_validation(call)
    return args[0]


def new_object(version: str, kind: str, name: str, **rest: Json) -> Json:
    """An object as Go's types print it, with their empty creationTimestamp."""
    metadata = {"creationTimestamp": None, "name": name, **rest.pop("metadata", {})}
    return {"apiVersion": version, "kind": kind, "metadata": metadata, **rest}


def make_containers(images: Sequence[str], **rest: Json) -> list[Json]:
    """Containers named after their images."""
    return [{"image": image, "name": _container(image), **rest, "resources": {}} for image in images]


def _container(image: str) -> str:
    """`docker.io/library/nginx:1` gives `nginx`."""
    return image.rsplit("/", 1)[-1].split("@", maxsplit=1)[0].split(":", maxsplit=1)[0]


def make(
    call: Invocation, obj: Json, what: str = "", *, operation: str = "created", manager: str = "kubectl-create"
) -> Json:
    """Create an object, or show it in a dry run; `what` names it in an error of kubectl's own. Raises KubectlError."""
    resource = find_by_kind(obj["kind"], obj["apiVersion"])
    if resource is None:
        raise Failure(f'no matches for kind "{obj["kind"]}" in version "{obj["apiVersion"]}"')
    bare, mode = obj, read_dry_run(call)
    if resource.namespaced and call.client.explicit and (mode, call.path) != ("client", "kubectl autoscale"):
        obj = {**obj, "metadata": {**obj["metadata"], "namespace": call.namespace}}
    if call.flags.values.get("save-config") and not call.path.startswith(FORGETFUL):
        kept = add_own_config(bare if call.path in PLACELESS else obj)["metadata"]["annotations"]
        obj = {**obj, "metadata": {**obj["metadata"], "annotations": kept}}
    if mode != "client":
        asked = {**make_query(call, manager), "fieldValidation": "Strict"}
        try:
            obj = call.client.create(resource, strip_empty(obj), **asked)
        except ServerError as error:
            if not what:
                raise
            # kubectl has forgotten the colon for secrets
            colon = "" if what == "secret" else ":"
            raise Failure(f"failed to create {what}{colon} {error.message}") from None
    report(call, resource, Struct(obj), operation, mode=mode)
    return obj


def parse_integer(text: str) -> int:
    """A number as `strconv.Atoi` reads it. Raises Failure."""
    if not re.fullmatch(r"[+-]?[0-9]+", text):
        raise Failure(f"strconv.Atoi: parsing {go_quote(text)}: invalid syntax")
    if not -INT64 <= int(text) < INT64:
        raise Failure(f"strconv.Atoi: parsing {go_quote(text)}: value out of range")
    return int(text)


def overridden(call: Invocation, obj: Json) -> Json:
    """The object with what `--overrides` says. Raises Failure."""
    text, kind = call.flags.text("overrides"), call.flags.text("override-type")
    if not text:
        return obj
    if kind not in OVERRIDING:
        raise Failure(f"invalid override type: {kind}")
    try:
        patch = gojson.loads(text)
        if kind == "strategic":
            return apply_strategic_merge(obj, patch, type_of(obj["apiVersion"], obj["kind"]))
        return apply_json_patch(obj, patch) if kind == "json" else _merged(obj, patch)
    except PatchError as error:
        raise Failure(str(error)) from None
    except ValueError as error:
        raise Failure(OVERRIDING[kind] or str(error)) from None


INT64: Final = 2**63
OVERRIDING: Final = {"merge": "Invalid JSON Patch", "strategic": "invalid JSON document", "json": ""}
"""What is said of text that is no JSON, by the type of the override."""


def _merged(obj: Json, patch: Json) -> Json:
    if isinstance(patch, list):
        what = f"json: cannot unmarshal array into Go value of type {HEAD}"
        raise Failure(f"couldn't get version/kind; json parse error: {what}")
    if not isinstance(patch, Mapping):
        raise Failure(OVERRIDING["merge"])
    return apply_merge_patch(obj, patch)


def strip_empty(obj: Json) -> Json:
    """The object without what only Go's types print: empty times and an empty status."""
    if isinstance(obj, Mapping):
        return {
            k: strip_empty(v) for k, v in obj.items() if not (k == "creationTimestamp" and v is None) and k != "status"
        }
    return [strip_empty(item) for item in obj] if isinstance(obj, list) else obj
