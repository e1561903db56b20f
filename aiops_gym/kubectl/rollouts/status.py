"""Whether a rollout is done, in kubectl's words."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from aiops_gym.kubectl.errors import Failure
from aiops_gym.sim.kernel.digits import integer
from aiops_gym.sim.kernel.objects import get

Object = Mapping[str, Any]
REVISION = "deployment.kubernetes.io/revision"


class Progress(NamedTuple):
    """A sentence, and whether there is nothing more to wait for."""

    text: str
    done: bool


def deployment(obj: Object, revision: int) -> Progress:
    """Progress of a deployment. Raises Failure when it exceeded its deadline or runs another revision."""
    name, spec, status = obj["metadata"]["name"], obj["spec"], obj.get("status") or {}
    if revision > 0:
        text = get(obj, "metadata", "annotations", REVISION, default="0")
        running = integer(text)
        if running is None:
            why = f'strconv.ParseInt: parsing "{text}": invalid syntax'
            raise Failure(f'cannot get the revision of deployment "{name}": {why}')
        if running != revision:
            raise Failure(f"desired revision ({revision}) is different from the running revision ({running})")
    if not _observed(obj):
        return Progress("Waiting for deployment spec update to be observed...\n", False)
    for condition in status.get("conditions") or ():
        if condition["type"] == "Progressing" and condition.get("reason") == "ProgressDeadlineExceeded":
            raise Failure(f'deployment "{name}" exceeded its progress deadline')
    wanted, total = spec.get("replicas", 1), status.get("replicas", 0)
    updated, available = status.get("updatedReplicas", 0), status.get("availableReplicas", 0)
    waiting = f'Waiting for deployment "{name}" rollout to finish:'
    if updated < wanted:
        return Progress(f"{waiting} {updated} out of {wanted} new replicas have been updated...\n", False)
    if total > updated:
        return Progress(f"{waiting} {total - updated} old replicas are pending termination...\n", False)
    if available < updated:
        return Progress(f"{waiting} {available} of {updated} updated replicas are available...\n", False)
    return Progress(f'deployment "{name}" successfully rolled out\n', True)


def daemon_set(obj: Object, revision: int) -> Progress:
    """Progress of a daemon set."""
    name, status = obj["metadata"]["name"], obj.get("status") or {}
    _only_rolling(obj)
    if not _observed(obj):
        return Progress("Waiting for daemon set spec update to be observed...\n", False)
    wanted, updated = status.get("desiredNumberScheduled", 0), status.get("updatedNumberScheduled", 0)
    available, waiting = status.get("numberAvailable", 0), f'Waiting for daemon set "{name}" rollout to finish:'
    if updated < wanted:
        return Progress(f"{waiting} {updated} out of {wanted} new pods have been updated...\n", False)
    if available < wanted:
        return Progress(f"{waiting} {available} of {wanted} updated pods are available...\n", False)
    return Progress(f'daemon set "{name}" successfully rolled out\n', True)


def stateful_set(obj: Object, revision: int) -> Progress:
    """Progress of a stateful set."""
    spec, status = obj["spec"], obj.get("status") or {}
    _only_rolling(obj)
    if not status.get("observedGeneration") or not _observed(obj):
        return Progress("Waiting for statefulset spec update to be observed...\n", False)
    wanted, ready = spec.get("replicas", 1), status.get("readyReplicas", 0)
    updated = status.get("updatedReplicas", 0)
    if ready < wanted:
        return Progress(f"Waiting for {wanted - ready} pods to be ready...\n", False)
    rolling = get(spec, "updateStrategy", "rollingUpdate")
    if rolling is not None:
        due = wanted - rolling.get("partition", 0)
        if updated < due:
            words = (
                f"Waiting for partitioned roll out to finish: {updated} out of {due} new pods have been updated...\n"
            )
            return Progress(words, False)
        return Progress(f"partitioned roll out complete: {updated} new pods have been updated...\n", True)
    if status.get("updateRevision") != status.get("currentRevision"):
        words = f"waiting for statefulset rolling update to complete {updated} pods at revision"
        return Progress(f"{words} {status.get('updateRevision', '')}...\n", False)
    words = f"statefulset rolling update complete {status.get('currentReplicas', 0)} pods at revision"
    return Progress(f"{words} {status.get('currentRevision', '')}...\n", True)


def _only_rolling(obj: Object) -> None:
    if get(obj, "spec", "updateStrategy", "type", default="RollingUpdate") != "RollingUpdate":
        raise Failure("rollout status is only available for RollingUpdate strategy type")


def _observed(obj: Object) -> bool:
    generation, observed = obj["metadata"].get("generation", 0), get(obj, "status", "observedGeneration", default=0)
    return bool(generation <= observed)


VIEWERS: Mapping[str, Callable[[Object, int], Progress]] = {
    "Deployment": deployment,
    "DaemonSet": daemon_set,
    "StatefulSet": stateful_set,
}
