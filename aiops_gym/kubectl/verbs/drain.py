"""`kubectl drain`."""

from __future__ import annotations

from collections.abc import Sequence

from aiops_gym.clients.flags import Flag
from aiops_gym.kubectl.changes import DRY_RUN, SUFFIX, read_dry_run, report
from aiops_gym.kubectl.client import find_resource
from aiops_gym.kubectl.errors import Failures, KubectlError
from aiops_gym.kubectl.filed import Info
from aiops_gym.kubectl.targets import SELECTOR
from aiops_gym.kubectl.verb import Invocation, Verb
from aiops_gym.kubectl.verbs.cordon import mark, select_nodes
from aiops_gym.sim.kernel.objects import controller_of, get
from aiops_gym.types import Json, Request

MIRROR = "kubernetes.io/config.mirror"
PATIENCE = 5.0
"""Seconds between two tries to evict a pod that a disruption budget protects."""

LATE = "context deadline exceeded"
STEP = 1.0
"""Seconds between two looks whether pods are gone."""


def run(call: Invocation) -> int | None:
    """Close nodes and move their pods away."""
    infos = select_nodes(call)
    for info in infos:
        mark(call, info, True)
    failed: dict[str, _Undrained] = {}
    for info in infos:
        try:
            if not _drain(call, info):
                return None
        except _Undrained as error:
            failed[info.name] = error
            call.warn(f'error: unable to drain node "{info.name}" due to error: {error.inner}, continuing command...')
            continue
        report(call, info.resource, info.obj, "drained")
    if failed:
        call.warn("There are pending nodes to be drained:\n" + "\n".join(f" {name}" for name in failed))
        raise next(iter(failed.values())) if len(failed) == 1 else Failures([*failed.values()])
    return None


class _Undrained(KubectlError):
    """What went wrong with a node: one thing a line where the node is alone, all of it in brackets among others."""

    def __init__(self, texts: Sequence[str]) -> None:
        super().__init__(f"error: {LATE}" if texts == [LATE] else "".join(f"{text}\n" for text in texts))
        self.texts = texts

    @property
    def inner(self) -> str:
        return f"[{', '.join(self.texts)}]" if len(self.texts) > 1 else self.texts[0]


def _drain(call: Invocation, node: Info) -> bool:
    """Move away the pods of one node; False when the action's own time is used up. Raises _Undrained."""
    wanted, warnings, refused = _sorted_out(call, node)
    if refused:
        raise _Undrained([f"{why}: {', '.join(names)}" for why, names in refused.items()])
    if warnings:
        call.warn("Warning: " + "; ".join(f"{why}: {', '.join(names)}" for why, names in warnings.items()))
    if read_dry_run(call) == "client":
        for pod in wanted:
            call.say(f"evicting pod {_whole(pod)}{SUFFIX['client']}")
        return True
    moving = _Moving(call, wanted)
    going_on = moving.run()
    if going_on and moving.errors:
        error = _Undrained(moving.errors)
        if left := _sorted_out(call, node)[0]:
            call.warn(f'There are pending pods in node "{node.name}" when an error occurred: {error.inner}')
            for pod in left:
                call.warn(f"pod/{pod['metadata']['name']}")
        raise error
    return going_on


def _whole(pod: Json) -> str:
    return f"{pod['metadata']['namespace']}/{pod['metadata']['name']}"


class _Moving:
    """Pods on their way out, all at once: each is evicted, again and again where that is refused, and then awaited."""

    def __init__(self, call: Invocation, pods: Sequence[Json]) -> None:
        self.call, self.errors = call, list[str]()
        self.plainly = call.flags.on("disable-eviction")
        self.cluster = call.client.cluster
        timeout = call.flags.seconds("timeout")
        self.end = self.cluster.now() + timeout if timeout else float("inf")
        self.due = [(self.cluster.now(), pod) for pod in pods]
        self.leaving: list[Json] = []

    def run(self) -> bool:
        """Until none is left; False when the action's own time is used up."""
        while True:
            due, self.due = self.due, []
            for time, pod in due:
                if time > self.cluster.now():
                    self.due.append((time, pod))
                else:
                    self._evict(pod)
            if read_dry_run(self.call) != "none":
                return True
            self.leaving = [pod for pod in self.leaving if not self._gone(pod)]
            if not self.due and not self.leaving:
                return True
            if not self.cluster.wait(STEP):
                return False

    def _evict(self, pod: Json) -> None:
        """Ask for the eviction of a pod; a disruption budget may forbid it for now."""
        call, place = self.call, (pod["metadata"]["namespace"], pod["metadata"]["name"])
        which = f'pods/"{place[1]}" -n "{place[0]}"'
        if not self.plainly:
            call.say(f"evicting pod {_whole(pod)}{SUFFIX[read_dry_run(call)]}")
        if self.cluster.now() >= self.end:
            timeout = call.flags.seconds("timeout")
            self.errors.append(f"error when evicting {which}: global timeout reached: {timeout:g}s")
            return
        answer = self.cluster.handle(_request(call, place))
        if answer.code < 400:
            self.leaving.append(pod)
        elif answer.code == 429:
            message = answer.body["message"]
            call.warn(f"error when evicting {which} (will retry after 5s): {message}")
            self.due.append((self.cluster.now() + PATIENCE, pod))
        elif answer.code != 404:
            self.errors.append(f"error when evicting {which}: {answer.body['message']}")

    def _gone(self, pod: Json) -> bool:
        """Whether a pod is gone, or is waited for no longer."""
        call, meta = self.call, pod["metadata"]
        answer = self.cluster.handle(Request("get", "pods", meta["namespace"], meta["name"]))
        if answer.code >= 400 or answer.body["metadata"]["uid"] != meta["uid"]:
            call.say(f"pod/{meta['name']} {'deleted' if self.plainly else 'evicted'}")
            return True
        if self.cluster.now() < self.end:
            return False
        which = f'pod "{meta["name"]}" in namespace "{meta["namespace"]}"'
        if not self.plainly:
            self.errors.append(f"error when waiting for {which} to terminate: {LATE}")
        elif not self.errors:  # all are waited for as one
            self.errors.append(LATE)
        return True


def _request(call: Invocation, place: tuple[str, str]) -> Request:
    """The eviction of a pod, or its deletion with --disable-eviction."""
    grace = call.flags.number("grace-period")
    options: dict[str, Json] = {"gracePeriodSeconds": grace} if grace >= 0 else {}
    if read_dry_run(call) == "server":
        options["dryRun"] = ["All"]
    if call.flags.on("disable-eviction"):
        return Request("delete", "pods", *place, body=options)
    body = {
        "apiVersion": "policy/v1",
        "kind": "Eviction",
        "metadata": {"name": place[1], "namespace": place[0]},
        "deleteOptions": options,
    }
    return Request("create", "pods", *place, "eviction", body)


def _sorted_out(call: Invocation, node: Info) -> tuple[list[Json], dict[str, list[str]], dict[str, list[str]]]:
    """The pods of a node to move, what is worth a warning, and what forbids to go on."""
    chosen, here = call.flags.text("pod-selector"), f"spec.nodeName={node.name}"
    pods = call.client.list(find_resource("pods"), "", chosen, here)["items"]
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
