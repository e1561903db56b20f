"""Who waited for what failed: the causal graph of a synthetic failure, from the calls of its world."""

from __future__ import annotations

from collections.abc import Iterator

from aiops_gym.openrca.causes import Graph
from aiops_gym.openrca.synth.model import Call, Failure, World


def list_callers(world: World) -> dict[str, tuple[str, ...]]:
    """Of each instance those that may call it, sorted."""
    found: dict[str, set[str]] = {}
    for operation in world.operations:
        for above, below in _edges(operation.call, operation.call.at):
            found.setdefault(below, set()).add(above)
    return {name: tuple(sorted(above)) for name, above in sorted(found.items())}


def trace_graph(world: World, failure: Failure) -> Graph:
    """From the component over the instances that feel it to those that wait for these, up to the entries."""
    callers, edges = list_callers(world), []
    felt = world.felt(failure.component)
    edges += [(failure.component, name) for name in felt if name != failure.component]
    seen, waiting = set(felt), list(felt)
    while waiting:
        name = waiting.pop(0)
        for above in callers.get(name, ()):
            edges.append((name, above))
            if above not in seen:
                seen.add(above)
                waiting.append(above)
    return Graph(tuple(sorted({failure.component, *seen})), tuple(dict.fromkeys(edges)))


def _edges(call: Call, at: tuple[str, ...]) -> Iterator[tuple[str, str]]:
    for each in call.calls:
        below = each.at or at
        yield from ((one, other) for one in at for other in below if one != other)
        yield from _edges(each, below)
