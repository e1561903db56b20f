"""What happens to a system sooner or later, one event a function: a repair must still hold after each of them.

They happen to whom they concern (`affected`), in one fork, in an order in which none hides another: a report takes back
what was faked and brings nothing; a rollout makes pods from the same template as a restart; budgets are asked when all
workloads have as many pods as before. Whatever does not come back as it was before the incident is held against the
repair, unless the same events have the same effect on the healthy world: a quota that was tight before, or a volume
that only one may write.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from copy import copy
from typing import NamedTuple

from aiops_gym import caches
from aiops_gym.backends import affected, steady
from aiops_gym.backends.affected import Affected
from aiops_gym.backends.baseline import is_rolled_out, request
from aiops_gym.backends.explain import explain
from aiops_gym.backends.shape import find_owned_pods
from aiops_gym.backends.steady import Trouble
from aiops_gym.caches import Beside, Entry
from aiops_gym.catalog.model import App
from aiops_gym.sim import traffic
from aiops_gym.sim.kernel.objects import Obj, assoc, controller_of, dissoc, get, name_of, namespace_of, uid_of
from aiops_gym.sim.kernel.times import MINUTE, SECOND, iso
from aiops_gym.sim.kernel.world import World
from aiops_gym.types import Json

DRAIN = 2 * MINUTE
"""How long somebody who drains a node waits for budgets to let its pods go."""

START = 30 * SECOND
"""In which pods that are not broken have started, before users ask them again."""

RETRY = 5 * SECOND
"""Between two tries to evict a pod, and between two looks whether something is done."""

OWNED = ("kubernetes.io/arch", "kubernetes.io/hostname", "kubernetes.io/os", "node.kubernetes.io/instance-type")
"""Labels that a kubelet sets on its node."""

REPORTED = ("addresses", "allocatable", "capacity", "conditions", "daemonEndpoints", "nodeInfo")
"""What it writes into its node's status."""

EVICTED, ROLLED = "evicted", "rolled"
"""Kinds of trouble that only an event can meet."""

Kind = tuple[str, str]
"""Kind and name of a trouble."""


class Case(NamedTuple):
    """What events happen to.

    Attributes:
        world: in which they happen.
        before: the world just before the incident.
        app: the application.
        hurt: the workloads that were hurt or changed, which are rolled out.
        affected: all whom they concern.
    """

    world: World
    before: World
    app: App
    hurt: tuple[str, ...]
    affected: Affected


class Event(NamedTuple):
    """One event: its name, and what happens; what came in the way is returned."""

    name: str
    happen: Callable[[Case], list[Trouble]]


class Endured(NamedTuple):
    """What became of a system: the names of the events that it survived, and what went wrong with the next."""

    names: tuple[str, ...]
    troubles: list[Trouble]


_excused: Beside[dict[Json, frozenset[Kind]]] = Beside(
    Entry(
        f"{__name__}.excused",
        "finding out what the next events do to a healthy world",
        key="a warm-up; in it whom they concern",
        bound=0,
        ends=caches.SEALED,
    )
)


def endure(case: Case) -> Endured:
    """Let all events happen, in the very world of the case, until one does what it does not do to a healthy one."""
    names = list[str]()
    for event in EVENTS:
        found = _held_against(case, event.happen(case))
        if found:
            return Endured(tuple(names), found)
        names.append(event.name)
    return Endured(tuple(names), [])


def _held_against(case: Case, found: list[Trouble]) -> list[Trouble]:
    excused = _excuse(case) if found else frozenset[Kind]()
    return [trouble for trouble in found if (trouble.kind, trouble.name) not in excused]


def _excuse(case: Case) -> frozenset[Kind]:
    """What the same events bring about in the healthy world."""
    known = _excused.get(case.before, dict)
    key = (case.hurt, case.affected.owners)
    if key not in known:
        world = case.before.fork_unseen()
        twin = case._replace(world=world, affected=_alike(case, world))
        known[key] = frozenset((each.kind, each.name) for event in EVENTS for each in event.happen(twin))
    return known[key]


