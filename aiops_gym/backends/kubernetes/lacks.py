"""What a cluster lacks for a live backend, and which command adds it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from aiops_gym.backends.kubernetes import chaos, deploy
from aiops_gym.backends.kubernetes.api import Api, connect
from aiops_gym.backends.kubernetes.clocks import ServedClock, WallClock
from aiops_gym.backends.kubernetes.settings import Settings
from aiops_gym.backends.kubernetes.telemetry import RealTelemetry
from aiops_gym.catalog import registry
from aiops_gym.errors import BackendError
from aiops_gym.types import Request

MAY = (("create", "namespaces", ""), ("create", "clusterroles", "rbac.authorization.k8s.io"), ("create", "pods", ""))
"""What the context's user must be allowed, as verb, resource and group."""

OLDEST = (1, 28)
"""Version of Kubernetes below which nothing was written against; the texts are those of 1.32."""

INSTALL = {
    "prometheus": (
        "helm repo add prometheus-community https://prometheus-community.github.io/helm-charts && "
        "helm install prometheus prometheus-community/prometheus -n observe --create-namespace --version 25.6.0"
    ),
    "jaeger": "nothing to do: the applications bring a Jaeger of their own, which is there once one is deployed",
    "chaos-mesh": chaos.MISSING.partition("Install it: ")[2],
    "storage": "kind and most clusters bring a default StorageClass: kubectl get storageclass",
}


class Finding(NamedTuple):
    """One thing that was looked for: "" in `lacks` where it is there; `needed` for every episode or for some only."""

    name: str
    lacks: str
    needed: bool = True


def look(settings: Settings) -> Iterator[Finding]:
    """Look for all that episodes need. Raises BackendError where the cluster cannot be asked."""
    clock = ServedClock(settings.clock, settings.clock_token) if settings.clock else WallClock()
    api = Api(connect(settings.context, settings.kubeconfig), clock, settings.patience)
    telemetry = RealTelemetry(api, {"prometheus": settings.prometheus, "jaeger": settings.jaeger})
    try:
        yield Finding("server", _find_version(api))
        for verb, resource, group in MAY:
            yield Finding(f"may {verb} {resource}", _may(api, verb, resource, group))
        yield Finding("nodes", "" if _list_ready(api) else "no node is ready: kubectl get nodes")
        classes = api.list("storageclasses.storage.k8s.io")
        yield Finding("storage", "" if classes else INSTALL["storage"])
        yield Finding("room", _find_others(api, settings))
        status, _ = telemetry.ask("prometheus", "/api/v1/query?query=up")
        yield Finding("prometheus", "" if status == 200 else INSTALL["prometheus"], needed=False)
        status, _ = telemetry.ask("jaeger", "/api/services")
        yield Finding("jaeger", "" if status == 200 else INSTALL["jaeger"], needed=False)
        yield Finding("chaos-mesh", "" if chaos.has_chaos_mesh(api) else INSTALL["chaos-mesh"], needed=False)
    finally:
        for each in (api, telemetry, clock):
            each.close()


def _find_version(api: Api) -> str:
    found = api.raw("GET", "/version")
    if found.code >= 400:
        return f"/version answers {found.code}"
    number = tuple(int(str(found.body[key]).rstrip("+")) for key in ("major", "minor"))
    return "" if number >= OLDEST else f"Kubernetes {number[0]}.{number[1]} is too old: create a newer cluster"


def _may(api: Api, verb: str, resource: str, group: str) -> str:
    attributes = {"verb": verb, "resource": resource, "group": group}
    body = {"apiVersion": "authorization.k8s.io/v1", "kind": "SelfSubjectAccessReview"}
    request = Request("create", "selfsubjectaccessreviews.authorization.k8s.io", body={**body, "spec": {}})
    request.body["spec"]["resourceAttributes"] = attributes
    answer = api.send(request)
    allowed = answer.code < 400 and (answer.body.get("status") or {}).get("allowed")
    return "" if allowed else "use a context of the cluster's administrator"


def _list_ready(api: Api) -> list[str]:
    return [
        node["metadata"]["name"]
        for node in api.list("nodes")
        if any(c["type"] == "Ready" and c["status"] == "True" for c in node["status"].get("conditions") or ())
    ]


def _find_others(api: Api, settings: Settings) -> str:
    try:
        for app in registry.apps().values():
            deploy.check_room(api, app, settings.allow_shared)
    except BackendError as error:
        return str(error)
    return ""
