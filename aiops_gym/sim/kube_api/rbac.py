"""Role-based access control: what somebody's roles allow (`plugin/pkg/auth/authorizer/rbac` of 1.32).

People are the cluster's administrator and may do all; whoever asks from inside a pod, or in somebody else's name, is
asked for roles.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from aiops_gym.sim.kernel.objects import Obj, name_of, namespace_of
from aiops_gym.sim.kernel.world import World
from aiops_gym.sim.kube_api.resources import RESOURCES, Resource
from aiops_gym.sim.kube_api.status import ApiError, forbidden, quote
from aiops_gym.types import Request, Response

GROUP = "rbac.authorization.k8s.io"
BINDINGS = tuple(f"{kind}.{GROUP}" for kind in ("clusterrolebindings", "rolebindings"))
ROLES = {"ClusterRole": f"clusterroles.{GROUP}", "Role": f"roles.{GROUP}"}
ALL: tuple[Mapping[str, Any], ...] = (
    {"apiGroups": ["*"], "resources": ["*"], "verbs": ["*"]},
    {"nonResourceURLs": ["*"], "verbs": ["*"]},
)
"""Rules of `cluster-admin`, for worlds without roles."""

MASTERS = "system:masters"
AUTHENTICATED, UNAUTHENTICATED = "system:authenticated", "system:unauthenticated"
ANONYMOUS = "system:anonymous"
ACCOUNT, ACCOUNTS = "system:serviceaccount:", "system:serviceaccounts"


class User(NamedTuple):
    """Somebody who asks: a name and groups, in the server's order."""

    user: str
    groups: tuple[str, ...]


ADMINISTRATOR = User("kubernetes-admin", ("kubeadm:cluster-admins", AUTHENTICATED))


class Account(NamedTuple):
    """A ServiceAccount."""

    namespace: str
    name: str

    @property
    def user(self) -> str:
        """What the server calls it."""
        return f"{ACCOUNT}{self.namespace}:{self.name}"

    @property
    def groups(self) -> tuple[str, ...]:
        """Groups that it is in."""
        return (ACCOUNTS, f"{ACCOUNTS}:{self.namespace}", AUTHENTICATED)


class Action(NamedTuple):
    """What somebody wants to do: to objects of a resource, or at a path of the server's."""

    verb: str
    group: str = ""
    resource: str = ""
    subresource: str = ""
    namespace: str = ""
    name: str = ""
    path: str = ""

    @property
    def full_resource(self) -> str:
        """With its subresource, `pods/log`."""
        return f"{self.resource}/{self.subresource}" if self.subresource else self.resource


class Verdict(NamedTuple):
    """Whether something is allowed, and by what, or what was missing on the way."""

    allowed: bool
    reason: str = ""


def find_user(name: str, groups: Sequence[str]) -> User:
    """Somebody in whose name others ask, with the groups that the server adds.

    >>> find_user("jane", ["dev"]).groups
    ('dev', 'system:authenticated')
    """
    found = tuple(groups)
    if not found and name.startswith(ACCOUNT):
        found = Account(*name.removeprefix(ACCOUNT).partition(":")[::2]).groups
    if {AUTHENTICATED, UNAUTHENTICATED}.isdisjoint(found):
        found = (*found, UNAUTHENTICATED if name == ANONYMOUS else AUTHENTICATED)
    return User(name, found)


def refuse(world: World, asker: User | Account, request: Request) -> Response | None:
    """The refusal of a request that somebody may not make; None for one that is allowed."""
    resource = RESOURCES.get(request.resource)
    if resource is None or (resource.kind.startswith("SelfSubject") and AUTHENTICATED in asker.groups):
        return None
    action = _read_action(resource, request)
    verdict = judge(world, asker, action)
    if verdict.allowed:
        return None
    error = forbidden(resource, action.name, _explain(asker, action, verdict))
    return Response(error.code, error.status)


def _read_action(resource: Resource, request: Request) -> Action:
    namespace, name = request.namespace if resource.namespaced else "", request.name
    if resource.name == "namespaces":  # the server takes the name of a namespace for the place of the request too
        namespace = name
    terms = request.query.get("fieldSelector", "").split(",") if not name and request.query else ()
    name = name or next((each.partition("=")[2].lstrip("=") for each in terms if each.startswith("metadata.name=")), "")
    return Action(request.verb, resource.group, resource.plural, request.subresource, namespace, name)


def _explain(asker: User | Account, action: Action, verdict: Verdict) -> str:
    scope = f"in the namespace {quote(action.namespace)}" if action.namespace else "at the cluster scope"
    why = f"User {quote(asker.user)} cannot {action.verb} resource {quote(action.full_resource)} "
    why += f"in API group {quote(action.group)} {scope}"
    return f"{why}: {verdict.reason}" if verdict.reason else why


