"""Questions that are answered and not stored: who am I, and may I. The cluster's only user may do everything."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from aiops_gym.sim.kube_api.resources import Resource
from aiops_gym.sim.kube_api.status import bad_request
from aiops_gym.types import Request, Response

USER = "kubernetes-admin"
GROUPS = ["kubeadm:cluster-admins", "system:authenticated"]
REASON = (
    'RBAC: allowed by ClusterRoleBinding "kubeadm:cluster-admins" of ClusterRole "cluster-admin" to '
    'Group "kubeadm:cluster-admins"'
)


def review(resource: Resource, request: Request) -> Response:
    """Answer a review. Raises BadRequest."""
    body = request.body if isinstance(request.body, Mapping) else {}
    spec = body.get("spec") or {}
    if not isinstance(spec, Mapping):
        raise bad_request(f"{resource.kind}.spec is not an object")
    head = {"kind": resource.kind, "apiVersion": resource.api_version, "metadata": {}}
    status: dict[str, Any] = {"allowed": True, "reason": REASON}
    if resource.kind == "SelfSubjectReview":
        return Response(201, {**head, "status": {"userInfo": {"username": USER, "groups": list(GROUPS)}}})
    if resource.kind == "SelfSubjectRulesReview":
        status = {
            "resourceRules": [{"verbs": ["*"], "apiGroups": ["*"], "resources": ["*"]}],
            "nonResourceRules": [{"verbs": ["*"], "nonResourceURLs": ["*"]}],
            "incomplete": False,
        }
    elif resource.kind == "TokenReview":
        status = {"authenticated": False, "error": "invalid bearer token", "user": {}}
    elif resource.kind != "SelfSubjectAccessReview" and spec.get("user") != USER:
        status = {"allowed": False}
    return Response(201, {**head, "spec": dict(spec), "status": status})
