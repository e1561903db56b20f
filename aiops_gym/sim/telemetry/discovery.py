"""Whom Prometheus scrapes: the jobs of its Helm chart, applied to the objects of the cluster.

Each target is there while its object is, and up while what answers there runs. The labels are what the chart's
relabelling makes of the objects.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from aiops_gym.sim.kernel.objects import get, labels_of, name_of, namespace_of
from aiops_gym.sim.kernel.times import MINUTE
from aiops_gym.sim.kernel.world import World
from aiops_gym.sim.telemetry import journal, scrapes
from aiops_gym.sim.telemetry.lives import Life, collect_lives
from aiops_gym.types import Json

Times = NDArray[np.int64]
Mask = NDArray[np.bool_]
Object = Mapping[str, Json]

SCRAPED, PORT, PROBED = "prometheus.io/scrape", "prometheus.io/port", "prometheus.io/probe"


OUTSIDE = "haproxy"
"""The kind of target that stands before the cluster."""

OF_NODES = frozenset(["kubelet", "cadvisor"])
"""Kinds of targets that nodes are."""


class Target(NamedTuple):
    """Something that is scraped.

    Attributes:
        labels: that its series get, `job` and `instance` among them.
        honor: whether a label that a series has already stays.
        kind: what it exposes, see `targets`; "" for nothing that a scrape understands.
        node: on which it is.
        lives: of what answers; None for kubelets.
        times: of the scrapes, ms.
        there, up: whether it exists at each of these, and whether it answers.
    """

    labels: Mapping[str, str]
    honor: bool
    kind: str
    node: str
    lives: Sequence[Life] | None
    times: Times
    there: Mask
    up: Mask


@dataclass(frozen=True)
class Window:
    """The time that is looked at, and what was there in it.

    Attributes:
        world: where.
        start, end: ms, both included.
        lives: of all containers.
    """

    world: World
    start: int
    end: int
    lives: Sequence[Life]
    _slots: dict[int, Times] = field(default_factory=dict)

    def slots(self, offset: int) -> Times:
        """Times of the scrapes in the window that begin so many ms after a full minute, while Prometheus ran."""
        if offset not in self._slots:
            first = -((offset - self.start) // MINUTE) * MINUTE + offset
            found = np.arange(first, self.end + 1, MINUTE, dtype=np.int64)
            self._slots[offset] = found[alive(self.scrapers, found)]
        return self._slots[offset]

    @cached_property
    def pods(self) -> Sequence[journal.Versions]:
        """Versions of all pods."""
        return journal.list_versions(self.world, "pods")

    @cached_property
    def scrapers(self) -> list[Life]:
        """What scrapes, of which there is one at a time."""
        return [life for life in self.lives if life.record["params"].get("scrapes")]


def open_window(world: World, start: int, end: int) -> Window:
    """All that discovery reads of some time."""
    return Window(world, start, end, collect_lives(world, ""))


def list_targets(window: Window, kinds: Collection[str]) -> list[Target]:
    """All targets that there were, at least those of some kinds."""
    found = list(_nodes(window)) if not OF_NODES.isdisjoint(kinds) else []
    if OUTSIDE in kinds:
        found += _outside(window)
    if not (OF_NODES | {OUTSIDE}).issuperset(kinds):
        found += [*_itself(window), *_api_servers(window), *_services(window), *_pods(window)]
    return [target for target in found if target.there.any()]


def alive(lives: Sequence[Life], times: Times) -> Mask:
    """When at least one of some lives was there."""
    found = np.zeros(len(times), dtype=np.bool_)
    for life in lives:
        found |= (times >= life.started) & ((times < life.ended) if life.ended else True)
    return found


def floors(times: Times) -> Times:
    """What was discovered last before each time."""
    found: Times = (times - journal.OFFSET) // MINUTE * MINUTE + journal.OFFSET
    return found


def sanitize(name: str) -> str:
    """The name of a label as Prometheus writes it.

    >>> sanitize("app.kubernetes.io/name")
    'app_kubernetes_io_name'
    """
    return re.sub(r"[^a-zA-Z0-9_]", "_", name)


def _mapped(obj: Object) -> dict[str, str]:
    return {sanitize(name): value for name, value in labels_of(obj).items()}


def _target(
    window: Window, labels: Mapping[str, str], lives: Sequence[Life], there: Mask, honor: bool = False
) -> Target:
    times = window.slots(journal.OFFSET)
    telling = [life for life in lives if life.record["params"].get("metrics")]
    kind, node = (str(telling[-1].record["params"]["metrics"]), telling[-1].node) if telling else ("", "")
    return Target(labels, honor, kind, node, telling, times, there, there & alive(telling, times))


def _itself(window: Window) -> Iterator[Target]:
    lives = window.scrapers
    if lives:
        params = lives[-1].record["params"]
        labels = {"instance": f"localhost:{params['ports'][0]}", "job": str(params["metrics"])}
        yield _target(window, labels, lives, np.ones(len(window.slots(journal.OFFSET)), dtype=np.bool_))


def _outside(window: Window) -> Iterator[Target]:
    """The load balancer before the cluster, which users' requests go through."""
    times = window.slots(journal.OFFSET)
    there = np.ones(len(times), dtype=np.bool_)
    labels = {"instance": "kind-external-load-balancer:8404", "job": "haproxy"}
    yield Target(labels, False, OUTSIDE, "", None, times, there, there)


