"""Traces: call trees played many times at once, times nested from the callers to the called."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from aiops_gym.openrca.synth.hits import find_call_hits
from aiops_gym.openrca.synth.model import Call, Day, Failure, Operation, Slow

TRACES = 0.03
"""Least share of the full volume on the profile `hard`: fewer calls would not let a slow one be seen."""

LEAD = 0.3
"""Share of its own time that a component spends before its first call."""


@dataclass(frozen=True, kw_only=True)
class Spans:
    """Spans in the order of the tree, not of time.

    Attributes:
        start: Unix milliseconds.
        order: its start had nothing failed; rows are to be sorted by this.
        duration: milliseconds, the calls that it makes included.
        wire: milliseconds on the network, there and back, before and after it.
        place: index into `places`.
        instance: index into `instances`.
        parent: row of the caller, -1 for a root.
        trace: number of the trace in this piece.
        error: it failed itself.
        failed: it or what it called failed.
    """

    start: np.ndarray
    order: np.ndarray
    duration: np.ndarray
    wire: np.ndarray
    place: np.ndarray
    instance: np.ndarray
    parent: np.ndarray
    trace: np.ndarray
    error: np.ndarray
    failed: np.ndarray
    places: list[Call]
    instances: list[str]

    @property
    def count(self) -> int:
        """How many."""
        return len(self.start)


@dataclass(slots=True)
class _Node:
    """A place of a tree and its executions."""

    call: Call
    above: int
    operation: int
    rows: slice = field(default_factory=lambda: slice(0, 0))


def spans(day: Day, operations: Sequence[Operation], rate: float, start: int, end: int, purpose: str) -> Spans:
    """The spans of the traces that begin in [start, end), Unix seconds.

    Args:
        rate: traces a minute under usual load at scale 1.
    """
    rng = day.chance(purpose, start)
    begins, chosen = _arrivals(day, operations, rate, start, end, rng)
    nodes = [node for number, each in enumerate(operations) for node in _nodes(each.call, number)]
    drawn = _play(nodes, chosen, rng)
    moments = begins[drawn.trace] / 1000
    usual = _times(nodes, drawn, begins, drawn.own, drawn.wire)
    hits = find_call_hits(day, start, end + 60)
    own, wire, error = _slowed(hits, drawn, moments) if hits else (drawn.own, drawn.wire, np.zeros(len(moments), bool))
    begun, lasted = _times(nodes, drawn, begins, own, wire) if hits else usual
    return Spans(
        start=begun,
        order=usual[0],
        duration=lasted,
        wire=wire,
        place=drawn.place,
        instance=drawn.instance,
        parent=drawn.parent,
        trace=drawn.trace,
        error=error,
        failed=_spread(nodes, drawn.parent, error) if error.any() else error,
        places=[node.call for node in nodes],
        instances=drawn.instances,
    )


@dataclass(frozen=True, kw_only=True)
class _Drawn:
    """All that chance decides, the same whatever fails."""

    place: np.ndarray
    instance: np.ndarray
    parent: np.ndarray
    trace: np.ndarray
    own: np.ndarray
    wire: np.ndarray
    luck: np.ndarray
    instances: list[str]


def _arrivals(
    day: Day, operations: Sequence[Operation], rate: float, start: int, end: int, rng: np.random.Generator
) -> tuple[np.ndarray, np.ndarray]:
    """When traces begin, in Unix milliseconds, and which operation each is."""
    minutes = np.arange(start, end, 60)
    scale = max(day.scale, TRACES) if day.hard else day.scale
    numbers = rng.poisson(rate * scale * day.load(minutes))
    begins = np.repeat(minutes, numbers) * 1000.0 + rng.random(int(numbers.sum())) * 60_000
    begins.sort()
    weights = np.cumsum([each.weight for each in operations])
    return begins, np.searchsorted(weights / weights[-1], rng.random(len(begins)), side="right")


def _nodes(call: Call, operation: int) -> list[_Node]:
    """A tree from the top; the places above are numbers within it."""
    found = [_Node(call, -1, operation)]
    for each in call.calls:
        base = len(found)
        for node in _nodes(each, operation):
            node.above = 0 if node.above < 0 else node.above + base
            found.append(node)
    return found


def _play(nodes: list[_Node], chosen: np.ndarray, rng: np.random.Generator) -> _Drawn:
    names = list(dict.fromkeys(name for node in nodes for name in node.call.at))
    number = {name: each for each, name in enumerate(names)}
    parts: dict[str, list[np.ndarray]] = {each: [] for each in ("instance", "parent", "trace", "own", "wire", "luck")}
    count, first = 0, 0
    for index, node in enumerate(nodes):
        if node.above < 0:
            first = index
            trace = np.flatnonzero(chosen == node.operation)
            parent = np.full(len(trace), -1, np.int32)
        else:
            above = nodes[first + node.above]
            node.above += first
            made = rng.random(above.rows.stop - above.rows.start) < node.call.chance
            parent = (np.flatnonzero(made) + above.rows.start).astype(np.int32)
            trace = parts["trace"][node.above][made]
        n = len(trace)
        node.rows = slice(count, count + n)
        count += n
        at = np.array([number[name] for name in node.call.at], np.int32)
        same = parts["instance"][node.above][made] if not len(at) else at[rng.integers(len(at), size=n)]
        parts["instance"].append(same)
        parts["parent"].append(parent)
        parts["trace"].append(trace)
        parts["own"].append(node.call.time * np.exp(node.call.spread * rng.standard_normal(n)))
        parts["wire"].append(node.call.wire * np.exp(0.4 * rng.standard_normal(n)))
        parts["luck"].append(rng.random(n))
    place = np.repeat(np.arange(len(nodes), dtype=np.int32), [node.rows.stop - node.rows.start for node in nodes])
    joined = {name: np.concatenate(arrays) for name, arrays in parts.items()}
    return _Drawn(place=place, instances=names, **joined)


def _times(
    nodes: list[_Node], drawn: _Drawn, begins: np.ndarray, own: np.ndarray, wire: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Starts and durations: durations from the leaves up, starts from the roots down."""
    lasted = own.copy()
    for node in reversed(nodes):
        if node.above >= 0:
            parent, took = drawn.parent[node.rows], wire[node.rows] + lasted[node.rows]
            if nodes[node.above].call.together:
                lasted[parent] = np.maximum(lasted[parent], own[parent] + took)
            else:
                lasted[parent] += took
    started = begins[drawn.trace]
    used = LEAD * own
    for node in nodes:
        if node.above >= 0:
            parent = drawn.parent[node.rows]
            started[node.rows] = started[parent] + used[parent] + wire[node.rows] / 2
            if not nodes[node.above].call.together:
                used[parent] += wire[node.rows] + lasted[node.rows]
    return started, lasted


