"""Why a deployment is not ready, in a sentence for an operator: what its pods, their events and its owner say."""

from __future__ import annotations

import re
from collections.abc import Iterator

from aiops_gym.backends.shape import find_owned_pods
from aiops_gym.catalog.model import App
from aiops_gym.sim.kernel.objects import Obj, get, uid_of
from aiops_gym.sim.kernel.world import World
from aiops_gym.types import Json

NOT_FOUND = re.compile(r'\b(secret|configmap|serviceaccount|persistentvolumeclaim) "([^"]+)" not found')
KINDS = {"secret": "Secret", "configmap": "ConfigMap", "serviceaccount": "service account"}
QUOTA = re.compile(r"exceeded quota: ([^,]+),")


def explain(world: World, app: App, name: str) -> str:
    """Why a deployment that is there is not ready, e.g. "its Secret geo-credentials is missing"; "" if nothing says."""
    deployment = world.store.get("deployments.apps", app.namespace, name)
    return next(_causes(world, app, deployment, name), "") if deployment is not None else ""


def _causes(world: World, app: App, deployment: Obj, name: str) -> Iterator[str]:
    """What may be the cause, the plainest first."""
    if deployment["spec"].get("paused"):
        yield "its rollout is paused"
    for condition in get(deployment, "status", "conditions", default=()):
        if condition["type"] == "ReplicaFailure" and condition["status"] == "True":
            yield _said(condition.get("message", "")) or "its pods are refused"
    pods = [pod for pod in find_owned_pods(world, app, name) if not _ready(pod)]
    for pod in pods:
        yield from _of_pod(world, pod)


def _of_pod(world: World, pod: Obj) -> Iterator[str]:
    for condition in get(pod, "status", "conditions", default=()):
        if condition["type"] == "PodScheduled" and condition["status"] == "False":
            yield f"no node takes its pod ({str(condition.get('message', '')).partition('. ')[0]})"
    for event in world.store.events_of(uid_of(pod)):
        if event.get("reason") == "FailedMount":
            yield _said(event["message"]) or "a volume of it cannot be mounted"
    for status in get(pod, "status", "initContainerStatuses", default=()):
        if "running" in status["state"] and not status["ready"]:
            yield f"its init container {status['name']} does not end"
    statuses = (*get(pod, "status", "initContainerStatuses", default=()), *_statuses(pod))
    for status in statuses:
        waiting = get(status, "state", "waiting", default={})
        if "ImagePull" in waiting.get("reason", "") or waiting.get("reason") == "InvalidImageName":
            yield f"its image {status['image']} cannot be pulled"
        if _said(waiting.get("message", "")):
            yield _said(waiting["message"])
        if waiting.get("reason") == "CrashLoopBackOff":
            yield f"its container {status['name']} keeps ending"
    if any("running" in status["state"] and not status["ready"] for status in _statuses(pod)):
        yield "it runs and does not become ready"


def _statuses(pod: Obj) -> Json:
    return get(pod, "status", "containerStatuses", default=())


def _ready(pod: Obj) -> bool:
    conditions = get(pod, "status", "conditions", default=())
    return any(c["type"] == "Ready" and c["status"] == "True" for c in conditions)


def _said(message: str) -> str:
    """What Kubernetes says of something that is missing or used up, shorter.

    >>> _said('secret "geo-credentials" not found')
    'its Secret geo-credentials is missing'
    >>> _said('pods "geo-1" is forbidden: exceeded quota: team-budget, requested: pods=1, used: pods=9')
    'the quota team-budget has no room for its pods'
    """
    if found := NOT_FOUND.search(message):
        return f"its {KINDS.get(found[1], 'claim')} {found[2]} is missing"
    if found := QUOTA.search(message):
        return f"the quota {found[1]} has no room for its pods"
    return ""
