"""Role-based access control: what a pod's ServiceAccount may do (`plugin/pkg/auth/authorizer/rbac` of 1.32).

People are the cluster's administrator and may do all; whoever asks from inside a pod is asked for its roles.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from aiops_gym.sim.kernel.objects import Obj, namespace_of
from aiops_gym.sim.kernel.world import World
from aiops_gym.sim.kube_api.resources import RESOURCES, Resource
from aiops_gym.sim.kube_api.status import forbidden, quote
from aiops_gym.types import Request, Response

GROUP = "rbac.authorization.k8s.io"
BINDINGS = tuple(f"{kind}.{GROUP}" for kind in ("clusterrolebindings", "rolebindings"))
ROLES = {"ClusterRole": f"clusterroles.{GROUP}", "Role": f"roles.{GROUP}"}
ALL = {"apiGroups": ["*"], "resources": ["*"], "verbs": ["*"]}


class Account(NamedTuple):
    """A ServiceAccount."""

    namespace: str
    name: str

    @property
    def user(self) -> str:
        """What the server calls it."""
        return f"system:serviceaccount:{self.namespace}:{self.name}"

    @property
    def groups(self) -> frozenset[str]:
        """Groups that it is in."""
        own = f"system:serviceaccounts:{self.namespace}"
        return frozenset(("system:serviceaccounts", own, "system:authenticated"))


def refuse(world: World, account: Account, request: Request) -> Response | None:
    """The refusal of a request that an account may not make; None for one that it may."""
    resource = RESOURCES.get(request.resource)
    if resource is None or resource.verbs == ("create",):
        return None
    missing = list[str]()
    for rule in _find_rules(world, account, request.namespace if resource.namespaced else "", missing):
        if _allows(rule, resource, request):
            return None
    path = f"{resource.plural}/{request.subresource}" if request.subresource else resource.plural
    scope = f"in the namespace {quote(request.namespace)}" if resource.namespaced else "at the cluster scope"
    if resource.namespaced and not request.namespace:
        scope = "at the cluster scope"
    why = f"User {quote(account.user)} cannot {request.verb} resource {quote(path)} "
    why += f"in API group {quote(resource.group)} {scope}"
    why += f": RBAC: [{', '.join(missing)}]" if len(missing) > 1 else f": RBAC: {missing[0]}" if missing else ""
    error = forbidden(resource, request.name, why)
    return Response(error.code, error.status)


def _find_rules(world: World, account: Account, namespace: str, missing: list[str]) -> Iterator[Mapping[str, Any]]:
    """The rules that bindings give an account in a namespace ("": the cluster); roles that there are not are noted."""
    for resource in BINDINGS:
        space = None if resource.startswith("cluster") else namespace
        if space == "":
            continue
        for binding in world.store.all(resource, space):
            if any(_is_meant(subject, account, namespace_of(binding)) for subject in binding.get("subjects") or ()):
                yield from _read_rules(world, binding, missing)


def _is_meant(subject: Mapping[str, Any], account: Account, namespace: str) -> bool:
    name = subject.get("name")
    if subject.get("kind") == "ServiceAccount":
        return (subject.get("namespace") or namespace, name) == account
    return name == account.user if subject.get("kind") == "User" else name in account.groups


def _read_rules(world: World, binding: Obj, missing: list[str]) -> list[Mapping[str, Any]]:
    reference = binding["roleRef"]
    if reference["name"] == "cluster-admin" and reference["kind"] == "ClusterRole":
        return [ALL]
    resource = ROLES.get(reference["kind"], "")
    space = namespace_of(binding) if reference["kind"] == "Role" else ""
    role = world.store.get(resource, space, reference["name"])
    if role is None:
        missing.append(f"{reference['kind'].lower()}.{GROUP} {quote(reference['name'])} not found")
        return []
    return list(role.get("rules") or ())


def _allows(rule: Mapping[str, Any], resource: Resource, request: Request) -> bool:
    path = f"{resource.plural}/{request.subresource}" if request.subresource else resource.plural
    wanted = {"*", path, *([f"*/{request.subresource}"] if request.subresource else [])}
    names = rule.get("resourceNames") or ()
    return (
        bool({"*", request.verb} & set(rule.get("verbs") or ()))
        and bool({"*", resource.group} & set(rule.get("apiGroups") or ()))
        and bool(wanted & set(rule.get("resources") or ()))
        and (not names or request.name in names)
    )
