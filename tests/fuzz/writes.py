"""Changes as a person types them: command lines of kubectl."""

from __future__ import annotations

import json
import shlex
from collections.abc import Mapping
from typing import Any

import changes
from changes import Change
from values import ANNOTATIONS, NOTES, Dice, Values

from aiops_gym.sim.kernel.world import World
from aiops_gym.sim.kube_api.resources import RESOURCES, Resource
from aiops_gym.sim.kube_api.schema import fields, type_of

Json = Any

KINDS = tuple(r for r in RESOURCES.values() if "patch" in r.verbs and type_of(r.api_version, r.kind))
VIEWS = ("events.events.k8s.io",)
"""Resources that show what is stored under another name."""

OFTEN = (
    "pods",
    "deployments.apps",
    "replicasets.apps",
    "nodes",
    "services",
    "endpoints",
    "jobs.batch",
    "cronjobs.batch",
)
"""What most of a cluster's life depends on: written to more often than the rest."""


class Writer:
    """Draws command lines that change one object of a world.

    Args:
        world: looked at, never changed.
        dice: what decides.
    """

    def __init__(self, world: World, dice: Dice) -> None:
        self.world, self.dice = world, dice
        self.made = 0
        self.values = Values(dice, [obj for kind in KINDS for obj in world.store.all(kind.name)])

    def line(self) -> str:
        """One command line."""
        resource, obj = self._object()
        draw = self.dice.below(100)
        if draw < 8:
            return self._typed(resource, obj)
        has_status = "status" in fields(type_of(resource.api_version, resource.kind))
        status = "status" in resource.subresources and self.dice.odds(0.55)
        change = self._change(obj, "status" if status and has_status else "")
        flags = _place(resource, obj) + (" --subresource=status" if status else "")
        if draw < 60:
            return f"kubectl patch {flags} --type=merge -p {_quoted(change.merged(obj))}"
        if draw < 72:
            return f"kubectl patch {flags} --type=json -p {_quoted([change.operation(obj)])}"
        if draw < 78:
            return f"kubectl patch {flags} -p {_quoted(change.merged(obj))}"
        return self._whole(resource, obj, change, status)

    def _object(self) -> tuple[Resource, Mapping[str, Any]]:
        while True:
            names = OFTEN if self.dice.odds(0.5) else [kind.name for kind in KINDS if kind.name not in VIEWS]
            resource = RESOURCES[self.dice.of(names)]
            stored = self.world.store.all(resource.name)
            if stored:
                return resource, self.dice.of(stored)

    def _change(self, obj: Mapping[str, Any], within: str) -> Change:
        """A change that changes something, if a few attempts find one."""
        for _ in range(4):
            change = changes.draw(self.dice, self.values, obj, within)
            if change.applied(obj) != obj:
                break
        return change

    def _whole(self, resource: Resource, obj: Mapping[str, Any], change: Change, status: bool) -> str:
        """The object as a file: put in the place of the old one, applied, or made anew under another name."""
        changed = change.applied(dict(obj))
        draw, place = self.dice.below(100), _namespace(resource, obj)
        if not isinstance(changed, dict) or not isinstance(changed.get("metadata"), dict):
            draw = 0
        else:
            changed = {**changed, "metadata": {k: v for k, v in changed["metadata"].items() if k != "resourceVersion"}}
        if draw < 45:
            verb = "replace" + (" --subresource=status" if status else "")
        elif draw < 70:
            verb = "apply"
        elif draw < 90:
            verb = "apply --server-side --force-conflicts"
            changed["metadata"].pop("managedFields", None)
        else:
            # Few: hundreds of pods that fit nowhere cost the scheduler more than all else costs.
            verb, self.made = "create", self.made + 1
            changed["metadata"] = {**changed["metadata"], "name": f"made-{self.made}"}
        return f"kubectl {verb} {place}-f - <<'EOF'\n{json.dumps(changed)}\nEOF"

    def _typed(self, resource: Resource, obj: Mapping[str, Any]) -> str:
        """A verb that changes something by its own flags."""
        dice, place, name = self.dice, _place(resource, obj), obj["metadata"]["name"]
        if dice.odds(0.3):
            note = shlex.quote(f"{dice.of(ANNOTATIONS)}={dice.of(NOTES)}")
            return f"kubectl annotate --overwrite {place} {note}"
        number = dice.of((0, 1, 2, 3, 7, -1))
        node = dice.of(self.world.store.all("nodes"))["metadata"]["name"]
        space = obj["metadata"].get("namespace", "default")
        return dice.of(
            (
                f"kubectl label --overwrite {place} {dice.of(('a=b', 'app=', 'io.kompose.service=geo', 'a-'))}",
                f"kubectl scale {place} --replicas={number}",
                f"kubectl rollout restart {place}",
                f"kubectl rollout undo {place} --to-revision={number}",
                f"kubectl delete {place} --wait=false" if dice.odds(0.3) else "kubectl delete pods --all --wait=false",
                f"kubectl autoscale {place} --min=1 --max=3 --cpu-percent={dice.of((0, 1, 80))}",
                f"kubectl set env {place} A={number}",
                f"kubectl set image {place} '*={dice.of(('busybox:1.36', 'x', 'a/b:c@d', ''))}'",
                f"kubectl set resources {place} --requests=cpu={dice.of(('1', '0', '100m', '-1'))}",
                f"kubectl cordon {node}",
                f"kubectl uncordon {node}",
                f"kubectl taint node {node} a=b:{dice.of(('NoSchedule', 'NoExecute', 'PreferNoSchedule'))} --overwrite",
                f"kubectl taint node {node} a-",
                f"kubectl create job -n {space} made-{self.made}-{dice.below(10**6)} --from=cronjob/{name}",
                f"kubectl drain {node} --ignore-daemonsets --force --delete-emptydir-data --timeout=1s",
                f"kubectl rollout pause {place}",
                f"kubectl rollout resume {place}",
                f"kubectl exec -n {space} {name} -- ls",
            )
        )


def _namespace(resource: Resource, obj: Mapping[str, Any]) -> str:
    return f"-n {obj['metadata']['namespace']} " if resource.namespaced else ""


def _place(resource: Resource, obj: Mapping[str, Any]) -> str:
    return f"{_namespace(resource, obj)}{resource.name} {shlex.quote(obj['metadata']['name'])}"


def _quoted(value: Json) -> str:
    return shlex.quote(json.dumps(value))
