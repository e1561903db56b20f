"""What happens to a system sooner or later, one event a function: a repair must still hold after each of them.

Each happens in a fork of its own, to whom it concerns (`affected`). Whatever does not come back as it was before the
incident is held against the repair, unless the same event has the same effect on the healthy world: a quota that was
tight before, or a volume that only one may write.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from copy import copy
from typing import NamedTuple

from aiops_gym import caches
from aiops_gym.backends import affected, steady
from aiops_gym.backends.affected import Affected
from aiops_gym.backends.baseline import is_rolled_out, request
from aiops_gym.backends.steady import Trouble
from aiops_gym.caches import Beside, Entry
from aiops_gym.catalog.model import App
from aiops_gym.sim import traffic
from aiops_gym.sim.kernel.objects import Obj, controller_of, get, name_of, namespace_of, uid_of
from aiops_gym.sim.kernel.times import MINUTE, SECOND, iso
from aiops_gym.sim.kernel.world import World
from aiops_gym.types import Json

DRAIN = 2 * MINUTE
"""How long somebody who drains a node waits for budgets to let its pods go."""

RETRY = 5 * SECOND
"""Between two tries to evict a pod, and two looks whether pods are gone."""

OWNED = ("kubernetes.io/arch", "kubernetes.io/hostname", "kubernetes.io/os", "node.kubernetes.io/instance-type")
"""Labels that a kubelet sets on its node."""

REPORTED = ("addresses", "allocatable", "capacity", "conditions", "daemonEndpoints", "nodeInfo")
"""What it writes into its node's status."""

EVICTED, ROLLED, SCALED = "evicted", "rolled", "scaled"
"""Kinds of trouble that only an event can meet."""


class Case(NamedTuple):
    """What an event happens to.

    Attributes:
        world: in which it happens.
        before: the world just before the incident.
        app: the application.
        hurt: the workloads that the incident is about.
        affected: whom else it concerns.
    """

    world: World
    before: World
    app: App
    hurt: tuple[str, ...]
    affected: Affected


class Event(NamedTuple):
    """One event: its name, what happens, and how people call the moment after it."""

    name: str
    happen: Callable[[Case], list[Trouble]]
    after: str


_excused: Beside[dict[Json, frozenset[tuple[str, str]]]] = Beside(
    Entry(
        f"{__name__}.excused",
        "finding out what an event does to a healthy world",
        key="a warm-up; in it the event and whom it concerns",
        bound=0,
        ends=caches.SEALED,
    )
)


def endure(event: Event, case: Case) -> list[Trouble]:
    """Let an event happen, in the very world of the case; what it brings about, and not in the healthy world."""
    found = event.happen(case)
    if not found:
        return []
    excused = _excuse(event, case)
    return [trouble for trouble in found if (trouble.kind, trouble.name) not in excused]


def _excuse(event: Event, case: Case) -> frozenset[tuple[str, str]]:
    """What the same event brings about in the healthy world."""
    known = _excused.get(case.before, dict)
    key = (event.name, case.hurt, case.affected.owners)
    if key not in known:
        world = case.before.fork()
        pods = affected.list_alike(world, case.app, case.affected.owners)
        twin = case._replace(world=world, affected=Affected(pods, case.affected.owners))
        known[key] = frozenset((trouble.kind, trouble.name) for trouble in event.happen(twin))
    return known[key]


def drain_nodes(case: Case) -> list[Trouble]:
    """Each node with one of the pods is drained, its kubelet reports what it really is, and it returns.

    So the pods come from their templates, with other addresses, and find the caches cold that are among them; budgets
    are asked, and volumes keep pods to their node.
    """
    world, troubles, places = case.world, list[Trouble](), _addresses(case.world, case.affected.pods)
    with _unasked(world):
        for node in sorted({pod["spec"].get("nodeName", "") for pod in _find(world, case.affected.pods)} - {""}):
            _cordon(world, node, True)
            moving = [pod for pod in _find(world, case.affected.pods) if pod["spec"].get("nodeName") == node]
            troubles += _evict(world, moving)
            _report(world, case.before)
            _cordon(world, node, False)
        _await(world, case.app, case.app.components, RETRY * 6)
    found = steady.hold(world, case.before, case.app)
    if not found and places & _addresses(world, affected.list_alike(world, case.app, case.affected.owners)):
        return [*troubles, *drain_nodes(case._replace(affected=_same(case)))]
    return [*troubles, *found]


def roll_out(case: Case) -> list[Trouble]:
    """Each workload that was hurt is rolled out once more, scaled up by one and back."""
    world, space, wanted = case.world, case.app.namespace, dict[str, int]()
    for name in case.hurt:
        deployment = world.store.get("deployments.apps", space, name)
        if deployment is not None:
            wanted[name] = deployment["spec"].get("replicas", 1)
    annotations = {"kubectl.kubernetes.io/restartedAt": iso(world.now)}
    steps: Sequence[tuple[str, str, Callable[[int], Json]]] = (
        (ROLLED, "cannot be rolled out", lambda _: {"template": {"metadata": {"annotations": annotations}}}),
        (SCALED, "cannot be scaled up by one", lambda count: {"replicas": count + 1}),
        (SCALED, "cannot be scaled back", lambda count: {"replicas": count}),
    )
    with _unasked(world):
        for kind, text, make in steps:
            found = [
                Trouble(kind, name, f"{name} {text}: {said}")
                for name, count in wanted.items()
                if (said := _patch(world, "deployments.apps", space, name, {"spec": make(count)}))
            ]
            late = () if found else _await(world, case.app, tuple(wanted), steady.SETTLE)
            whys = {name: steady.explain(world, case.app, name) for name in late}
            found += [Trouble(kind, name, f"{name} {text}{why and ': '}{why}") for name, why in whys.items()]
            if found:
                return found
    return steady.hold(world, case.before, case.app)


