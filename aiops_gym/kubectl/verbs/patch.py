"""`kubectl patch`."""

from __future__ import annotations

from typing import Final

import yaml

from aiops_gym.clients import gojson, goyaml
from aiops_gym.clients.flags import Flag
from aiops_gym.kubectl.changes import CHANGING, LOCAL, make_query, read_dry_run, report
from aiops_gym.kubectl.client import JSON_PATCH, MERGE, STRATEGIC
from aiops_gym.kubectl.errors import Failure, Failures, ServerError
from aiops_gym.kubectl.filed import Info
from aiops_gym.kubectl.targets import FILES, select
from aiops_gym.kubectl.verb import Invocation, Verb
from aiops_gym.sim.golang.literals import go_quote
from aiops_gym.sim.kube_api.patch.errors import PatchError
from aiops_gym.sim.kube_api.patch.jsonpatch import apply_json_patch
from aiops_gym.sim.kube_api.patch.merge import apply_merge_patch
from aiops_gym.sim.kube_api.patch.strategic import apply_strategic_merge
from aiops_gym.sim.kube_api.schema import type_of
from aiops_gym.types import Json

TYPES: Final = {"json": JSON_PATCH, "merge": MERGE, "strategic": STRATEGIC}
SHOWN: Final = 2_000
"""Characters of a patch that an error repeats."""

DECODING: Final = {"json": "", "merge": "error decoding patch: ", "strategic": ""}


def run(call: Invocation) -> int | None:
    """Change fields of objects."""
    flags, local = call.flags, call.flags.on("local")
    kind = flags.text("type").lower() or "strategic"
    _validate(call, kind, local)
    text = flags.text("patch")
    if flags.text("patch-file"):
        text = _file(call, flags.text("patch-file"))
    raw = text.lstrip().startswith("{")
    patch = None if raw else _from_yaml(text)
    selection = select(
        call,
        call.args,
    )
    selection.subresource = flags.text("subresource")
    errors = selection.each(lambda info: _patch(call, info, kind, _decode(text, kind, local) if raw else patch, local))
    if errors:
        raise Failures(errors)
    if not selection.named:
        raise Failure("no objects passed to patch")
    return None


def _validate(call: Invocation, kind: str, local: bool) -> None:
    flags = call.flags
    read_dry_run(call)
    if flags.text("patch") and flags.text("patch-file"):
        raise Failure("cannot specify --patch and --patch-file together")
    if not flags.text("patch") and not flags.text("patch-file"):
        raise Failure("must specify --patch or --patch-file containing the contents of the patch")
    if local and call.args:
        raise Failure("cannot specify --local and server resources")
    if local and read_dry_run(call) == "server":
        raise Failure("cannot specify --local and --dry-run=server - did you mean --dry-run=client?")
    if kind not in TYPES:
        raise Failure(f"--type must be one of [{' '.join(TYPES)}], not {go_quote(flags.text('type'))}")


def _file(call: Invocation, path: str) -> str:
    try:
        return call.context.files.read(path)
    except IsADirectoryError:
        raise Failure(f"unable to read patch file: read {path}: is a directory") from None
    except OSError:
        raise Failure(f"unable to read patch file: open {path}: no such file or directory") from None


def _from_yaml(text: str) -> Json:
    """A patch that is not an object in JSON: it is read as YAML."""
    try:
        return goyaml.load(text)
    except yaml.YAMLError as error:
        shown = go_quote(text if len(text) <= SHOWN else f"{text[:SHOWN]}...")
        raise Failure(f"unable to parse {shown}: {goyaml.explain_error(error)}") from None


def _decode(text: str, kind: str, local: bool) -> Json:
    """A patch in JSON, which kubectl does not look into: the server finds what is wrong with it."""
    try:
        return gojson.loads(text)
    except ValueError as error:
        if local:
            raise Failure("invalid JSON document") from None
        message = f"{DECODING[kind]}{error}"
        status = {"reason": "BadRequest", "message": message, "code": 400}
        raise ServerError(status) from None


def _patch(call: Invocation, info: Info, kind: str, patch: Json, local: bool) -> None:
    if local or read_dry_run(call) == "client":
        changed = _apply(info, kind, patch)
        mode = "none"
    else:
        changed = call.client.patch(
            info.resource,
            info.name,
            patch,
            TYPES[kind],
            info.namespace,
            subresource=call.flags.text("subresource"),
            query=make_query(call, "kubectl-patch"),
        )
        mode = "none"
    operation = "patched" if changed != info.obj else "patched (no change)"
    if not local and call.flags.text("subresource") == "scale" and not call.flags.text("output"):
        call.say(f"scale.autoscaling/{info.name} {operation}")
        return
    report(call, info.resource, changed, operation, mode=mode)


def _apply(info: Info, kind: str, patch: Json) -> Json:
    """The patched object, worked out here."""
    try:
        if kind == "json":
            return apply_json_patch(info.obj, patch)
        return (
            apply_merge_patch(info.obj, patch)
            if kind == "merge"
            else apply_strategic_merge(info.obj, patch, type_of(info.resource.api_version, info.resource.kind))
        )
    except PatchError as error:
        raise Failure(str(error)) from None


verb = Verb(
    "patch",
    run,
    flags=(
        Flag("patch", short="p", help="The patch to be applied to the resource JSON file."),
        Flag("patch-file", help="A file containing a patch to be applied to the resource."),
        Flag("type", default="strategic", help="The type of patch being provided; one of [json merge strategic]"),
        Flag("subresource", help="If specified, patch will operate on the subresource of the requested object."),
        LOCAL,
        *FILES,
        *CHANGING,
    ),
    usage="patch (-f FILENAME | TYPE NAME) [-p PATCH|--patch-file FILE]",
    short="Update fields of a resource",
)
