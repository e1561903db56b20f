"""`kubectl drain`."""

from __future__ import annotations

from collections.abc import Sequence

from aiops_gym.clients.flags import Flag
from aiops_gym.kubectl.changes import DRY_RUN, SUFFIX, read_dry_run, report
from aiops_gym.kubectl.client import find_resource
from aiops_gym.kubectl.errors import Failure, Failures, KubectlError
from aiops_gym.kubectl.targets import SELECTOR, Info
from aiops_gym.kubectl.verb import Invocation, Verb
from aiops_gym.kubectl.verbs.cordon import mark, select_nodes
from aiops_gym.kubectl.waiting import wait_until
from aiops_gym.sim.kernel.objects import controller_of, get
from aiops_gym.types import Json, Request

MIRROR = "kubernetes.io/config.mirror"
PATIENCE = 5.0
"""Seconds between two tries to evict a pod that a disruption budget protects."""


def run(call: Invocation) -> int | None:
    """Close nodes and move their pods away."""
    infos = select_nodes(call)
    for info in infos:
        mark(call, info, True)
    failed: list[KubectlError] = []
    for number, info in enumerate(infos):
        try:
            if not _drain(call, info):
                return None
        except (Failure, Failures) as error:
            several = error.errors if isinstance(error, Failures) else [error]
            failed += several
            left = infos[number:]
            text = ", ".join(one.inner for one in several)
            text = f"[{text}]" if len(several) > 1 else text
            call.warn(f'error: unable to drain node "{info.name}" due to error: {text}, continuing command...')
            call.warn("There are pending nodes to be drained:\n" + "\n".join(f" {node.name}" for node in left))
            continue
        report(call, info.resource, info.obj, "drained")
    if len(failed) == 1 and failed[0].inner.startswith("cannot delete "):
        raise KubectlError(failed[0].inner)  # one reason is told as several are
    if failed:
        raise Failures(failed)
    return None


def _drain(call: Invocation, node: Info) -> bool:
    """Move away the pods of one node; False when the time is used up. Raises Failure."""
    found = call.client.list(find_resource("pods"), "", call.flags.text("pod-selector"), f"spec.nodeName={node.name}")[
        "items"
    ]
    wanted, warnings, refused = _sorted_out(call, found)
    if refused:
        raise Failures([Failure(f"{why}: {', '.join(names)}") for why, names in refused.items()])
    if warnings:
        call.warn("Warning: " + "; ".join(f"{why}: {', '.join(names)}" for why, names in warnings.items()))
    mode = read_dry_run(call)
    for pod in wanted:
        meta = pod["metadata"]
        if mode == "client":
            call.say(f"evicting pod {meta['namespace']}/{meta['name']}{SUFFIX[mode]}")
        else:
            call.say(f"evicting pod {meta['namespace']}/{meta['name']}")
            if not _evict(call, pod):
                return False
    return mode != "none" or _await(call, wanted)


def _sorted_out(
    call: Invocation, pods: Sequence[Json]
) -> tuple[list[Json], dict[str, list[str]], dict[str, list[str]]]:
    """Pods to move, what is worth a warning, and what forbids to go on."""
    flags, wanted = call.flags, []
    warnings: dict[str, list[str]] = {}
    refused: dict[str, list[str]] = {}
    for pod in pods:
        meta = pod["metadata"]
        name, owner = f"{meta['namespace']}/{meta['name']}", controller_of(pod)
        if MIRROR in (meta.get("annotations") or {}):
            continue
        ended = get(pod, "status", "phase") in ("Succeeded", "Failed")
        if owner and owner["kind"] == "DaemonSet":
            if flags.on("ignore-daemonsets"):
                warnings.setdefault("ignoring DaemonSet-managed Pods", []).append(name)
            else:
                why = "cannot delete DaemonSet-managed Pods (use --ignore-daemonsets to ignore)"
                refused.setdefault(why, []).append(name)
            continue
        if not owner and not ended:
            if not flags.on("force"):
                why = "cannot delete cannot delete Pods that declare no controller (use --force to override)"
                refused.setdefault(why, []).append(name)
                continue
            warnings.setdefault("deleting Pods that declare no controller", []).append(name)
        local = any("emptyDir" in volume for volume in get(pod, "spec", "volumes", default=()))
        if local and not ended and not flags.on("delete-emptydir-data"):
            why = "cannot delete Pods with local storage (use --delete-emptydir-data to override)"
            refused.setdefault(why, []).append(name)
            continue
        wanted.append(pod)
    return wanted, warnings, refused


def _evict(call: Invocation, pod: Json) -> bool:
    """Evict a pod; tries again while a disruption budget forbids it. False when the time is used up."""
    meta, grace = pod["metadata"], call.flags.number("grace-period")
    options = {"gracePeriodSeconds": grace} if grace >= 0 else {}
    body = {
        "apiVersion": "policy/v1",
        "kind": "Eviction",
        "metadata": {"name": meta["name"], "namespace": meta["namespace"]},
        "deleteOptions": options,
    }
    place = (meta["namespace"], meta["name"])
    while True:
        if call.flags.on("disable-eviction"):
            answer = call.client.cluster.handle(Request("delete", "pods", *place, body=options))
        else:
            answer = call.client.cluster.handle(Request("create", "pods", *place, "eviction", body))
        if answer.code < 400 or answer.code == 404:
            return True
        if answer.code != 429:
            raise Failure(
                f"error when evicting pods/{place[1]!r} -n {place[0]!r}: {answer.body['message']}".replace("'", '"')
            )
        message = answer.body["message"]
        call.warn(f'error when evicting pods/"{place[1]}" -n "{place[0]}" (will retry after 5s): {message}')
        if not call.client.cluster.wait(PATIENCE):
            return False


def _await(call: Invocation, pods: Sequence[Json]) -> bool:
    """Wait until the pods are gone; False when the time is used up. Raises Failure."""
    waited = call.flags.seconds("timeout")
    for pod in pods:
        meta = pod["metadata"]

        def gone(meta: Json = meta) -> bool:
            answer = call.client.cluster.handle(Request("get", "pods", meta["namespace"], meta["name"]))
            return answer.code >= 400 or answer.body["metadata"]["uid"] != meta["uid"]

        end = wait_until(call.client.cluster, gone, waited)
        if end == "stopped":
            return False
        if end == "timeout":
            raise Failure("drain did not complete within " + f"{waited:g}s")
        call.say(f"pod/{meta['name']} {'deleted' if call.flags.on('disable-eviction') else 'evicted'}")
    return True


verb = Verb(
    "drain",
    run,
    flags=(
        Flag("force", "bool", help="Continue even if there are pods that do not declare a controller."),
        Flag("ignore-daemonsets", "bool", help="Ignore DaemonSet-managed pods."),
        Flag("delete-emptydir-data", "bool", help="Continue even if there are pods using emptyDir."),
        Flag("grace-period", "int", default=-1, help="Period of time in seconds given to each pod to terminate."),
        Flag("timeout", "duration", help="The length of time to wait before giving up, zero means infinite"),
        Flag("pod-selector", help="Label selector to filter pods on the node"),
        Flag("disable-eviction", "bool", help="Force drain to use delete, even if eviction is supported."),
        Flag("skip-wait-for-delete-timeout", "int", help="Seconds after which a deletion is no longer waited for."),
        Flag("chunk-size", "int", default=500, help="Return large lists in chunks rather than all at once."),
        SELECTOR,
        DRY_RUN,
    ),
    usage="drain NODE",
    short="Drain node in preparation for maintenance",
)
