"""How each component does at a moment, for whoever watches an episode; no agent may see it.

All of it follows from the outcome that the world keeps anyway. A call's share of success is what its caller would see
if it called now, whatever happened before; a component does as well as the calls that are made to it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from aiops_gym.catalog.model import App
from aiops_gym.sim.kernel.objects import get
from aiops_gym.sim.kernel.world import World
from aiops_gym.sim.network.routes import find_network
from aiops_gym.sim.traffic import strain, timeline
from aiops_gym.sim.traffic.graph import count_cores
from aiops_gym.sim.traffic.outcomes import solve
from aiops_gym.types import Json

USERS = ""
"""Who makes the first calls."""

Edge = tuple[str, str]
Slot = tuple[str, str, int]
"""A call in the program: caller (USERS: an operation), handler (or operation), its place among the handler's calls."""


class Seen(NamedTuple):
    """What became of a call: rate of its handler, share that succeeds, mean ms, and the components that it reaches."""

    rps: float
    ok: float
    ms: float
    to: frozenset[str]


Calls = Mapping[Slot, Sequence[Seen]]


@dataclass
class Measure:
    """Measures one incident, and remembers what it measured last.

    Attributes:
        edges: who calls whom, before anything went wrong; USERS first, the rest in the order of the calls. Those at the
            end, without a slot, are made at the start of a program only.
        slots: the edges that a call in a program belongs to, and how many calls a second go along them.
        usual: mean ms of each edge before anything went wrong.
    """

    edges: list[Edge]
    slots: dict[Slot, dict[Edge, float]]
    usual: dict[Edge, float]
    last: tuple[Json, Json] = field(default=((), {}))


def measure(before: World, app: App) -> Measure:
    """What is needed to measure an incident later, from its healthy world."""
    components = _components(before, app)
    slots: dict[Slot, dict[Edge, float]] = {}
    for slot, seen in _calls(before, components).items():
        for each in seen:
            for callee in sorted(each.to - {slot[0]}):
                edges = slots.setdefault(slot, {})
                edges[slot[0], callee] = edges.get((slot[0], callee), 0.0) + each.rps
    found = list(dict.fromkeys(edge for edges in slots.values() for edge in edges))
    found.sort(key=lambda edge: edge[0] != USERS)
    found += [edge for edge in _startup(before, components) if edge not in found]
    made = Measure(found, slots, {})
    made.usual = {edge: ms for edge, (_, ms) in _edges(made, _calls(before, components)).items()}
    return made


def health(world: World, app: App, made: Measure) -> dict[str, Json]:
    """The system as it is now: a pure read, JSON data.

    Returns:
        `components`: by name `ok` (share of the requests to it that succeed, None where none are made), `slow` (their
        mean time as a multiple of the usual, None where none succeeds), `ready` and `wanted` (pods). `users`: `ok` and
        `slow` of all their requests. `operations`: share that succeeds. `calls`: share that succeeds of each of
        `made.edges`, None where it is not made.
    """
    if world.tables["meta"]["dirty"]:  # what was not noted yet is noted by whoever moves the time
        world = world.fork()
    outcome = timeline.read_current(world)
    components = _components(world, app)
    key = (timeline.read_newest(world)[0], components, [count_cores(world, each) for each in outcome["processes"]])
    if made.last[0] != key:
        made.last = key, _traffic(made, world, app, components)
    calls = made.last[1]
    return {
        "users": dict(calls["users"]),
        "components": {name: {**calls["components"][name], **_pods(world, app, name)} for name in app.components},
        "operations": dict(calls["operations"]),
        "calls": list(calls["calls"]),
    }


def measure_calls(world: World, app: App, made: Measure) -> Mapping[tuple[Slot, Edge], tuple[float, float]]:
    """Share of success and mean ms of each call of each program that is made now, by the components it leads to."""
    calls = _calls(world, _components(world, app))
    alone = {slot: _edges(replace(made, slots={slot: edges}), calls) for slot, edges in made.slots.items()}
    return {(slot, edge): seen for slot, edges in alone.items() for edge, seen in edges.items()}


def _traffic(made: Measure, world: World, app: App, components: Mapping[str, str]) -> dict[str, Json]:
    edges = _edges(made, _calls(world, components))
    return {
        "users": _together(made, edges, [edge for edge in edges if edge[0] == USERS]),
        "components": {name: _together(made, edges, [e for e in edges if e[1] == name]) for name in app.components},
        "operations": {name: round(share, 3) for name, share in timeline.read_current(world)["success"].items()},
        "calls": [round(edges[edge][0], 3) if edge in edges else None for edge in made.edges],
    }


