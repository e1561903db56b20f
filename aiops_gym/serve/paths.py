"""What the path of a request means."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from urllib.parse import unquote

from aiops_gym.sim.kube_api.resources import RESOURCES, Resource


@dataclass(frozen=True, slots=True)
class Target:
    """Which objects a path names.

    Attributes:
        resource: whose path it is.
        namespace: "" for all of them, or for a cluster-scoped object.
        name: of one object, "" for a collection.
        subresource: below the object; `proxy` and what comes after it for paths that go on.
        watch: whether the path asks for a watch, in the old way.
        version: of the resource, as asked for.
    """

    resource: Resource
    namespace: str = ""
    name: str = ""
    subresource: str = ""
    watch: bool = False
    version: str = "v1"


OTHER_VERSIONS = {("autoscaling", "v1", "horizontalpodautoscalers"): "horizontalpodautoscalers.autoscaling"}
"""Further versions of a resource than the one that is stored."""


@cache
def _known() -> dict[tuple[str, str, str], Resource]:
    found = {(r.group, r.version, r.plural): r for r in RESOURCES.values()}
    return {**{key: RESOURCES[name] for key, name in OTHER_VERSIONS.items()}, **found}


def split_path(path: str) -> list[str]:
    """The parts of a raw path, decoded one by one: an encoded slash stays inside its part.

    >>> split_path("/api/v1/pods/a%2Fb/")
    ['api', 'v1', 'pods', 'a/b']
    """
    return [unquote(part, errors="replace") for part in path.strip("/").split("/")]


def find_target(parts: list[str]) -> Target | None:
    """What a path names, None if there is no such resource.

    >>> found = find_target(split_path("/apis/apps/v1/namespaces/shop/deployments/geo/scale"))
    >>> found.resource.name, found.namespace, found.name, found.subresource
    ('deployments.apps', 'shop', 'geo', 'scale')
    """
    if len(parts) >= 3 and parts[0] == "api":
        group, version, rest = "", parts[1], parts[2:]
    elif len(parts) >= 4 and parts[0] == "apis":
        group, version, rest = parts[1], parts[2], parts[3:]
    else:
        return None
    watch = rest[0] == "watch" and len(rest) > 1
    rest = rest[1:] if watch else rest
    namespace = ""
    if rest[0] == "namespaces" and len(rest) > 2 and (group, version, rest[2]) in _known():
        namespace, rest = rest[1], rest[2:]
    resource = _known().get((group, version, rest[0]))
    if resource is None or "" in rest or (namespace and not resource.namespaced):
        return None
    name, below = (rest[1] if len(rest) > 1 else ""), rest[2:]
    if len(below) > 1 and below[0] != "proxy":
        return None
    if name and resource.namespaced and not namespace:
        return None
    return Target(resource, namespace, name, below[0] if below else "", watch, version)
