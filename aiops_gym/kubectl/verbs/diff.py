"""`kubectl diff`."""

from __future__ import annotations

from datetime import UTC, datetime

from aiops_gym.clients import as_yaml
from aiops_gym.clients.flags import Flag
from aiops_gym.kubectl.applying import (
    LAST_APPLIED,
    annotations_of,
    compute_patch,
    find_prunable,
    read_files,
    require_files,
)
from aiops_gym.kubectl.changes import MANAGER
from aiops_gym.kubectl.client import APPLY, STRATEGIC
from aiops_gym.kubectl.errors import Failure, Failures, KubectlError, ServerError, UsageFailure
from aiops_gym.kubectl.filed import Info
from aiops_gym.kubectl.targets import FILES, SELECTOR
from aiops_gym.kubectl.verb import Invocation, Verb
from aiops_gym.sim.kernel.edits import find_changes, show_unified
from aiops_gym.types import Json, Request

FOLDERS = ("/tmp/LIVE-1104582871", "/tmp/MERGED-2931470566")


def run(call: Invocation) -> int:
    """Print what `apply` would change; 1 when it would change anything, more when something went wrong."""
    if call.args:
        raise UsageFailure(f"Unexpected args: [{' '.join(call.args)}]", 2)
    if call.flags.on("force-conflicts") and not call.flags.on("server-side"):
        raise Failure("--force-conflicts only works with --server-side", 2)
    try:
        require_files(call)
        if call.flags.on("prune"):
            list(map(find_prunable, call.flags.items("prune-allowlist")))
        selection = read_files(call)
        selection.keep_going = False
        compared: list[tuple[str, str]] = []
        if errors := selection.each(lambda info: compared.append(_compared(call, info))):
            raise Failures(errors)
    except KubectlError as error:
        error.code = 2
        raise
    files = dict(compared)  # an object that is named twice is written into the same file
    call.write("".join(files[name] for name in sorted(files)))
    return 1 if any(files.values()) else 0


def _compared(call: Invocation, info: Info) -> tuple[str, str]:
    """The name of an object's file, and what differs in it. Raises KubectlError."""
    if not info.name:
        raise Failure("resource name may not be empty")
    answer = call.client.cluster.handle(Request("get", info.resource.name, info.namespace, info.name))
    live = answer.body if answer.code == 200 else None
    try:
        merged = _merged(call, info, live)
    except ServerError as error:
        raise error.about("applying", info.source) from None
    managed = call.flags.on("show-managed-fields")
    sides = [obj and _shown(obj, managed) for obj in (live, merged)]
    masked = info.resource.name == "secrets"
    if masked:
        _mask(*(((side or {}).get("data") or {}) for side in sides))
    before, after = (as_yaml.text(obj) if obj else "null\n" if masked else "" for obj in sides)
    resource = info.resource
    name = ".".join(filter(None, (resource.group, resource.version, resource.kind, info.namespace, info.name)))
    if before == after:
        return name, ""
    stamp = f"{datetime.fromtimestamp(call.client.cluster.now(), UTC):%Y-%m-%d %H:%M:%S.%f}000 +0000"
    old, new, paths = before.splitlines(True), after.splitlines(True), [f"{folder}/{name}" for folder in FOLDERS]
    head = f"diff -u -N {paths[0]} {paths[1]}\n--- {paths[0]}\t{stamp}\n+++ {paths[1]}\t{stamp}\n"
    return name, head + "".join(show_unified(old, new, find_changes(old, new, 3), 3))


def _merged(call: Invocation, info: Info, live: Json) -> Json:
    """What the object would be. Raises ServerError."""
    asked = {"dryRun": "All", "fieldManager": call.flags.text("field-manager") or "kubectl-client-side-apply"}
    place = (info.namespace, "")
    if call.flags.on("server-side"):
        asked |= {"fieldManager": call.flags.text("field-manager") or "kubectl"}
        asked |= {"force": str(call.flags.on("force-conflicts")).lower()}
        return call.client.patch(info.resource, info.name, info.obj, APPLY, *place, query=asked)
    if live is None:
        return call.client.create(info.resource, info.obj, info.namespace, **asked)
    # What apply would remember is no part of the comparison.
    notes = {key: value for key, value in annotations_of(info.obj).items() if key != LAST_APPLIED}
    wanted = {**info.obj, "metadata": {**info.obj["metadata"], "annotations": notes}}
    patch = compute_patch(call, info, live, wanted)
    return call.client.patch(info.resource, info.name, patch, STRATEGIC, *place, query=asked)


def _shown(obj: Json, managed: bool) -> Json:
    """An object that may be changed, with its managedFields if asked."""
    metadata = {key: value for key, value in obj["metadata"].items() if managed or key != "managedFields"}
    shown = {**obj, "metadata": metadata}
    return {**shown, "data": dict(obj["data"])} if obj.get("data") else shown


def _mask(before: dict[str, Json], after: dict[str, Json]) -> None:
    """Hide the values of a Secret, but not that they differ."""
    for key in {*before, *after}:
        differ = key in before and key in after and before[key] != after[key]
        for side, word in ((before, " (before)"), (after, " (after)")):
            if key in side:
                side[key] = f"***{word if differ else ''}"


verb = Verb(
    "diff",
    run,
    flags=(
        Flag("server-side", "bool", help="If true, apply runs in the server instead of the client."),
        Flag("force-conflicts", "bool", help="If true, server-side apply will force the changes against conflicts."),
        Flag("prune", "bool", help="Include resources that would be deleted by pruning."),
        Flag("show-managed-fields", "bool", help="If true, include managed fields in the diff."),
        Flag("concurrency", "int", default=1, help="Number of objects to process in parallel."),
        Flag("prune-allowlist", "array", help="Overwrite the default allowlist for --prune"),
        MANAGER,
        SELECTOR,
        *FILES,
    ),
    usage="diff -f FILENAME",
    short="Diff the live version against a would-be applied version",
)
