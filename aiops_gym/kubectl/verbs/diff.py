"""`kubectl diff`."""

from __future__ import annotations

from datetime import UTC, datetime
from difflib import unified_diff

from aiops_gym.clients import as_yaml
from aiops_gym.clients.flags import Flag
from aiops_gym.kubectl.applying import compute_patch, read_files
from aiops_gym.kubectl.changes import MANAGER
from aiops_gym.kubectl.client import STRATEGIC
from aiops_gym.kubectl.errors import Failure, KubectlError, ServerError, UsageFailure
from aiops_gym.kubectl.targets import FILES, SELECTOR, Info
from aiops_gym.kubectl.verb import Invocation, Verb
from aiops_gym.types import Json, Request

FOLDERS = ("/tmp/LIVE-1104582871", "/tmp/MERGED-2931470566")


def run(call: Invocation) -> int:
    """Print what `apply` would change; 1 when it would change anything, more when something went wrong."""
    if call.args:
        raise UsageFailure(f"Unexpected args: [{' '.join(call.args)}]", 2)
    try:
        texts = [_compared(call, info) for info in read_files(call).infos()]
    except KubectlError as error:
        error.code = 2
        raise
    call.write("".join(texts))
    return 1 if any(texts) else 0


def _compared(call: Invocation, info: Info) -> str:
    if not info.name:
        raise Failure("resource name may not be empty")
    answer = call.client.cluster.handle(Request("get", info.resource.name, info.namespace, info.name))
    live = answer.body if answer.code == 200 else None
    asked = {"dryRun": "All", "fieldManager": "kubectl-client-side-apply"}
    try:
        if live is None:
            merged = call.client.create(info.resource, info.obj, info.namespace, **asked)
        else:
            patch = compute_patch(call, info, live)
            merged = call.client.patch(info.resource, info.name, patch, STRATEGIC, info.namespace, query=asked)
    except ServerError as error:
        raise error.about("applying", info.source) from None
    before, after = ("" if obj is None else as_yaml.text(_shown(obj)) for obj in (live, merged))
    if before == after:
        return ""
    resource = info.resource
    name = ".".join(filter(None, (resource.group, resource.version, resource.kind, info.namespace, info.name)))
    stamp = f"{datetime.fromtimestamp(call.client.cluster.now(), UTC):%Y-%m-%d %H:%M:%S.%f}000 +0000"
    paths = [f"{folder}/{name}" for folder in FOLDERS]
    lines = unified_diff(before.splitlines(True), after.splitlines(True), paths[0], paths[1], stamp, stamp)
    return f"diff -u -N {paths[0]} {paths[1]}\n" + "".join(lines)


def _shown(obj: Json) -> Json:
    metadata = {key: value for key, value in obj["metadata"].items() if key != "managedFields"}
    return {**obj, "metadata": metadata}


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
