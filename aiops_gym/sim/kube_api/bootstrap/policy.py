"""Roles and bindings as objects, from the short lines of `roles`."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cache

from aiops_gym.sim.kube_api.bootstrap import roles
from aiops_gym.types import Json

GROUP = "rbac.authorization.k8s.io"
VERSION = f"{GROUP}/v1"
AGGREGATE = f"{GROUP}/aggregate-to-"
UPDATED = {"rbac.authorization.kubernetes.io/autoupdate": "true"}
ORIGIN = {"kubernetes.io/bootstrapping": "rbac-defaults"}
PREFIX = "system:controller:"

READ, CHANGE = ["get", "list", "watch"], ["patch", "update"]
VERBS = {
    "READ": READ,
    "CHANGE": CHANGE,
    "WRITE": ["create", "delete", "deletecollection", *CHANGE],
    "ALL": ["create", "delete", "deletecollection", "get", "list", *CHANGE, "watch"],
    "MAKE": ["create", "delete", "get", "list", *CHANGE, "watch"],
    "LEAD": ["create", "get", "list", "update", "watch"],
}
"""Short for verbs that go together."""

EVENTS = {"apiGroups": ["", "events.k8s.io"], "resources": ["events"], "verbs": ["create", *CHANGE]}
"""What `EVENTS` is short for: who watches over something says so."""

GROUPS = {"core": "", "rbac": GROUP, "*": "*"}
PLAIN = ("apps", "autoscaling", "batch", "extensions", "policy")
"""Groups of the API whose names have no domain; all others end in `.k8s.io`."""

AGGREGATED = (("admin", ""), ("edit", "admin"), ("view", "edit"))
"""Roles that are made up of others, and the role that takes each of them up itself."""


@cache
def list_all() -> tuple[Json, ...]:
    """All of it, in the order in which the server makes it. They are shared: read them only."""
    return (*_list_cluster_roles(), *_list_cluster_bindings(), *_list_roles(), *_list_bindings())


def list_accounts() -> Iterator[str]:
    """Names of the ServiceAccounts of the controllers, which their manager makes as it starts them."""
    controllers = [name for name, _ in _read(roles.CONTROLLERS) if name not in roles.BY_CLOUDS]
    yield from sorted([*controllers, *roles.MORE_ACCOUNTS])


def parse_rules(text: str) -> list[Json]:
    """Rules from their short form.

    >>> parse_rules("READ core: pods | get /version")[0]["resources"]
    ['pods']
    """
    return [_parse_rule(each.strip()) for each in text.split(" | ")]


def _parse_rule(text: str) -> Json:
    if text == "EVENTS":
        return EVENTS
    told, _, names = text.partition(" = ")
    verb, first, *rest = told.split()
    verbs = VERBS.get(verb) or verb.split(",")
    if not rest:
        return {"nonResourceURLs": first.split(","), "verbs": verbs}
    groups = [_find_group(each) for each in first.rstrip(":").split("+")]
    named = {"resourceNames": names.split(",")} if names else {}
    return {"apiGroups": groups, **named, "resources": rest[0].split(","), "verbs": verbs}


def _find_group(word: str) -> str:
    return GROUPS.get(word, word if word in PLAIN else f"{word}.k8s.io")


def _read(text: str) -> Iterator[tuple[str, str]]:
    """Names and rules of the lines; a line that begins with a blank goes on with the one before."""
    for line in re.sub(r"\s*\n ", " ", text).strip().splitlines():
        name, _, rules = line.partition(": ")
        yield name, re.sub(r",\s+", ",", rules).strip()


def _object(kind: str, name: str, namespace: str = "", labels: Json | None = None, **fields: Json) -> Json:
    meta = {"annotations": UPDATED, "labels": {**ORIGIN, **(labels or {})}, "name": name}
    if namespace:
        meta["namespace"] = namespace
    return {"apiVersion": VERSION, "kind": kind, "metadata": meta, **fields}


def _taken_up(role: str) -> Json:
    return {f"{AGGREGATE}{role}": "true"} if role else {}


def _list_cluster_roles() -> Iterator[Json]:
    for name, user in AGGREGATED:
        made_of = {"clusterRoleSelectors": [{"matchLabels": _taken_up(name)}]}
        yield _object("ClusterRole", name, labels=_taken_up(user), aggregationRule=made_of, rules=None)
    for told, rules in _read(roles.ROLES):
        name, _, user = told.partition(" >")
        yield _object("ClusterRole", name, labels=_taken_up(user), rules=parse_rules(rules))
    for name, rules in _read(roles.CONTROLLERS):
        yield _object("ClusterRole", f"{PREFIX}{name}", rules=parse_rules(rules))


def _list_cluster_bindings() -> Iterator[Json]:
    for name, subjects in roles.BOUND.items():
        yield _bind("ClusterRoleBinding", name, "ClusterRole", name, subjects)
    for name, _ in _read(roles.CONTROLLERS):
        account = (f"ServiceAccount kube-system/{name}",)
        yield _bind("ClusterRoleBinding", f"{PREFIX}{name}", "ClusterRole", f"{PREFIX}{name}", account)


def _list_roles() -> Iterator[Json]:
    for told, rules in _read(roles.NAMESPACED):
        namespace, _, name = told.partition("/")
        yield _object("Role", name, namespace, rules=parse_rules(rules))


def _list_bindings() -> Iterator[Json]:
    for told, (role, *subjects) in roles.BOUND_HERE.items():
        namespace, _, name = told.partition("/")
        yield _bind("RoleBinding", name, "Role", role or name, subjects, namespace)


def _bind(kind: str, name: str, role_kind: str, role: str, subjects: Sequence[str], namespace: str = "") -> Json:
    found = _object(kind, name, namespace, roleRef={"apiGroup": GROUP, "kind": role_kind, "name": role})
    if subjects:
        found["subjects"] = [_read_subject(each) for each in subjects]
    return found


def _read_subject(text: str) -> Json:
    kind, _, name = text.partition(" ")
    if kind != "ServiceAccount":
        return {"apiGroup": GROUP, "kind": kind, "name": name}
    namespace, _, name = name.partition("/")
    return {"kind": kind, "name": name, "namespace": namespace}
