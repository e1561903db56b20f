"""Who the agent is in the cluster: a ServiceAccount made for the episode, and exactly what it may do.

The table below is the documentation's table, and nothing else is granted. Its token ends, and is drawn anew for as long
as the episode lasts.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from aiops_gym.backends.kubernetes.api import Api, check, impersonate
from aiops_gym.backends.kubernetes.deploy import LABEL, OURS
from aiops_gym.catalog.model import App
from aiops_gym.types import Json, Request

NAME = "oncall"
RBAC = "rbac.authorization.k8s.io"
LASTS = 3_600
"""Seconds of a token."""

READ = ("get", "list", "watch")
WRITE = ("create", "delete", "deletecollection", "patch", "update")


class Grant(NamedTuple):
    """One row: which resources of which API group, and what may be done with them."""

    group: str
    resources: tuple[str, ...]
    verbs: tuple[str, ...]
    names: tuple[str, ...] = ()

    @property
    def rule(self) -> Json:
        """As a rule of a role."""
        named = {"resourceNames": list(self.names)} if self.names else {}
        return {"apiGroups": [self.group], "resources": list(self.resources), "verbs": list(self.verbs), **named}


IN_NAMESPACE: tuple[Grant, ...] = (
    Grant(
        "",
        (
            *("pods", "services", "configmaps", "secrets", "endpoints", "persistentvolumeclaims", "serviceaccounts"),
            *("replicationcontrollers", "resourcequotas", "limitranges", "podtemplates"),
        ),
        (*READ, *WRITE),
    ),
    Grant("", ("events",), READ),
    Grant("", ("pods/log", "pods/status", "services/status", "resourcequotas/status"), ("get",)),
    Grant("", ("pods/exec",), ("create", "get")),
    Grant("", ("pods/eviction",), ("create",)),
    Grant("apps", ("deployments", "replicasets", "statefulsets", "daemonsets"), (*READ, *WRITE)),
    Grant("apps", ("controllerrevisions",), READ),
    Grant("apps", ("deployments/scale", "replicasets/scale", "statefulsets/scale"), ("get", "patch", "update")),
    Grant("batch", ("jobs", "cronjobs"), (*READ, *WRITE)),
    Grant("autoscaling", ("horizontalpodautoscalers",), (*READ, *WRITE)),
    Grant("networking.k8s.io", ("networkpolicies", "ingresses"), (*READ, *WRITE)),
    Grant("policy", ("poddisruptionbudgets",), (*READ, *WRITE)),
    Grant("discovery.k8s.io", ("endpointslices",), READ),
    Grant("events.k8s.io", ("events",), READ),
    Grant("metrics.k8s.io", ("pods",), READ),
    Grant(RBAC, ("roles", "rolebindings"), READ),
)
"""In the application's namespace."""

EVERYWHERE: tuple[Grant, ...] = (
    Grant("", ("nodes", "namespaces", "persistentvolumes"), READ),
    Grant("", ("pods", "services", "endpoints", "events"), READ),
    Grant("apps", ("deployments", "replicasets", "statefulsets", "daemonsets"), READ),
    Grant("storage.k8s.io", ("storageclasses",), READ),
    Grant("scheduling.k8s.io", ("priorityclasses",), READ),
    Grant("events.k8s.io", ("events",), READ),
    Grant("metrics.k8s.io", ("nodes", "pods"), READ),
)
"""In the whole cluster."""

ON_OWN = ("delete", "patch", "update")
"""What may be done with objects of the cluster that the application brings, by their names."""


def list_grants(app: App) -> tuple[tuple[Grant, ...], tuple[Grant, ...]]:
    """What the account may do in the app's namespace, and in the cluster."""
    volumes = tuple(m["metadata"]["name"] for m in app.manifests if m["kind"] == "PersistentVolume")
    own = (Grant("", ("persistentvolumes",), ON_OWN, volumes),) if volumes else ()
    return IN_NAMESPACE, (*EVERYWHERE, *own)


def introduce(api: Api, app: App) -> Callable[[], Any]:
    """Make the account and its roles; what makes a client for it. Raises BackendError."""
    inside, everywhere = list_grants(app)
    space, wide = app.namespace, f"{OURS}-{NAME}-{app.namespace}"
    subject = [{"kind": "ServiceAccount", "name": NAME, "namespace": space}]
    for kind, version, name, body in (
        ("ServiceAccount", "v1", NAME, {}),
        ("Role", f"{RBAC}/v1", NAME, {"rules": [each.rule for each in inside]}),
        ("RoleBinding", f"{RBAC}/v1", NAME, {"subjects": subject, "roleRef": _refer("Role", NAME)}),
        ("ClusterRole", f"{RBAC}/v1", wide, {"rules": [each.rule for each in everywhere]}),
        ("ClusterRoleBinding", f"{RBAC}/v1", wide, {"subjects": subject, "roleRef": _refer("ClusterRole", wide)}),
    ):
        meta = {"name": name, "labels": {LABEL: OURS}, **({} if kind.startswith("Cluster") else {"namespace": space})}
        api.apply({"apiVersion": version, "kind": kind, "metadata": meta, **body})
    return impersonate(api, lambda: _draw_token(api, space))


def _refer(kind: str, name: str) -> Mapping[str, Json]:
    return {"apiGroup": RBAC, "kind": kind, "name": name}


def _draw_token(api: Api, namespace: str) -> str:
    body = {
        "apiVersion": "authentication.k8s.io/v1",
        "kind": "TokenRequest",
        "spec": {"expirationSeconds": LASTS},
    }
    answer = api.send(Request("create", "serviceaccounts", namespace, NAME, "token", body))
    return str(check(answer, "a token for the agent")["status"]["token"])