def _slowed(
    hits: list[tuple[Failure, Slow, tuple[str, ...]]], drawn: _Drawn, moments: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    own, wire, error = drawn.own.copy(), drawn.wire.copy(), np.zeros(len(moments), bool)
    called = drawn.parent >= 0
    for failure, slow, names in hits:
        now = np.flatnonzero((moments >= failure.onset) & (moments < failure.end) & (drawn.luck < slow.share))
        hit = np.isin(
            np.arange(len(drawn.instances)), [drawn.instances.index(n) for n in names if n in drawn.instances]
        )
        served = now[hit[drawn.instance[now]]]
        own[served] *= 1 + (slow.own - 1) * failure.intensity
        error[served[drawn.luck[served] < slow.share * slow.failed * failure.intensity]] = True
        if slow.wire:
            linked = now[called[now]]
            here, there = drawn.instance[linked], drawn.instance[drawn.parent[linked]]
            linked = linked[(hit[here] | hit[there]) & (here != there)]
            wire[linked] += slow.wire * failure.intensity * np.exp(0.5 * _bell(drawn.luck[linked] / slow.share))
    return own, wire, error


def _bell(luck: np.ndarray) -> np.ndarray:
    """A bell-shaped number from an even one: no draw more where something fails."""
    even = np.clip(luck * 7919 % 1, 1e-6, 1 - 1e-6)
    bell: np.ndarray = np.log(even / (1 - even)) / 1.7
    return bell


def _spread(nodes: list[_Node], parent: np.ndarray, error: np.ndarray) -> np.ndarray:
    """A caller of what failed has failed."""
    failed = error.copy()
    for node in reversed(nodes):
        if node.above >= 0:
            rows = np.arange(node.rows.start, node.rows.stop)[failed[node.rows]]
            failed[parent[rows]] = True
    return failed