EVENTS = (
    Event("rollout", roll_out, "after a rollout"),
    Event("drain", drain_nodes, "after a restart"),
)
"""In the order in which they are tried; each in a fork of its own."""


@contextmanager
def _unasked(world: World) -> Iterator[None]:
    """Users ask nothing meanwhile: what counts is how they are served when it is over, and their requests cost most."""
    dynamics = world.dynamics
    world.settle()
    world.dynamics = copy(dynamics)
    world.dynamics.observers = tuple(observe for observe in dynamics.observers if observe is not traffic.observe)
    yield
    world.dynamics = dynamics
    world.touch()


def _await(world: World, app: App, names: tuple[str, ...], limit: int) -> list[str]:
    """Wait until workloads are rolled out; those that are not."""
    end = world.now + limit
    world.run(RETRY)
    while not is_rolled_out(world, app, names) and world.now < end:
        world.run(RETRY)
    return [name for name in names if not is_rolled_out(world, app, (name,))]


def _find(world: World, keys: frozenset[str]) -> list[Obj]:
    return [pod for key in sorted(keys) if (pod := world.store.by_key("pods", key)) is not None]


def _addresses(world: World, keys: frozenset[str]) -> set[tuple[affected.Owner, str]]:
    """The address of each pod, beside the workload that it belongs to; those of the host's network have its own."""
    pods = [pod for pod in _find(world, keys) if not pod["spec"].get("hostNetwork")]
    return {(affected.find_owner(world, pod), get(pod, "status", "podIP", default="")) for pod in pods}


def _same(case: Case) -> Affected:
    return Affected(affected.list_alike(case.world, case.app, case.affected.owners), case.affected.owners)


def _evict(world: World, pods: list[Obj]) -> list[Trouble]:
    """Move pods away, as a drain does, until they are gone; what a budget keeps is deleted in the end."""
    end, left, troubles = world.now + DRAIN, [], list[Trouble]()
    for pod in pods:
        if (controller_of(pod) or {}).get("kind") == "DaemonSet":
            request(world, "delete", "pods", namespace_of(pod), name_of(pod))
        else:
            left.append(pod)
    while left := [pod for pod in left if _is_kept(world, pod)]:
        if world.now >= end:
            troubles += [_kept(world, pod) for pod in left]
            for pod in left:
                request(world, "delete", "pods", namespace_of(pod), name_of(pod))
            break
        world.run(RETRY)
    end = world.now + steady.SETTLE
    while world.now < end and any(_is_there(world, pod) for pod in pods):
        world.run(SECOND)
    return troubles


def _is_kept(world: World, pod: Obj) -> bool:
    """Whether a pod that is to be evicted must stay for now."""
    body = {"apiVersion": "policy/v1", "kind": "Eviction", "metadata": {"name": name_of(pod)}}
    answer = request(world, "create", "pods", namespace_of(pod), name_of(pod), subresource="eviction", body=body)
    return answer.code >= 400 and answer.code != 404


def _kept(world: World, pod: Obj) -> Trouble:
    _, name = affected.find_owner(world, pod)
    return Trouble(EVICTED, name, f"the node of {name} cannot be drained: a disruption budget lets none of its pods go")


def _is_there(world: World, pod: Obj) -> bool:
    now = world.store.get("pods", namespace_of(pod), name_of(pod))
    return now is not None and uid_of(now) == uid_of(pod)


def _cordon(world: World, node: str, closed: bool) -> None:
    _patch(world, "nodes", "", node, {"spec": {"unschedulable": closed or None}})


def _patch(world: World, resource: str, namespace: str, name: str, body: Json) -> str:
    """Merge something into an object; what the API server has against it."""
    content_type = "application/merge-patch+json"
    answer = request(world, "patch", resource, namespace, name, body=body, content_type=content_type)
    return str(answer.body["message"]) if answer.code >= 400 else ""


def _report(world: World, before: World) -> None:
    """Each kubelet writes what its node is; of a node without one nobody hears, and it is taken out."""
    for node in world.store.all("nodes"):
        old = before.store.get("nodes", "", name_of(node))
        if old is None:
            request(world, "delete", "nodes", "", name_of(node))
            continue
        labels = {key: value for key, value in (old["metadata"].get("labels") or {}).items() if key in OWNED}
        meta = {**node["metadata"], "labels": {**(node["metadata"].get("labels") or {}), **labels}}
        status = {**node.get("status", {}), **{key: old["status"][key] for key in REPORTED if key in old["status"]}}
        if meta != node["metadata"] or status != node.get("status"):
            world.store.put("nodes", {**node, "metadata": meta, "status": status})
            world.touch()