def check_path(world: World, asker: User | Account, verb: str, path: str) -> None:
    """Raise Forbidden where somebody may not ask for a path that names no object."""
    if not judge(world, asker, Action(verb, path=path)).allowed:
        why = f"forbidden: User {quote(asker.user)} cannot {verb} path {quote(path)}"
        raise ApiError(403, "Forbidden", why, {})


def check_impersonation(world: World, asker: User | Account, user: str, groups: Sequence[str]) -> None:
    """Raise Forbidden where somebody may not ask in another's name."""
    namespace, _, account = user.removeprefix(ACCOUNT).partition(":")
    wanted = [Action("impersonate", resource="users", name=user)]
    if user.startswith(ACCOUNT):
        wanted = [Action("impersonate", resource="serviceaccounts", namespace=namespace, name=account)]
    wanted += [Action("impersonate", resource="groups", name=each) for each in groups]
    for action in wanted:
        verdict = judge(world, asker, action)
        if not verdict.allowed:
            why = f"{action.resource} {quote(action.name)} is forbidden: {_explain(asker, action, verdict)}"
            raise ApiError(403, "Forbidden", why, {"name": action.name, "kind": action.resource})


def judge(world: World, asker: User | Account, action: Action) -> Verdict:
    """Whether somebody may do something."""
    if MASTERS in asker.groups:
        return Verdict(True)
    missing = list[str]()
    for binding, subject in _find_bindings(world, asker, action.namespace):
        if any(_allows(rule, action) for rule in _read_rules(world, binding, missing)):
            return Verdict(True, _tell_reason(binding, subject))
    told = ", ".join(missing)
    return Verdict(False, f"RBAC: {told if len(missing) < 2 else f'[{told}]'}" if missing else "")


def list_rules(world: World, asker: User | Account, namespace: str) -> list[Mapping[str, Any]]:
    """All rules by which somebody may do something in a namespace."""
    if MASTERS in asker.groups:
        return list(ALL)
    found = _find_bindings(world, asker, namespace)
    return [rule for binding, _ in found for rule in _read_rules(world, binding, [])]


def _find_bindings(world: World, asker: User | Account, namespace: str) -> Iterator[tuple[Obj, Mapping[str, Any]]]:
    """The bindings that give somebody something in a namespace ("": the cluster), each with the subject it names."""
    for resource in BINDINGS:
        space = None if resource.startswith("cluster") else namespace
        if space == "":
            continue
        for binding in world.store.all(resource, space):
            meant = (each for each in binding.get("subjects") or () if _is_meant(each, asker, namespace_of(binding)))
            for subject in meant:
                yield binding, subject
                break


def _is_meant(subject: Mapping[str, Any], asker: User | Account, namespace: str) -> bool:
    name = subject.get("name")
    if subject.get("kind") == "ServiceAccount":
        return asker.user == f"{ACCOUNT}{subject.get('namespace') or namespace}:{name}"
    return name == asker.user if subject.get("kind") == "User" else name in asker.groups


def _read_rules(world: World, binding: Obj, missing: list[str]) -> Sequence[Mapping[str, Any]]:
    """The rules of a binding's role; a role that there is not is noted."""
    reference = binding["roleRef"]
    space = namespace_of(binding) if reference["kind"] == "Role" else ""
    role = world.store.get(ROLES.get(reference["kind"], ""), space, reference["name"])
    if role is None and reference["name"] == "cluster-admin" and not world.store.order.get(ROLES["ClusterRole"]):
        return ALL
    if role is None:
        missing.append(f"{reference['kind'].lower()}.{GROUP} {quote(reference['name'])} not found")
        return ()
    return role.get("rules") or ()


def _tell_reason(binding: Obj, subject: Mapping[str, Any]) -> str:
    """As the authorizer words it."""
    where = f"{name_of(binding)}/{namespace_of(binding)}" if namespace_of(binding) else name_of(binding)
    role, whom = binding["roleRef"], subject["name"]
    if subject["kind"] == "ServiceAccount":
        whom = f"{whom}/{subject.get('namespace') or namespace_of(binding)}"
    by = f"allowed by {binding['kind']} {quote(where)} of {role['kind']} {quote(role['name'])}"
    return f"RBAC: {by} to {subject['kind']} {quote(whom)}"


def _allows(rule: Mapping[str, Any], action: Action) -> bool:
    if not {"*", action.verb} & set(rule.get("verbs") or ()):
        return False
    if action.path:
        return any(_covers(each, action.path) for each in rule.get("nonResourceURLs") or ())
    wanted = {"*", action.full_resource, *([f"*/{action.subresource}"] if action.subresource else [])}
    names = rule.get("resourceNames") or ()
    return (
        bool({"*", action.group} & set(rule.get("apiGroups") or ()))
        and bool(wanted & set(rule.get("resources") or ()))
        and (not names or action.name in names)
    )


def _covers(pattern: str, path: str) -> bool:
    return pattern in ("*", path) or (pattern.endswith("*") and path.startswith(pattern.rstrip("*")))
