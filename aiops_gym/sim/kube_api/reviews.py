"""Questions that are answered and not stored: who am I, and may I, or somebody else."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from aiops_gym.sim.kernel.world import World
from aiops_gym.sim.kube_api import rbac
from aiops_gym.sim.kube_api.resources import Resource
from aiops_gym.sim.kube_api.status import bad_request
from aiops_gym.types import Json, Request, Response

REASON = (
    'RBAC: allowed by ClusterRoleBinding "kubeadm:cluster-admins" of ClusterRole "cluster-admin" to '
    'Group "kubeadm:cluster-admins"'
)
"""Why a cluster's administrator may do something, in worlds without roles too."""


def review(world: World, resource: Resource, request: Request) -> Response:
    """Answer a review. Raises BadRequest."""
    body = request.body if isinstance(request.body, Mapping) else {}
    spec = body.get("spec") or {}
    if not isinstance(spec, Mapping):
        raise bad_request(f"{resource.kind}.spec is not an object")
    asker = rbac.find_user(request.user, request.groups) if request.user else rbac.ADMINISTRATOR
    head = {"kind": resource.kind, "apiVersion": resource.api_version, "metadata": {}}
    if resource.kind == "SelfSubjectReview":
        info = {"username": asker.user, "groups": list(asker.groups)}
        return Response(201, {**head, "status": {"userInfo": info}})
    if resource.kind == "SelfSubjectRulesReview":
        status = _list_rules(world, asker, str(spec.get("namespace") or ""))
    elif resource.kind == "TokenReview":
        status = {"authenticated": False, "error": "invalid bearer token", "user": {}}
    else:
        if not resource.kind.startswith("Self"):
            asker = rbac.User(str(spec.get("user") or ""), tuple(spec.get("groups") or ()))
        status = _judge(world, asker, spec)
    return Response(201, {**head, "spec": dict(spec), "status": status})


def _judge(world: World, asker: rbac.User, spec: Mapping[str, Json]) -> dict[str, Any]:
    told, path = spec.get("resourceAttributes") or {}, spec.get("nonResourceAttributes") or {}
    fields = ("group", "resource", "subresource", "namespace", "name")
    action = rbac.Action(str(told.get("verb", "")), **{each: str(told.get(each) or "") for each in fields})
    if path:
        action = rbac.Action(str(path.get("verb", "")), path=str(path.get("path", "")))
    if asker.user == rbac.ADMINISTRATOR.user:
        return {"allowed": True, "reason": REASON}
    verdict = rbac.judge(world, asker, action)
    status: dict[str, Any] = {"allowed": verdict.allowed}
    if verdict.reason:
        status["reason"] = verdict.reason
    return status


def _list_rules(world: World, asker: rbac.User, namespace: str) -> dict[str, Any]:
    rules = rbac.list_rules(world, asker, namespace)
    if asker.user == rbac.ADMINISTRATOR.user and not rules:
        rules = list(rbac.ALL)
    ours, paths = ("verbs", "apiGroups", "resources", "resourceNames"), ("verbs", "nonResourceURLs")
    return {
        "resourceRules": [{key: rule[key] for key in ours if key in rule} for rule in rules if "resources" in rule],
        "nonResourceRules": [{key: rule[key] for key in paths} for rule in rules if "nonResourceURLs" in rule],
        "incomplete": False,
    }
