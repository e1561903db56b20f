"""The way from a cause to what users notice: components, and the calls between them that fare worse than before.

Nothing of it is listed anywhere. Each call of each program is solved as if it were made now (`health`), before the
incident, at the page, and while the system is left alone for some minutes more: a container that crashes is up at
times. A call fares worse that succeeds more rarely or takes longer, by the limits that repairs are judged by: one
operation that does is enough, however many others between the same two do not.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import Any

from aiops_gym.backends.base import Path
from aiops_gym.backends.health import USERS, Edge, Measure, health, measure_calls
from aiops_gym.backends.steady import SLOWER, SLOWER_BY, TOLERANCE
from aiops_gym.catalog.model import App
from aiops_gym.sim.kernel.times import SECOND
from aiops_gym.sim.kernel.world import World

LOOKS = (0, 30 * SECOND, 60 * SECOND, 120 * SECOND)
"""Pauses before the looks at a system that is left alone."""


def trace(before: World, found: World, app: App, made: Measure, causes: Collection[str]) -> Path:
    """The way from causes to users.

    Args:
        before: the world just before the incident.
        found: the same at the page.
        app: the application.
        made: what `health` knows of it from before.
        causes: components in which something is wrong, "" for what lies in none. Of that, and where users are hurt
            through none of the components, the way ends at those that are hurt and that call nobody who is.
    """
    named = {*causes} - {""}
    elsewhere = "" in causes or not named
    worse, silent, down = _compare(before, found, app, made)
    # Who does not run calls nobody. If a call of theirs leads to a cause, or to who is down, it is what they died of.
    worse |= {edge for edge in silent if edge[1] in (named | down if elsewhere else named)}
    noticed = _reach([USERS], worse)
    ends = sorted(named & noticed)
    ends += _list_last(worse, noticed) if elsewhere or not ends else []
    back = _reach(ends, {(callee, caller) for caller, callee in worse})
    edges = {edge for edge in worse if set(edge) <= (noticed & back) and edge[0] != USERS}
    return Path(tuple(sorted(((noticed & back) | named) - {USERS})), tuple(sorted(edges)))


def _compare(before: World, found: World, app: App, made: Measure) -> tuple[set[Edge], set[Edge], set[str]]:
    """Calls that fare worse at any of the looks, those made no more for their caller is not there, and who is not."""
    usual, ready = measure_calls(before, app, made), _list_ready(before, app, made)
    called = {edge for _, edge in usual}
    world, worse, silent, gone = found.fork(), set[Edge](), set[Edge](), set[str]()
    for pause in LOOKS:
        world.run(pause)
        now = measure_calls(world, app, made)
        down = ready - _list_ready(world, app, made)
        gone |= down
        worse |= {call[1] for call, was in usual.items() if call in now and _is_worse(was, now[call])}
        still = {edge for _, edge in now}
        silent |= {edge for edge in made.edges if edge not in still and (edge in called or edge[0] in down)}
    return worse, silent, gone


def _is_worse(was: tuple[float, float], now: tuple[float, float]) -> bool:
    """Whether a call, by its share of success and its mean ms, fares worse."""
    return now[0] < was[0] - TOLERANCE or (now[0] > TOLERANCE and now[1] > SLOWER * was[1] + SLOWER_BY)


def _list_ready(world: World, app: App, made: Measure) -> frozenset[str]:
    components: Mapping[str, Any] = health(world, app, made)["components"]
    return frozenset(name for name, each in components.items() if each["ready"] >= max(1, each["wanted"]))


def _reach(starts: Iterable[str], edges: Collection[Edge]) -> set[str]:
    """Everything that is reached along edges, the starts included."""
    found, open_ = set(starts), list(starts)
    while open_:
        here = open_.pop()
        later = {there for start, there in edges if start == here} - found
        found |= later
        open_ += sorted(later)
    return found


def _list_last(worse: Collection[Edge], noticed: Collection[str]) -> list[str]:
    """Components at which trouble ends that users notice: they call nobody who fares worse."""
    return sorted(name for name in noticed if name != USERS and not any(caller == name for caller, _ in worse))
