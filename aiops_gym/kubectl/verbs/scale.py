"""`kubectl scale`."""

from __future__ import annotations

from aiops_gym.clients.flags import Flag
from aiops_gym.kubectl import output
from aiops_gym.kubectl.changes import ALL, DRY_RUN, RECORD, make_query, prepare, read_dry_run, report
from aiops_gym.kubectl.client import MERGE
from aiops_gym.kubectl.errors import Failure, Failures, ServerError
from aiops_gym.kubectl.filed import Info
from aiops_gym.kubectl.targets import FILES, SELECTOR, select
from aiops_gym.kubectl.verb import Invocation, Verb
from aiops_gym.kubectl.waiting import wait_until
from aiops_gym.sim.kernel.objects import get
from aiops_gym.types import Request


def run(call: Invocation) -> int | None:
    """Set the number of replicas of one or more workloads."""
    prepare(call)
    call.client.configure()
    flags, replicas = call.flags, call.flags.number("replicas")
    if replicas < 0:
        raise Failure("The --replicas=COUNT flag is required, and COUNT must be greater than or equal to 0")
    if flags.number("current-replicas") < -1:
        raise Failure("The --current-replicas must specify an integer of -1 or greater")
    mode = read_dry_run(call)
    selection = select(
        call,
        call.args,
        empty_selector=flags.on("all"),
    )
    infos, errors = selection.visit()
    if flags.text("resource-version") and len(infos) > 1:
        raise Failure("cannot use --resource-version with multiple resources")
    if not infos:
        why = Failures(errors).errors if errors else []
        texts = list(dict.fromkeys(map(_words, why)))
        told = f"[{', '.join(texts)}]" if len(texts) > 1 else "".join(texts)
        raise Failure(f"no objects passed to scale {told}".rstrip())
    for info in infos:
        if mode != "client":
            _scale(call, info, replicas)
        report(call, info.resource, info.obj, "scaled")
    if errors:
        raise Failures(errors)
    return None


def _words(error: Exception) -> str:
    return error.message if isinstance(error, ServerError) else str(error).removeprefix("error: ")


def _scale(call: Invocation, info: Info, replicas: int) -> None:
    """Patch the scale subresource, after checking what is there where that was asked for."""
    _check(call, info)
    call.client.patch(
        info.resource,
        info.name,
        {"spec": {"replicas": replicas}},
        MERGE,
        info.namespace,
        subresource="scale",
        query=make_query(call, "kubectl"),
    )
    timeout = call.flags.seconds("timeout")
    if timeout and read_dry_run(call) == "none":
        end = wait_until(call.client.cluster, lambda: _ready(call, info, replicas), timeout)
        if end == "timeout":
            raise Failure(f'timed out waiting for "{info.name}" to be synced')


def _check(call: Invocation, info: Info) -> None:
    wanted, version = call.flags.number("current-replicas"), call.flags.text("resource-version")
    if wanted == -1 and not version:
        return
    scale = call.client.send(Request("get", info.resource.name, info.namespace, info.name, "scale"))
    found = get(scale, "spec", "replicas", default=0)
    if wanted not in (-1, found):
        raise Failure(f"Expected replicas to be {wanted}, was {found}")
    if version and version != scale["metadata"].get("resourceVersion"):
        raise Failure(f"Expected resource version to be {version}, was {scale['metadata'].get('resourceVersion')}")


def _ready(call: Invocation, info: Info, replicas: int) -> bool:
    obj = call.client.get(info.resource, info.name, info.namespace)
    return bool(get(obj, "status", "replicas", default=0) == replicas)


verb = Verb(
    "scale",
    run,
    flags=(
        Flag("replicas", "int", help="The new desired number of replicas. Required."),
        Flag("current-replicas", "int", default=-1, help="Precondition for current size."),
        Flag("resource-version", help="Precondition for resource version."),
        Flag("timeout", "duration", help="How long to wait until the new size is reached; zero means don't wait."),
        ALL,
        SELECTOR,
        *FILES,
        DRY_RUN,
        RECORD,
        *output.FLAGS,
    ),
    required=("replicas",),
    usage="scale [--resource-version=version] [--current-replicas=count] --replicas=COUNT (-f FILENAME | TYPE NAME)",
    short="Set a new size for a deployment, replica set, or replication controller",
)