def _together(made: Measure, edges: Mapping[Edge, tuple[float, float]], chosen: Iterable[Edge]) -> dict[str, Json]:
    """Some calls taken together, weighted as usual."""
    found = [(edge, _usual_rate(made, edge)) for edge in chosen]
    weight = sum(rate for _, rate in found)
    if not weight:
        return {"ok": None, "slow": None}
    ok = sum(edges[edge][0] * rate for edge, rate in found) / weight
    now = sum(edges[edge][1] * rate for edge, rate in found)
    usual = sum(made.usual[edge] * rate for edge, rate in found)
    return {"ok": round(ok, 3), "slow": round(now / usual, 1) if ok and usual else None}


def _usual_rate(made: Measure, edge: Edge) -> float:
    return sum(edges.get(edge, 0.0) for edges in made.slots.values()) or 1e-9


def _edges(made: Measure, calls: Calls) -> dict[Edge, tuple[float, float]]:
    """Share of success and mean ms of each edge, over the calls that belong to it."""
    total: dict[Edge, list[float]] = {}
    for slot, edges in made.slots.items():
        seen = calls.get(slot, ())
        reached = sum(each.rps for each in seen)
        for each in seen:
            share = each.rps / reached if reached else 1.0 / len(seen)
            for edge, usual in edges.items():
                sums = total.setdefault(edge, [0.0, 0.0, 0.0])
                weight = (usual or 1e-9) * share
                for i, value in enumerate((weight, weight * each.ok, weight * each.ms)):
                    sums[i] += value
    return {edge: (ok / weight, ms / weight) for edge, (weight, ok, ms) in total.items() if weight}


def _calls(world: World, components: Mapping[str, str]) -> dict[Slot, list[Seen]]:
    """Every call of every handler that users can reach, solved as if it were made now and nobody ignored its error."""
    outcome = timeline.read_current(world)
    names = [components.get(key, "") for key in outcome["processes"]]
    nodes, entry, weights = outcome["nodes"], dict(outcome["entry"]), dict(outcome["weights"])
    slots: dict[str, tuple[Slot, int, Json]] = {}
    for number, node in enumerate(nodes):
        if not names[node["process"]]:  # what lives elsewhere is not watched
            continue
        for place, call in enumerate(_flat(node["calls"])):
            probe = f"{number} {place}"
            slots[probe] = (names[node["process"]], node["name"], place), number, call
            entry[probe], weights[probe] = {**call, "on_error": "fail", "p": 1.0}, 0.0
    limits = [count_cores(world, key) for key in outcome["processes"]]
    graph = {"nodes": nodes, "entry": entry, "processes": outcome["processes"], "cores": limits}
    solved = solve(graph, outcome["rate"], weights, dict(strain.read_levels(world)))
    found: dict[Slot, list[Seen]] = {}
    for name, call in outcome["entry"].items():
        rate = outcome["rate"] * outcome["weights"][name]
        seen = Seen(rate, solved["success"][name], solved["latency"][name], _reached(call, nodes, names))
        found[USERS, name, 0] = [seen]
    for probe, (slot, number, call) in slots.items():
        rate = solved["rps"][number] * call["p"]
        seen = Seen(rate, solved["success"][probe], solved["latency"][probe], _reached(call, nodes, names))
        found.setdefault(slot, []).append(seen)
    return found


def _flat(calls: Iterable[Json]) -> Iterator[Json]:
    for item in calls:
        yield from item if isinstance(item, list) else [item]


def _reached(call: Json, nodes: Sequence[Json], names: Sequence[str]) -> frozenset[str]:
    return frozenset(names[nodes[target[0]]["process"]] for target in call["to"] if target[0] >= 0) - {""}


def _components(world: World, app: App) -> dict[str, str]:
    """The component that each running process belongs to."""
    pods = {f"{app.namespace}/{pod['metadata']['name']}": pod for pod in world.store.all("pods", app.namespace)}
    found = {}
    for key, row in world.table("processes").items():
        labels = get(pods.get(row["pod"]) or {}, "metadata", "labels", default={}) or {}
        if row["running"] and (owner := app.find_owner(labels)) in app.components:
            found[key] = owner
    return found


def _startup(world: World, components: Mapping[str, str]) -> list[Edge]:
    """Who reads from whose database when it starts."""
    network, found = find_network(world), []
    for key, component in components.items():
        row = world.table("processes")[key]
        for step in row["params"].get("startup", ()):
            host, _, port = str((step.get("mongo") or {}).get("address", "")).rpartition(":")
            if not port.isdecimal():
                continue
            route = network.dial(key, row["pod"].partition("/")[0], host, int(port))
            found += [
                (component, components[target.process]) for target in route.targets if target.process in components
            ]
    return sorted(set(found))


def _pods(world: World, app: App, name: str) -> dict[str, int]:
    deployment: Mapping[str, Json] = world.store.get("deployments.apps", app.namespace, name) or {}
    ready = get(deployment, "status", "readyReplicas", default=0) or 0
    return {"ready": int(ready), "wanted": int(get(deployment, "spec", "replicas", default=0) or 0)}
