"""The pods of a Job: what each has come to, which one to make next, and how long to wait after failures."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import islice
from typing import Any

from aiops_gym.sim.kernel.digits import parse_natural
from aiops_gym.sim.kernel.objects import Obj, controller_of, get, labels_of, name_of, namespace_of, uid_of
from aiops_gym.sim.kernel.times import SECOND, millis
from aiops_gym.sim.kernel.world import World
from aiops_gym.sim.kube_control import pods as pods_of
from aiops_gym.sim.kube_control.workloads import pod_control
from aiops_gym.sim.kube_control.writes import find_condition, remove_finalizer

TRACKING = "batch.kubernetes.io/job-tracking"
INDEX = "batch.kubernetes.io/job-completion-index"
FIRST_RETRY = 10 * SECOND
MOST_INDEXES = 100_000
"""Indexes of one Job that are kept count of; a real server takes no Job that runs more at a time."""

LONGEST_RETRY = 600 * SECOND


def is_counted(pod: Obj) -> bool:
    """Whether the pod's end is in the Job's counts already."""
    return TRACKING not in pod["metadata"].get("finalizers", ())


def is_indexed(job: Obj) -> bool:
    """Whether each pod has a number of its own to complete."""
    return bool(get(job, "spec", "completionMode") == "Indexed")


def index_of(pod: Obj) -> int:
    """The number that a pod of an indexed Job is for, -1 where it has none."""
    text = str(get(pod, "metadata", "annotations", INDEX, default=""))
    number = parse_natural(text)
    return -1 if number is None else number


def has_succeeded(pod: Obj) -> bool:
    """Whether the pod ended well."""
    return pods_of.phase(pod) == "Succeeded"


def replaces_failed_only(job: Obj) -> bool:
    """Whether a pod that is being deleted is replaced only when it has come to its end."""
    spec = job["spec"]
    return spec.get("podReplacementPolicy") == "Failed" or spec.get("podFailurePolicy") is not None


def has_failed(job: Obj, pod: Obj) -> bool:
    """Whether the pod counts as failed: one that is being deleted does at once, unless only the failed are replaced."""
    if pods_of.phase(pod) == "Failed":
        return True
    return pods_of.is_terminating(pod) and not has_succeeded(pod) and not replaces_failed_only(job)


def find_end(pod: Obj) -> int:
    """When (ms) the pod ended: with its last container, or else when it was not ready any more, or was deleted."""
    meta, statuses = pod["metadata"], get(pod, "status", "containerStatuses", default=())
    times = [get(status, "state", "terminated", "finishedAt") for status in statuses]
    if times and all(times):
        return max(millis(time) for time in times)
    ready = find_condition(get(pod, "status", "conditions", default=()), "Ready")
    if ready is not None and ready["status"] == "False" and ready.get("lastTransitionTime"):
        return millis(ready["lastTransitionTime"])
    if pods_of.is_terminating(pod):
        return millis(meta["deletionTimestamp"]) - int(meta.get("deletionGracePeriodSeconds") or 0) * SECOND
    return millis(meta["creationTimestamp"])


def compute_back_off(failures: int) -> int:
    """Milliseconds to wait after the last of so many failures in a row.

    >>> [compute_back_off(n) // 1000 for n in (0, 1, 2, 3, 9)]
    [0, 10, 20, 40, 600]
    """
    return min(FIRST_RETRY << min(failures - 1, 10), LONGEST_RETRY) if failures else 0


def count_restarts(pods: Iterable[Obj]) -> int:
    """How often containers of these pods were restarted, for Jobs whose pods restart in place."""
    total = 0
    for pod in pods:
        for kind in ("initContainerStatuses", "containerStatuses"):
            total += sum(int(s.get("restartCount", 0)) for s in get(pod, "status", kind, default=()))
    return total


def release(world: World, job: Obj | None, key: str) -> None:
    """Let go of a Job's pods: all of them when the Job goes, else those that have ended or are going."""
    namespace, _, name = key.partition("/")
    for pod in world.store.all("pods", namespace):
        owner = controller_of(pod)
        if owner is None or (owner["kind"], owner["name"]) != ("Job", name) or is_counted(pod):
            continue
        if job is None or uid_of(job) != owner["uid"] or pods_of.is_terminating(job) or not pods_of.is_active(pod):
            remove_finalizer(world, "pods", pod, TRACKING)


def build(job: Obj, index: int, notes: Mapping[str, str]) -> dict[str, Any]:
    """A pod of the Job.

    Args:
        index: that it is for, -1 unless the Job is indexed.
        notes: further annotations.
    """
    labels = {"controller-uid": uid_of(job), "job-name": name_of(job)}
    labels |= {f"batch.kubernetes.io/{k}": v for k, v in labels.items()}
    if index >= 0:
        labels[INDEX] = str(index)
    pod = pod_control.build_pod(job, job["spec"]["template"], labels)
    pod["metadata"]["finalizers"] = [TRACKING]
    if index < 0:
        return pod
    meta, spec = pod["metadata"], pod["spec"]
    meta["annotations"] = {**meta.get("annotations", {}), INDEX: str(index), **notes}
    meta["generateName"] = f"{name_of(job)}-{index}-"
    spec["hostname"] = f"{name_of(job)}-{index}"
    for kind in ("initContainers", "containers"):
        if spec.get(kind):
            spec[kind] = [_told(container) for container in spec[kind]]
    return pod


def _told(container: Mapping[str, Any]) -> dict[str, Any]:
    """The container with its index in its environment."""
    env = list(container.get("env") or ())
    if all(entry["name"] != "JOB_COMPLETION_INDEX" for entry in env):
        field = {"apiVersion": "v1", "fieldPath": f"metadata.labels['{INDEX}']"}
        env.append({"name": "JOB_COMPLETION_INDEX", "valueFrom": {"fieldRef": field}})
    return {**container, "env": env}


def format_ranges(numbers: Iterable[int]) -> str:
    """Numbers as `status.completedIndexes` has them.

    >>> format_ranges([0, 1, 2, 5, 7, 8])
    '0-2,5,7,8'
    """
    runs: list[list[int]] = []
    for number in sorted(set(numbers)):
        if runs and runs[-1][-1] == number - 1:
            runs[-1].append(number)
        else:
            runs.append([number])
    words = [f"{run[0]}-{run[-1]}" if len(run) > 2 else ",".join(map(str, run)) for run in runs]
    return ",".join(words)


def parse_numbers(text: str, below: int) -> list[int]:
    """The numbers below a limit that `format_ranges` wrote down, the first so many of them.

    >>> parse_numbers("0-2,5,8", 7)
    [0, 1, 2, 5]
    """
    return list(
        islice((number for span in parse_ranges(text) for number in span[: max(0, below - span.start)]), MOST_INDEXES)
    )


def parse_ranges(text: str) -> list[range]:
    """The runs of numbers that `format_ranges` wrote down; what is none is left out, as the real controller does.

    >>> parse_ranges("0-2,5,x")
    [range(0, 3), range(5, 6)]
    """
    parts = (part.partition("-") for part in text.split(","))
    ends = ((parse_natural(first), parse_natural(last or first)) for first, _, last in parts)
    return [range(first, last + 1) for first, last in ends if first is not None and last is not None]


def find_pods(world: World, job: Obj) -> list[Obj]:
    """All pods of the Job, in the order of their creation."""
    pods = [
        pod for pod in pods_of.claim_pods(world, job) if labels_of(pod).get("job-name", name_of(job)) == name_of(job)
    ]
    return sorted(pods, key=lambda pod: (pod["metadata"]["creationTimestamp"], namespace_of(pod), name_of(pod)))
