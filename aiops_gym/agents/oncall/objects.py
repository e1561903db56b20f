"""The objects of a namespace as they were read, and what belongs to what."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

Object = Mapping[str, Any]

WORKLOADS = ("Deployment", "StatefulSet", "DaemonSet")


@dataclass
class Cluster:
    """What is known of a namespace.

    Attributes:
        now: the time at which the objects were read, as the system writes times.
        objects: each object that was read.
        signals: what telemetry and tries told, by name of the look.
    """

    namespace: str
    now: str = ""
    objects: list[Object] = field(default_factory=list)
    signals: dict[str, str] = field(default_factory=dict)

    def of(self, *kinds: str) -> list[Object]:
        """All objects of these kinds."""
        return [each for each in self.objects if each["kind"] in kinds]

    def named(self, kind: str, name: str) -> Object | None:
        """The object of a kind with this name."""
        return next((each for each in self.of(kind) if each["name"] == name), None)

    def workloads(self) -> list[Object]:
        """Deployments and their like."""
        return self.of(*WORKLOADS)

    def revisions(self, workload: Object) -> list[Object]:
        """Templates that it had before, the newest first."""
        own = [each for each in self.of("ReplicaSet") if each.get("owner") == workload["name"]]
        live = json.dumps(_bare(workload["template"]), sort_keys=True)
        older = [each for each in own if json.dumps(_bare(each["template"]), sort_keys=True) != live]
        return sorted(older, key=lambda each: int(each.get("revision") or 0), reverse=True)

    def pods(self, workload: Object) -> list[Object]:
        """Its pods, by owner."""
        return [each for each in self.of("Pod") if owner(each) == workload["name"]]

    def workload(self, pod: Object) -> Object | None:
        """Whose pod it is."""
        return next((each for each in self.workloads() if each["name"] == owner(pod)), None)

    def events(self, *reasons: str) -> Iterator[Object]:
        """Events with these reasons, the oldest first."""
        return (each for each in self.of("Event") if each["reason"] in reasons)

    def staying(self) -> Iterator[tuple[Object, Object]]:
        """Each pod that belongs to a workload and is not about to go, with its workload."""
        for pod in self.of("Pod"):
            workload = self.workload(pod)
            if workload is not None and not pod.get("deleted"):
                yield pod, workload

    def complaints(self, pod: Object) -> Iterator[Object]:
        """Events about a pod."""
        return (each for each in self.of("Event") if each["name"] == pod["name"])


def parse(text: str) -> list[Object]:
    r"""Objects of a page, whole lines only.

    >>> parse('{"kind":"Pod","name":"a"}\n{"kind":"Po')
    [{'kind': 'Pod', 'name': 'a'}]
    """
    found = []
    for line in text.splitlines():
        if line.startswith("{") and line.endswith("}"):
            try:
                read = json.loads(line)
            except ValueError:
                break
            if "kind" in read and "name" in read:
                found.append(read)
    return found


def owner(pod: Object) -> str:
    """Name of the workload that made a pod, "" where nobody did.

    >>> owner({"owner": "web-5d9c", "labels": {"pod-template-hash": "5d9c"}}), owner({})
    ('web', '')
    """
    made = str(pod.get("owner") or "")
    made_by_set = (pod.get("labels") or {}).get("pod-template-hash")
    return made.removesuffix(f"-{made_by_set}") if made_by_set else made


def alike(one: str, other: str) -> int:
    """How many characters two names begin with alike.

    >>> alike("geo-pvc", "geo-pvc-ssd")
    7
    """
    return next((at for at, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other)))


def selects(selector: Mapping[str, str] | None, labels: Mapping[str, str] | None) -> bool:
    """Whether a selector of equals matches these labels; an empty one matches nothing, as that of a Service.

    >>> selects({"app": "a"}, {"app": "a", "tier": "b"}), selects({}, {"app": "a"})
    (True, False)
    """
    return bool(selector) and all((labels or {}).get(key) == value for key, value in (selector or {}).items())


def containers(workload: Object) -> list[Any]:
    """Containers of its template."""
    return list(workload["template"]["spec"].get("containers", []))


def place(workload: Object, state: Object) -> int:
    """The place of a container among those of the template, by the state of one that runs."""
    return next((at for at, each in enumerate(containers(workload)) if each["name"] == state["name"]), 0)


def ports(workload: Object) -> list[Any]:
    """Ports that its containers declare."""
    return [port for each in containers(workload) for port in each.get("ports", [])]


def is_ready(pod: Object) -> bool:
    """Whether it is, with all its containers."""
    states = pod.get("states", [])
    return pod.get("phase") == "Running" and bool(states) and all(each["ready"] for each in states)


def values(found: Iterable[Object], key: str) -> list[Any]:
    """One field of each."""
    return [each.get(key) for each in found]


def _bare(template: Object) -> Object:
    """A template without what controllers and restarts write into it."""
    labels = {key: value for key, value in template["metadata"]["labels"].items() if key != "pod-template-hash"}
    return {"labels": labels, "spec": template["spec"]}
