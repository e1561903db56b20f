"""What else the API server writes for itself: ranks of pods, its own parts, what others need to trust it."""

from __future__ import annotations

from collections.abc import Iterator

from aiops_gym.types import Json

RANKS = {
    "system-cluster-critical": (2_000_000_000, "Used for system critical pods that must run in the cluster, but can be "
                                               "moved to another node if necessary."),
    "system-node-critical": (2_000_001_000, "Used for system critical pods that must not be moved from their current "
                                            "node."),
}  # fmt: skip
"""Classes of priority, their values, and what they say of themselves."""

PARTS = """
v1/ 18000 1, v1/apps 17800 15, v1/events.k8s.io 17750 15, v1/authentication.k8s.io 17700 15,
v1/authorization.k8s.io 17600 15, v1/autoscaling 17500 15, v2/autoscaling 17500 30, v1/batch 17400 15,
v1/certificates.k8s.io 17300 15, v1/networking.k8s.io 17200 15, v1/policy 17100 15,
v1/rbac.authorization.k8s.io 17000 15, v1/storage.k8s.io 16800 15, v1/apiextensions.k8s.io 16700 15,
v1/admissionregistration.k8s.io 16700 15, v1/scheduling.k8s.io 16600 15, v1/coordination.k8s.io 16500 15,
v1/node.k8s.io 16300 15, v1/discovery.k8s.io 16200 15, v1/flowcontrol.apiserver.k8s.io 16100 21
"""
"""Versions and groups of the API that the server answers for itself, and their priorities in discovery."""

TRUSTED = "extension-apiserver-authentication"
TRACKED = "kube-apiserver-legacy-service-account-token-tracking"


def list_all(certificate: str, today: str) -> Iterator[Json]:
    """All of it; `today` is the day on which the server begins to note who uses lasting tokens."""
    for name, (value, words) in RANKS.items():
        meta = {"name": name}
        yield {"apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass", "metadata": meta, "description": words,
               "value": value}  # fmt: skip
    for row in PARTS.replace("\n", " ").split(","):
        yield _part(*row.split())
    yield _config(TRUSTED, _list_trusted(certificate))
    yield _config(TRACKED, {"since": today})


def _part(name: str, group_priority: str, version_priority: str) -> Json:
    version, _, group = name.partition("/")
    spec: Json = {"groupPriorityMinimum": int(group_priority), "version": version}
    spec |= {"versionPriority": int(version_priority), **({"group": group} if group else {})}
    meta = {"name": f"{version}.{group}", "labels": {"kube-aggregator.kubernetes.io/automanaged": "onstart"}}
    return {"apiVersion": "apiregistration.k8s.io/v1", "kind": "APIService", "metadata": meta, "spec": spec}


def _config(name: str, data: Json) -> Json:
    meta = {"name": name, "namespace": "kube-system"}
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": meta, "data": data}


def _list_trusted(certificate: str) -> Json:
    """What servers beside this one need to know whom it speaks for."""
    return {
        "client-ca-file": certificate,
        "requestheader-allowed-names": '["front-proxy-client"]',
        "requestheader-client-ca-file": certificate,
        "requestheader-extra-headers-prefix": '["X-Remote-Extra-"]',
        "requestheader-group-headers": '["X-Remote-Group"]',
        "requestheader-username-headers": '["X-Remote-User"]',
    }