def report_nodes(case: Case) -> list[Trouble]:
    """Each kubelet writes what its node is; of a node without one nobody hears any more, and it is taken out."""
    world = case.world
    for node in world.store.all("nodes"):
        old = case.before.store.get("nodes", "", name_of(node))
        if old is None:
            request(world, "delete", "nodes", "", name_of(node))
            continue
        labels = {key: value for key, value in (old["metadata"].get("labels") or {}).items() if key in OWNED}
        meta = {**node["metadata"], "labels": {**(node["metadata"].get("labels") or {}), **labels}}
        status = {**node.get("status", {}), **{key: old["status"][key] for key in REPORTED if key in old["status"]}}
        if meta != node["metadata"] or status != node.get("status"):
            world.store.put("nodes", {**node, "metadata": meta, "status": status})
            world.touch()
    return []


def roll_out(case: Case) -> list[Trouble]:
    """Each workload that was hurt or changed is rolled out with a replica more than it has, and scaled back."""
    world, space, wanted = case.world, case.app.namespace, dict[str, int]()
    for name in case.hurt:
        deployment = world.store.get("deployments.apps", space, name)
        if deployment is not None:
            wanted[name] = deployment["spec"].get("replicas", 1)
    template = {"metadata": {"annotations": {"kubectl.kubernetes.io/restartedAt": iso(world.now)}}}
    up = {name: {"template": template, "replicas": count + 1} for name, count in wanted.items()}
    down = {name: {"replicas": count} for name, count in wanted.items()}
    with _unasked(world):
        return _change(case, "cannot be rolled out with one more replica", up) or _change(
            case, "cannot be scaled back", down
        )


def drain_nodes(case: Case) -> list[Trouble]:
    """The nodes of the pods are drained and return, and users are served as before.

    So pods come from their templates, with other addresses, and find the caches cold that are among them; budgets are
    asked, and volumes keep pods to their node. Whoever was not answered meanwhile tries again as it may. Pods that have
    just been rolled out are asked for, and left unless all go: what forgets who is there when it restarts (a registry)
    does so for everybody.
    """
    case = case._replace(affected=_alike(case, case.world)) if case.affected.wide else case
    places = _addresses(case.world, case.affected.pods)
    troubles = _drain(case)
    traffic.upset(case.world)
    found = steady.hold(case.world, case.before, case.app)
    again = _alike(case, case.world)
    if not found and places & _addresses(case.world, again.pods):  # the range was used up once around
        troubles += _drain(case._replace(affected=again))
        found = steady.hold(case.world, case.before, case.app)
    return [*troubles, *found]


EVENTS = (Event("report", report_nodes), Event("rollout", roll_out), Event("drain", drain_nodes))
"""In their order. A new one: a function, and a place in which it hides none of the others."""


@contextmanager
def _unasked(world: World) -> Iterator[None]:
    """Users ask nothing meanwhile: what counts is how they are served when it is over, and their requests cost most."""
    dynamics = world.dynamics
    world.dynamics = copy(dynamics)
    world.dynamics.observers = ()
    yield
    world.dynamics = dynamics
    world.touch()


def _alike(case: Case, world: World) -> Affected:
    """The pods of the same workloads in another world."""
    return case.affected._replace(pods=affected.list_alike(world, case.app, case.affected.owners))


def _change(case: Case, text: str, specs: dict[str, Json]) -> list[Trouble]:
    """Change deployments and wait until it is done; those that cannot do it."""
    world, app = case.world, case.app
    whys = {
        name: _patch(world, "deployments.apps", app.namespace, name, {"spec": spec}) for name, spec in specs.items()
    }
    late = [name for name in specs if whys[name]] or _await(world, app, tuple(specs), steady.SETTLE)
    whys = {name: whys[name] or explain(world, app, name) for name in late}
    return [Trouble(ROLLED, name, f"{name} {text}{why and ': '}{why}") for name, why in whys.items()]


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
    return {(affected.find_owner(world, pod), ip) for pod in pods if (ip := get(pod, "status", "podIP"))}


