"""How `create`, `run`, `expose` and `autoscale` put a new object into the cluster, or show it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from aiops_gym.clients.flags import Flag
from aiops_gym.kubectl import output
from aiops_gym.kubectl.applying import add_own_config, read_validation
from aiops_gym.kubectl.changes import DRY_RUN, MANAGER, VALIDATE, make_query, prepare, read_dry_run, report
from aiops_gym.kubectl.errors import Failure, ServerError, UsageFailure
from aiops_gym.kubectl.output.structs import Struct
from aiops_gym.kubectl.targets import find_by_kind
from aiops_gym.kubectl.verb import Invocation
from aiops_gym.types import Json

FLAGS: Final = (
    DRY_RUN,
    MANAGER,
    VALIDATE,
    Flag("save-config", "bool", help="If true, the configuration of current object will be saved in its annotation."),
    *output.FLAGS,
)


def name_of(call: Invocation) -> str:
    """The one name on the command line. Raises UsageFailure, and Failure for a wrong `--dry-run` or `-o`."""
    args = call.args if call.flags.dash < 0 else call.args[: call.flags.dash]
    if len(args) != 1:
        raise UsageFailure(f"exactly one NAME is required, got {len(args)}")
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
    bare = obj
    if resource.namespaced and call.client.explicit:
        obj = {**obj, "metadata": {**obj["metadata"], "namespace": call.namespace}}
    if call.flags.values.get("save-config"):
        kept = add_own_config(bare if call.path == "kubectl run" else obj)["metadata"]["annotations"]
        obj = {**obj, "metadata": {**obj["metadata"], "annotations": kept}}
    mode = read_dry_run(call)
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


def strip_empty(obj: Json) -> Json:
    """The object without what only Go's types print: empty times and an empty status."""
    if isinstance(obj, Mapping):
        return {
            k: strip_empty(v) for k, v in obj.items() if not (k == "creationTimestamp" and v is None) and k != "status"
        }
    return [strip_empty(item) for item in obj] if isinstance(obj, list) else obj
