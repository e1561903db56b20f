"""Bringing the application into a cluster, and taking all that is ours out of it again.

What is ours bears a label. It is looked for at each start, so that a process that was killed leaves nothing behind for
long; nothing without the label is ever deleted.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from aiops_gym.backends.baseline import is_rolled_out
from aiops_gym.backends.kubernetes import picture
from aiops_gym.backends.kubernetes.api import MERGE, Api, check, find_resource
from aiops_gym.backends.kubernetes.clocks import until
from aiops_gym.backends.kubernetes.cluster import RealCluster
from aiops_gym.backends.releases import install_on, is_released
from aiops_gym.catalog.model import App, Manifest
from aiops_gym.errors import BackendError
from aiops_gym.sim.kube_api.resources import RESOURCES
from aiops_gym.types import Json, Request

LABEL, OURS = "app.kubernetes.io/part-of", "aiops-gym"
SELECTOR = f"{LABEL}={OURS}"

SYSTEM = {
    *("kube-system", "kube-public", "kube-node-lease", "local-path-storage", "chaos-mesh", "openebs", "observe"),
    *("monitoring", "observability", "prometheus", "jaeger", "cert-manager", "ingress-nginx", "metallb-system"),
}
"""Namespaces of a cluster's own equipment: what runs there makes no neighbours."""

OF_CLUSTER = (
    "persistentvolumes",
    "clusterrolebindings.rbac.authorization.k8s.io",
    "clusterroles.rbac.authorization.k8s.io",
)
"""What of ours lies in no namespace, in the order in which it is taken away."""

STUCK = 180.0
"""Seconds after which a namespace that is being deleted is asked what holds it."""

STEADY = 60.0
"""Seconds for which all deployments must have been ready."""


def list_neighbours(api: Api, app: App) -> list[str]:
    """Pods of others, as `namespace/name`: those that are neither the cluster's own nor ours."""
    ours = {each["metadata"]["name"] for each in api.list("namespaces", labels=SELECTOR)}
    pods = (each["metadata"] for each in api.list("pods"))
    return sorted(f"{m['namespace']}/{m['name']}" for m in pods if m["namespace"] not in SYSTEM | ours)


def check_room(api: Api, app: App, allow_shared: bool) -> None:
    """Refuse a cluster that is somebody's. Raises BackendError."""
    if not allow_shared and (found := list_neighbours(api, app)):
        names = ", ".join(found[:3]) + (f" and {len(found) - 3} more" if len(found) > 3 else "")
        raise BackendError(
            f"workloads of others run in this cluster ({names}): give cluster={{'allow_shared': True}} if they may be "
            "beside an experiment that breaks things"
        )
    for manifest in app.manifests:
        resource = find_resource(manifest)
        if resource.namespaced:
            continue
        name = manifest["metadata"]["name"]
        old = api.get(resource.name, "", name)
        if old is not None and (old["metadata"].get("labels") or {}).get(LABEL) != OURS:
            raise BackendError(f"{resource.kind.lower()} {name} is there already and is not ours: it is left alone")


def clean_up(api: Api) -> list[str]:
    """Delete what bears our label, whoever left it, and wait until it is gone; what it was. Raises BackendError."""
    spaces = [each["metadata"]["name"] for each in api.list("namespaces", labels=SELECTOR)]
    for name in spaces:
        api.delete("namespaces", "", name)
    for name in spaces:
        _await_end(api, name)
    found = [f"namespace {name}" for name in spaces]
    for resource in OF_CLUSTER:
        for each in api.list(resource, labels=SELECTOR):
            api.delete(resource, "", each["metadata"]["name"])
            found.append(f"{resource.partition('.')[0]} {each['metadata']['name']}")
    gone = until(api.clock, lambda: not any(api.list(each, labels=SELECTOR) for each in OF_CLUSTER), STUCK)
    if not gone:
        raise BackendError(f"objects with the label {SELECTOR} are still there {STUCK:g} s after they were deleted")
    return found


def _await_end(api: Api, name: str) -> None:
    """Wait for a namespace to go; where it is stuck its conditions say why. Raises BackendError."""
    if until(api.clock, lambda: api.get("namespaces", "", name) is None, STUCK):
        return
    stuck = api.get("namespaces", "", name)
    if stuck is None:
        return
    told = [c for c in stuck.get("status", {}).get("conditions") or () if c.get("status") == "True"]
    why = "; ".join(str(c.get("message", c["type"])) for c in told)
    held = (stuck.get("spec") or {}).get("finalizers") or []
    raise BackendError(
        f"the namespace {name} is stuck in Terminating: {why or 'nothing is told'} (finalizers: {', '.join(held)}). "
        f"Remove what holds it, and start again: nothing else of ours is left"
    )


def deploy(api: Api, app: App, ready: float) -> None:
    """Apply the application and wait until it has been ready for a minute. Raises BackendError."""
    for manifest in app.manifests:
        if not is_released(app, manifest):
            api.apply(label(manifest), app.namespace)
    install_on(RealCluster(api), app)
    since = api.clock.now()

    def steady() -> bool:
        nonlocal since
        if not is_ready(api, app):
            since = api.clock.now()
        return api.clock.now() - since >= STEADY

    if not until(api.clock, steady, ready, 10.0):
        raise BackendError(f"{app.title} is not ready after {ready:g} s: {', '.join(list_unready(api, app))}")


def is_ready(api: Api, app: App) -> bool:
    """Whether each component has its pods, ready."""
    return not list_unready(api, app)


def list_unready(api: Api, app: App) -> list[str]:
    """Components whose pods are not all there and ready."""
    world = picture.take(api, app, only=("deployments.apps",))
    return [name for name in app.components if not is_rolled_out(world, app, (name,))]


def label(manifest: Manifest) -> dict[str, Any]:
    """A manifest; what lies in no namespace bears our label."""
    if find_resource(manifest).namespaced:
        return dict(manifest)
    meta = manifest["metadata"]
    return {**manifest, "metadata": {**meta, "labels": {**(meta.get("labels") or {}), LABEL: OURS}}}


def redeploy(api: Api, app: App, ready: float) -> None:
    """Delete the namespace and apply the application again; volumes of the cluster stay. Raises BackendError."""
    api.delete("namespaces", "", app.namespace)
    _await_end(api, app.namespace)
    for manifest in app.manifests:
        if not is_released(app, manifest):
            api.apply(label(manifest), app.namespace)
    install_on(RealCluster(api), app)
    api.clock.wait(min(30.0, ready))


def own(api: Api, resource: str, namespace: str, name: str) -> None:
    """Put our label on an object. Raises BackendError."""
    body: Json = {"metadata": {"labels": {LABEL: OURS}}}
    place = namespace if RESOURCES[resource].namespaced else ""
    check(api.send(Request("patch", resource, place, name, body=body, content_type=MERGE)), f"label {name}")


def list_others(world: Any, app: App) -> Iterator[tuple[str, str, Mapping[str, Json]]]:
    """(resource, key, what it says) of all that is not ours in a picture: what neighbours must find as it was."""
    for resource in picture.SEEN:
        if resource in ("pods", "endpoints", "endpointslices.discovery.k8s.io", "nodes"):
            continue  # what the cluster itself writes all the time
        for key, obj in world.tables.get(f"objects/{resource}", {}).items():
            space = key.partition("/")[0]
            mine = space == app.namespace or (obj["metadata"].get("labels") or {}).get(LABEL) == OURS
            if not mine and obj["metadata"]["name"] != app.namespace:
                yield resource, key, {k: v for k, v in obj.items() if k not in ("metadata", "status")}