def _api_servers(window: Window) -> Iterator[Target]:
    endpoints: Object = window.world.store.get("endpoints", "default", "kubernetes") or {}
    for subset in endpoints.get("subsets") or ():
        for address in subset.get("addresses") or ():
            lives = [life for life in window.lives if life.record["params"].get("metrics") == "apiserver"]
            labels = {"instance": f"{address['ip']}:{subset['ports'][0]['port']}", "job": "kubernetes-apiservers"}
            yield _target(window, labels, lives, np.ones(len(window.slots(journal.OFFSET)), dtype=np.bool_))


def _nodes(window: Window) -> Iterator[Target]:
    silent = window.world.table("nodes_down")
    for versions in journal.list_versions(window.world, "nodes"):
        node = next(obj for obj in reversed(versions.objects) if obj is not None)
        name = name_of(node)
        times = window.slots(scrapes.find_offset(window.world, name))
        there, up = np.zeros(len(times), dtype=np.bool_), np.zeros(len(times), dtype=np.bool_)
        for obj, where in journal.pick(versions, floors(times)):
            conditions = get(obj, "status", "conditions", default=())
            there[where] = True
            up[where] = not any(c["type"] == "Ready" and c["status"] == "Unknown" for c in conditions)
        if name in silent:
            up &= times < silent[name]
        labels = {**_mapped(node), "instance": name}
        yield Target({**labels, "job": "kubernetes-nodes"}, False, "kubelet", name, None, times, there, up)
        yield Target({**labels, "job": "kubernetes-nodes-cadvisor"}, False, "cadvisor", name, None, times, there, up)


def _services(window: Window) -> Iterator[Target]:
    for versions in journal.list_versions(window.world, "services"):
        service = next(obj for obj in reversed(versions.objects) if obj is not None)
        notes = service["metadata"].get("annotations") or {}
        if notes.get(SCRAPED) == "true":
            yield from _endpoints(window, versions, service, notes)
        elif notes.get(PROBED) == "pushgateway":
            name, space = name_of(service), namespace_of(service)
            address = f"{name}.{space}.svc:{service['spec']['ports'][0]['port']}"
            lives = [life for _, life in _selected(window, service)]
            labels = {"instance": address, "job": "prometheus-pushgateway"}
            yield _target(window, labels, lives, _presence(window, versions), honor=True)


def _presence(window: Window, versions: journal.Versions) -> Mask:
    """When an object was there, as discovery saw it."""
    times = window.slots(journal.OFFSET)
    found = np.zeros(len(times), dtype=np.bool_)
    for _, where in journal.pick(versions, times):
        found[where] = True
    return found


def _selected(window: Window, service: Object) -> Iterator[tuple[journal.Versions, Life]]:
    """The pods that a service selects, each with the lives of what tells of itself in it."""
    selector, namespace = get(service, "spec", "selector", default={}), namespace_of(service)
    for versions in window.pods:
        pod = next(obj for obj in reversed(versions.objects) if obj is not None)
        if selector and namespace_of(pod) == namespace and selector.items() <= labels_of(pod).items():
            for life in window.lives:
                if life.record["uid"] == pod["metadata"]["uid"]:
                    yield versions, life


def _endpoints(
    window: Window, versions: journal.Versions, service: Object, notes: Mapping[str, str]
) -> Iterator[Target]:
    """The pods of a service, each at the port of the annotation, or at all ports of the service."""
    lives: dict[str, list[tuple[journal.Versions, Life]]] = {}
    for selected, life in _selected(window, service):
        lives.setdefault(life.record["uid"], []).append((selected, life))
    chosen = notes.get(PORT)
    ports = [chosen] if chosen else [str(each.get("targetPort", each["port"])) for each in service["spec"]["ports"]]
    for several in lives.values():
        pod = next(obj for obj in reversed(several[0][0].objects) if obj is not None)
        address = get(pod, "status", "podIP")
        for port in ports if address else ():
            labels = {"job": "kubernetes-service-endpoints", "instance": f"{address}:{port}", **_mapped(service)}
            labels |= {"namespace": namespace_of(service), "service": name_of(service)}
            labels |= {"node": get(pod, "spec", "nodeName", default="")}
            there = _presence(window, versions) & _presence(window, several[0][0])
            yield _target(window, labels, [life for _, life in several], there, honor=True)


def _pods(window: Window) -> Iterator[Target]:
    for versions in window.pods:
        pod = next(obj for obj in reversed(versions.objects) if obj is not None)
        notes, address = pod["metadata"].get("annotations") or {}, get(pod, "status", "podIP")
        if notes.get(SCRAPED) == "true" and address:
            lives = [life for life in window.lives if life.record["uid"] == pod["metadata"]["uid"]]
            first = get(pod, "spec", "containers", 0, "ports", 0, "containerPort", default=80)
            labels = {"job": "kubernetes-pods", "instance": f"{address}:{notes.get(PORT, first)}", **_mapped(pod)}
            labels |= {"namespace": namespace_of(pod), "pod": name_of(pod)}
            labels |= {"node": get(pod, "spec", "nodeName", default="")}
            yield _target(window, labels, lives, _presence(window, versions), honor=True)
