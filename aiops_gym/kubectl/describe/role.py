"""Roles and cluster roles."""

from __future__ import annotations

from collections.abc import Sequence

from aiops_gym.kubectl.describe import meta
from aiops_gym.kubectl.describe.meta import Object
from aiops_gym.kubectl.describe.page import Page
from aiops_gym.kubectl.describe.view import View

RESOURCES = ("roles.rbac.authorization.k8s.io", "clusterroles.rbac.authorization.k8s.io")
PURE = True
EVENTS = False
Key = tuple[str, str, str, str]


def describe(page: Page, role: Object, view: View) -> None:
    """Write what a role allows, one line a resource."""
    meta.title(page, role, namespaced=False)
    meta.write_metadata(page, role)
    page.line("PolicyRule:")
    page.line("  Resources\tNon-Resource URLs\tResource Names\tVerbs")
    page.line("  ---------\t-----------------\t--------------\t-----")
    for row in list_rows(role.get("rules") or ()):
        page.line("  " + "\t".join(row))


def list_rows(rules: Sequence[Object]) -> list[list[str]]:
    """What rules allow, as kubectl shows it: a row a resource, name or URL."""
    found: dict[Key, list[str]] = {}
    paths: list[tuple[Key, list[str]]] = []  # kubectl puts together what is said of a resource, and not of a URL
    for rule in rules:
        for key in _keys(rule):
            verbs = [] if key[3] else found.setdefault(key, [])
            verbs += [verb for verb in rule.get("verbs") or () if verb not in verbs]
            if key[3]:
                paths.append((key, verbs))
    rows = sorted((*found.items(), *paths), key=_order)
    return [[_full(r, group), f"[{url}]", f"[{name}]", f"[{' '.join(v)}]"] for (group, r, name, url), v in rows]


def _keys(rule: Object) -> list[Key]:
    """A rule taken apart: one key for each group, resource and name, or for each URL."""
    names: Sequence[str] = rule.get("resourceNames") or [""]
    groups: Sequence[str] = rule.get("apiGroups") or [""]
    keys = [(g, r, n, "") for g in groups for r in rule.get("resources") or () for n in names]
    return keys + [("", "", "", url) for url in rule.get("nonResourceURLs") or ()]


def _order(item: tuple[Key, list[str]]) -> str:
    """kubectl sorts rules by how Go prints them."""
    (group, resource, name, url), verbs = item
    groups = "" if url else group
    return (
        f"Verbs:[{' '.join(verbs)}],APIGroups:[{groups}],Resources:[{resource}],"
        f"ResourceNames:[{name}],NonResourceURLs:[{url}],"
    )


def _full(resource: str, group: str) -> str:
    base, slash, sub = resource.partition("/")
    return (f"{base}.{group}" if group and base else base) + slash + sub
