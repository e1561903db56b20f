"""What there is to name in a state: kinds, names, labels, containers, and manifests made of its own objects."""

from __future__ import annotations

import json
import random
from collections.abc import Mapping
from functools import cached_property
from typing import Any

from aiops_gym.clients import as_yaml
from aiops_gym.sim.kernel.world import World
from aiops_gym.sim.kube_api.resources import RESOURCES, Resource

Json = Any
KEPT = ("name", "namespace", "labels", "annotations")
RUNS = ("pods", "deployments.apps", "statefulsets.apps", "daemonsets.apps", "replicasets.apps", "jobs.batch")
RBAC, PARTS = "rbac.authorization.k8s.io", "apiservices.apiregistration.k8s.io"
EQUIPMENT = (f"clusterroles.{RBAC}", f"clusterrolebindings.{RBAC}", "priorityclasses.scheduling.k8s.io", PARTS)
"""Kinds of which every cluster has its own objects: nothing is drawn of them, so that the lines stay what they were."""

SHORT = {"name": "pod", "short": "po"}


class Stock:
    """The names of a world, and chance that chooses among them.

    Args:
        world: never changed.
        namespace: of the application.
        chance: the same for the same lines.
    """

    def __init__(self, world: World, namespace: str, chance: random.Random) -> None:
        self.world, self.namespace, self.chance = world, namespace, chance

    @cached_property
    def kinds(self) -> list[str]:
        """The resources that can be listed, those of which there are objects first."""
        listed = [name for name, resource in RESOURCES.items() if "list" in resource.verbs]
        return sorted(listed, key=lambda name: not self.names(name))

    @cached_property
    def full(self) -> list[str]:
        """The resources of which there are objects."""
        return [name for name in self.kinds if self.names(name)]

    def names(self, kind: str) -> list[str]:
        """The objects of a kind, in the application's namespace where there are namespaces."""
        return [obj["metadata"]["name"] for obj in self.objects(kind)]

    def objects(self, kind: str) -> list[Json]:
        """The same, whole."""
        if kind in EQUIPMENT:
            return []
        place = self.namespace if RESOURCES[kind].namespaced else ""
        return list(self.world.store.all(kind, place)) if place else list(self.world.store.all(kind))

    def kind(self) -> str:
        """A resource; mostly one of which there are objects, and of those mostly one that people look at."""
        roll = self.chance.random()
        if roll < 0.55:
            return self.chance.choice([kind for kind in (*RUNS, "services", "configmaps") if kind in self.full])
        return self.chance.choice(self.full if roll < 0.85 else self.kinds)

    def name(self, kind: str) -> str:
        """An object of a kind, seldom one that is not there."""
        names = self.names(kind)
        return self.chance.choice(names) if names and self.chance.random() < 0.92 else "absent"

    def spelled(self, kind: str) -> str:
        """A resource as somebody may type it."""
        resource: Resource = RESOURCES[kind]
        long = f"{resource.plural}.{resource.version}.{resource.group}"
        ways = [resource.plural, resource.plural, resource.singular, *resource.short, kind, long, resource.kind]
        return self.chance.choice(ways)

    def workload(self) -> str:
        """A resource whose pods run containers."""
        return self.chance.choice([kind for kind in (*RUNS, "deployments.apps") if kind in self.full])

    def containers(self) -> list[str]:
        """The names of containers of the application's pods."""
        found = [c["name"] for pod in self.objects("pods") for c in pod["spec"]["containers"]]
        return list(dict.fromkeys(found))

    def labels(self) -> list[tuple[str, str]]:
        """Labels of objects in the namespace."""
        rows = [obj["metadata"].get("labels") or {} for kind in ("pods", "services") for obj in self.objects(kind)]
        return list(dict.fromkeys(pair for row in rows for pair in row.items()))

    def object(self) -> tuple[Resource, Json]:
        """An object that a file may well hold."""
        kinds = [k for k in (*RUNS, "services", "configmaps", "secrets", "serviceaccounts") if k in self.full]
        kind = self.chance.choice(kinds)
        return RESOURCES[kind], self.chance.choice(self.objects(kind))

    def manifest(self) -> str:
        """A file: an object as it is, changed, new, or wrong, sometimes with one more behind it."""
        bodies = [self._body() for _ in range(self.chance.choice((1, 1, 1, 2, 3)))]
        if len(bodies) == 1 and self.chance.random() < 0.3:
            return json.dumps(bodies[0], indent=1) + "\n"
        return "---\n".join(as_yaml.text(body) for body in bodies)

    def _body(self) -> Mapping[str, Json]:
        resource, obj = self.object()
        meta = {key: obj["metadata"][key] for key in KEPT if key in obj["metadata"]}
        body = {**json.loads(json.dumps({k: v for k, v in obj.items() if k != "status"})), "metadata": meta}
        body = {"apiVersion": resource.api_version, "kind": resource.kind, **body}
        change = self.chance.choice(
            ("same", "labels", "new", "new", "kind", "field", "place", "nameless", "spec", "type")
        )
        if change == "labels":
            meta["labels"] = {**(meta.get("labels") or {}), "tried": "yes"}
        elif change == "new":
            meta["name"] = "fresh"
            for field in ("clusterIP", "clusterIPs", "nodeName"):
                (body.get("spec") or {}).pop(field, None)
        elif change == "kind":
            body["kind"] = "Widget"
        elif change == "field":
            body["nonsense"] = 1
        elif change == "place":
            meta["namespace"] = "default"
        elif change == "nameless":
            del meta["name"]
        elif change == "spec" and "replicas" in (body.get("spec") or {}):
            body["spec"]["replicas"] = 2
        elif change == "type":
            body["metadata"] = {**meta, "labels": {"number": 5}}
        return body