def _drain(case: Case) -> list[Trouble]:
    """Drain one node after the other, and open each again."""
    world, troubles = case.world, list[Trouble]()
    with _unasked(world):
        renewed = [pod for name in case.hurt for pod in find_owned_pods(world, case.app, name)]
        troubles += [_kept(world, pod) for pod in _try_to_evict(world, renewed, ask=True)]
        for node in sorted({pod["spec"].get("nodeName", "") for pod in _find(world, case.affected.pods)} - {""}):
            closed = bool(get(world.store.get("nodes", "", node) or {}, "spec", "unschedulable", default=False))
            _cordon(world, node, True)
            moving = [pod for pod in _find(world, case.affected.pods) if pod["spec"].get("nodeName") == node]
            troubles += _evict(world, moving)
            _cordon(world, node, closed)
        _await(world, case.app, case.app.components, START)
    return list(dict.fromkeys(troubles))


def _evict(world: World, pods: list[Obj]) -> list[Trouble]:
    """Move pods away, as a drain does, until they are gone; what a budget keeps is deleted in the end."""
    bound = [pod for pod in pods if (controller_of(pod) or {}).get("kind") == "DaemonSet"]
    kept = _try_to_evict(world, [pod for pod in pods if pod not in bound])
    for pod in (*kept, *bound):
        request(world, "delete", "pods", namespace_of(pod), name_of(pod))
    end = world.now + steady.SETTLE
    while world.now < end and any(_is_there(world, pod) for pod in pods):
        world.run(SECOND)
    return [_kept(world, pod) for pod in kept]


def _try_to_evict(world: World, pods: list[Obj], ask: bool = False) -> list[Obj]:
    """Evict pods, or only ask whether one might, as often as it takes; those that must stay for all that time."""
    end = world.now + DRAIN
    while (pods := [pod for pod in pods if _is_kept(world, pod, ask)]) and world.now < end:
        world.run(RETRY)
    return pods


def _is_kept(world: World, pod: Obj, ask: bool) -> bool:
    """Whether a pod that is to be evicted must stay for now."""
    body = {"apiVersion": "policy/v1", "kind": "Eviction", "metadata": {"name": name_of(pod)}}
    query = {"dryRun": "All"} if ask else {}
    place = namespace_of(pod), name_of(pod)
    answer = request(world, "create", "pods", *place, subresource="eviction", body=body, query=query)
    return answer.code >= 400 and answer.code != 404


def _kept(world: World, pod: Obj) -> Trouble:
    _, name = affected.find_owner(world, pod)
    return Trouble(EVICTED, name, f"the node of {name} cannot be drained: a disruption budget lets none of its pods go")


def _is_there(world: World, pod: Obj) -> bool:
    now = world.store.get("pods", namespace_of(pod), name_of(pod))
    return now is not None and uid_of(now) == uid_of(pod)


def _cordon(world: World, name: str, closed: bool) -> None:
    """What `kubectl cordon` or `uncordon` comes to: nobody and nothing can refuse it."""
    node = world.store.get("nodes", "", name)
    if node is not None and bool(get(node, "spec", "unschedulable", default=False)) != closed:
        path = ("spec", "unschedulable")
        world.store.put("nodes", assoc(node, path, True) if closed else dissoc(node, path))


def _patch(world: World, resource: str, namespace: str, name: str, body: Json) -> str:
    """Merge something into an object; what the API server has against it."""
    content_type = "application/merge-patch+json"
    answer = request(world, "patch", resource, namespace, name, body=body, content_type=content_type)
    return str(answer.body["message"]) if answer.code >= 400 else ""
