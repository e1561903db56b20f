"""Effects as objects of Chaos Mesh (API `chaos-mesh.org/v1alpha1` of 2.6), where a cluster has its CRDs.

What an effect of the catalogue means there: `network_delay` and `network_loss` are NetworkChaos, `pod_failure` and
`container_kill` are PodChaos, a `system_call` that fails is IOChaos or KernelChaos. A kill is done once by Chaos Mesh,
so that one that comes again is a Schedule.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from aiops_gym.backends.kubernetes.api import Api
from aiops_gym.backends.kubernetes.deploy import LABEL, OURS
from aiops_gym.catalog.model import App, Effect, Schedule
from aiops_gym.errors import BackendError
from aiops_gym.types import Json

GROUP = "/apis/chaos-mesh.org/v1alpha1"
PLURALS = {f"{kind}Chaos": f"{kind.lower()}chaos" for kind in ("IO", "Kernel", "Network", "Pod")} | {
    "Schedule": "schedules"
}
NAMESPACE = "chaos-mesh"
"""Where the objects lie: out of the agent's reach."""

MISSING = (
    "the cluster cannot express {}: it has no Chaos Mesh. Install it: "
    "helm repo add chaos-mesh https://charts.chaos-mesh.org && helm install chaos-mesh chaos-mesh/chaos-mesh "
    "-n chaos-mesh --create-namespace --version 2.6.2 --set chaosDaemon.runtime=containerd "
    "--set chaosDaemon.socketPath=/run/containerd/containerd.sock"
)


def has_chaos_mesh(api: Api) -> bool:
    """Whether the cluster has its kinds."""
    return api.raw("GET", GROUP).code < 400


def make_object(app: App, effect: Effect, containers: tuple[str, ...] = ()) -> Json:
    """The object that has an effect. Raises BackendError for one that Chaos Mesh does not have."""
    kind, spec = _read(effect, containers)
    spec |= {
        "mode": "one",
        "selector": {"namespaces": [app.namespace], "labelSelectors": app.select(effect.component)},
    }
    if "seconds" in effect.params:
        spec["duration"] = f"{round(float(effect.params['seconds']))}s"
    if effect.kind == "container_kill":
        every = round(float(effect.params.get("every", 60)))
        return _object("Schedule", effect, _schedule(kind, spec, every))
    return _object(kind, effect, spec)


def make_schedule(app: App, change: Schedule) -> Json:
    """The object that has an effect again and again."""
    kind, spec = _read(change.effect, ())
    labels = app.select(change.effect.component)
    spec |= {"mode": "one", "selector": {"namespaces": [app.namespace], "labelSelectors": labels}}
    spec["duration"] = f"{round(change.lasts)}s"
    return _object("Schedule", change.effect, _schedule(kind, spec, round(change.every)))


def _read(effect: Effect, containers: tuple[str, ...]) -> tuple[str, dict[str, Any]]:
    given = effect.params
    if effect.kind == "network_loss":
        loss = {"loss": str(given.get("percent", 100)), "correlation": str(given.get("correlation", 0))}
        return "NetworkChaos", {"action": "loss", "loss": loss}
    if effect.kind == "network_delay":
        delay = {
            "latency": f"{round(float(given['ms']))}ms",
            "jitter": f"{round(float(given.get('jitter', 0)))}ms",
            "correlation": str(given.get("correlation", 0)),
        }
        return "NetworkChaos", {"action": "delay", "delay": delay}
    if effect.kind == "pod_failure":
        return "PodChaos", {"action": "pod-failure"}
    if effect.kind == "container_kill":
        return "PodChaos", {"action": "container-kill", "containerNames": list(given.get("containers") or containers)}
    if effect.kind == "system_call" and given["call"] == "write":
        fault = {"action": "fault", "errno": given["errno"], "percent": 100, "methods": ["WRITE", "FSYNC"]}
        return "IOChaos", {**fault, "volumePath": given["path"]}
    if effect.kind == "system_call":
        calls = [{"funcname": f"__x64_sys_{given['call']}"}]
        return "KernelChaos", {"failKernRequest": {"failtype": 0, "callchain": calls}}
    raise BackendError(f"a real cluster cannot express the effect {effect.kind!r}")


def _schedule(kind: str, spec: Mapping[str, Json], every: int) -> dict[str, Any]:
    inner = {"PodChaos": "podChaos", "NetworkChaos": "networkChaos"}[kind]
    return {
        "schedule": f"@every {every}s",
        "type": kind,
        "historyLimit": 1,
        "concurrencyPolicy": "Forbid",
        inner: dict(spec),
    }


def _object(kind: str, effect: Effect, spec: Mapping[str, Json]) -> Json:
    name = f"{effect.kind}-{effect.component}".replace("_", "-")
    meta = {"name": name, "namespace": NAMESPACE, "labels": {LABEL: OURS}}
    return {"apiVersion": "chaos-mesh.org/v1alpha1", "kind": kind, "metadata": meta, "spec": dict(spec)}


def begin(api: Api, made: Json, what: str) -> None:
    """Create an object. Raises BackendError."""
    answer = api.raw("POST", f"{GROUP}/namespaces/{NAMESPACE}/{PLURALS[made['kind']]}", made)
    if answer.code >= 400:
        raise BackendError(f"{what} was refused: {answer.body.get('message', answer.code)}")


def end_all(api: Api) -> list[str]:
    """Delete every object of ours; their names. Raises BackendError."""
    if not has_chaos_mesh(api):
        return []
    found = []
    for plural in sorted(PLURALS.values(), reverse=True):  # schedules first: they make the others
        answer = api.raw("GET", f"{GROUP}/{plural}?labelSelector={LABEL}%3D{OURS}")
        for each in (answer.body.get("items") or ()) if answer.code < 400 else ():
            meta = each["metadata"]
            api.raw("DELETE", f"{GROUP}/namespaces/{meta['namespace']}/{plural}/{meta['name']}")
            found.append(f"{plural} {meta['name']}")
    return found
