"""What the cluster's Prometheus has: all series of all its targets, worked out when a query names them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

import numpy as np

from aiops_gym.sim.kernel import draws
from aiops_gym.sim.kernel.times import HOUR, MINUTE
from aiops_gym.sim.kernel.world import World
from aiops_gym.sim.promql.patterns import Condition, compile_matcher
from aiops_gym.sim.promql.series import STALE, Matcher, Series, is_stale
from aiops_gym.sim.telemetry.courses import Floats
from aiops_gym.sim.telemetry.discovery import Mask, Target, Times, Window, floors, list_targets, open_window
from aiops_gym.sim.telemetry.families import Column, Family, Kind, Scrape, constant
from aiops_gym.sim.telemetry.lives import Life
from aiops_gym.sim.telemetry.targets import find_kinds, index_families

KEPT = HOUR
"""Milliseconds back to which series are known: of what ended before that, nothing is left."""

OWN = ("up", "scrape_duration_seconds", "scrape_samples_post_metric_relabeling", "scrape_samples_scraped")
"""Series that Prometheus makes of each scrape."""

PER_SAMPLE = 6e-6
"""Seconds that a scrape takes longer with each sample."""


class Telemetry:
    """The series of a world, see `promql.series.Source`.

    Args:
        world: whose; it is only read.
    """

    def __init__(self, world: World) -> None:
        self.world = world
        self._discovered: dict[tuple[int, ...], tuple[Window, dict[frozenset[str], list[Target]]]] = {}

    def select(self, matchers: Sequence[Matcher], start: int, end: int) -> list[Series]:
        """The series that all matchers take, sorted by labels, with their samples in (start, end] ms."""
        world = self.world
        start, end = max(start, world.now - KEPT), min(end, world.now)
        if end <= start:
            return []
        tests = _tests(matchers)
        chosen = _choose([each for each in matchers if each.label == "__name__"])
        found: list[Series] = []
        kinds = chosen if chosen[""] else [kind for kind, families in chosen.items() if families]
        for target in self._discover(start, end, frozenset(kinds)) if kinds else ():
            if not _may(target, tests):
                continue
            found += _store(target, _columns(world, target, chosen, _namespace(target, matchers)), tests, start)
        return _merged(sorted(found, key=lambda series: series.labels))

    def _discover(self, start: int, end: int, kinds: frozenset[str]) -> list[Target]:
        """The targets in some time, looked for once while nothing happens: many rules ask for the same time."""
        world = self.world
        key = (start, end, world.now, world.store.version, int(world.table("meta")["count"]))
        if key not in self._discovered:  # one scrape more tells what has ended
            self._discovered[key] = open_window(world, start - MINUTE, end), {}
        window, known = self._discovered[key]
        if kinds not in known:
            known[kinds] = list_targets(window, kinds)
        return known[kinds]

    def list_metrics(self) -> list[tuple[str, str, str]]:
        """Name, type and help of all families that there may be."""
        families = [constant(name, "") for name in OWN] + [f for kind in find_kinds().values() for f in kind.families]
        return sorted({family.name: (family.name, family.kind, family.help) for family in families}.values())


def open_source(world: World) -> Telemetry:
    """All series of a world."""
    return Telemetry(world)


def _tests(matchers: Iterable[Matcher]) -> list[tuple[str, Condition]]:
    return [(each.label, compile_matcher(each)) for each in matchers]


def _may(target: Target, tests: Sequence[tuple[str, Condition]]) -> bool:
    """Whether series of a target may be meant: nothing that it exposes has another job or instance."""
    return all(test(target.labels[label]) for label, test in tests if label in ("job", "instance"))


def _namespace(target: Target, matchers: Iterable[Matcher]) -> str:
    """The only namespace that is asked for, where the target's own series name one."""
    asked = next((m.value for m in matchers if (m.label, m.op) == ("namespace", "=")), "")
    return "" if target.kind not in ("cadvisor", "kube_state", "kubelet") else asked


def _choose(names: Sequence[Matcher]) -> dict[str, Sequence[Family]]:
    """The families of each kind of which series may be meant, and which of Prometheus' own, under ""."""
    tests, known = [compile_matcher(each) for each in names], index_families()
    exact = next((each.value for each in names if each.op == "="), None)
    found: dict[str, dict[str, Family]] = {kind: {} for kind in find_kinds()}
    for name in known if exact is None else known.keys() & {exact}:
        if all(test(name) for test in tests):
            for kind, family in known[name]:
                found[kind][family.name] = family
    own = [constant(name, "") for name in OWN if all(test(name) for test in tests)]
    return {**{kind: [*families.values()] for kind, families in found.items()}, "": own}


def _columns(world: World, target: Target, chosen: Mapping[str, Sequence[Family]], namespace: str) -> Iterator[Column]:
    """What a target's scrapes found, of the families that are asked for, and what is told of the scrapes."""
    if target.kind and chosen[target.kind]:
        yield from _exposed(world, target, chosen[target.kind], namespace)
    if chosen[""]:
        yield from _own(world, target, [family.name for family in chosen[""]])


def _exposed(world: World, target: Target, families: Sequence[Family], namespace: str = "") -> Iterator[Column]:
    """The series of families, at all scrapes of a target; NaN where it has none."""
    for life, where in _lives(target):
        scrape = Scrape(world, target.node, life, target.times[where], floors(target.times[where]), namespace)
        whole = bool(where.all())
        for family in families:
            for labels, values in family.read(scrape):
                name = {"__name__": family.name, **labels}
                if whole:
                    yield name, values
                else:
                    column = np.full(len(target.times), np.nan)
                    column[where] = values
                    yield name, column


def _lives(target: Target) -> Iterator[tuple[Life | None, Mask]]:
    """Who answered, and at which scrapes."""
    if target.lives is None:
        if target.up.any():
            yield None, target.up
        return
    left = target.up.copy()
    for life in target.lives:
        where = left & (target.times >= life.started)
        if life.ended:
            where &= target.times < life.ended
        left &= ~where
        if where.any():
            yield life, where


def _own(world: World, target: Target, names: Sequence[str]) -> Iterator[Column]:
    kind = find_kinds().get(target.kind, Kind(()))
    counts: Floats = np.zeros(len(target.times))
    if names != ["up"]:
        for _, values in _exposed(world, target, kind.families):
            counts += ~np.isnan(values)
    key = f"{target.labels['job']} {target.labels['instance']}"
    for name in names:
        values = target.up.astype(np.float64) if name == "up" else counts.copy()
        if name == "scrape_duration_seconds":
            seed, times = world.seed, target.times
            factors = np.array([draws.lognormal(1.0, 0.2, seed, "scrape duration", key, int(t)) for t in times])
            values = np.round(np.where(target.up, kind.seconds + counts * PER_SAMPLE, 0.0009) * factors, 9)
        values[~target.there] = np.nan
        yield {"__name__": name}, values


def _store(
    target: Target, columns: Iterable[Column], tests: Sequence[tuple[str, Condition]], start: int
) -> Iterator[Series]:
    """Those series of a target that all tests take and that have samples, as they are stored."""
    usual, first = target.labels, int(target.times.searchsorted(start, side="right"))
    times = target.times[first:]
    for labels, values in columns:
        merged = {**usual, **labels}
        if not target.honor and not usual.keys().isdisjoint(labels):
            merged |= {f"exported_{name}": labels[name] for name in labels if name in usual}
            merged |= {name: usual[name] for name in labels if name in usual}
        if not all(test(merged.get(label, "")) for label, test in tests):
            continue
        gone = np.isnan(values)
        kept = _mark_ends(target.times, values, gone, first) if gone.any() else (times, values[first:])
        if len(kept[0]):
            yield Series(tuple(sorted([pair for pair in merged.items() if pair[1]])), *kept)


def _mark_ends(times: Times, values: Floats, gone: Mask, first: int) -> tuple[Times, Floats]:
    """The samples from the first one on without those that are gone; where a series ended it is marked as stale."""
    ended = np.zeros(len(times), dtype=np.bool_)
    ended[1:] = gone[1:] & ~gone[:-1]
    marked, keep = np.where(ended, STALE, values), ~gone | ended
    keep[:first] = False
    return times[keep], marked[keep]


def _merged(found: list[Series]) -> list[Series]:
    """Each series once: what answers at an address may have been another before."""
    merged: list[Series] = []
    for series in found:
        if merged and merged[-1].labels == series.labels:
            merged[-1] = _joined(merged[-1], series)
        else:
            merged.append(series)
    return merged


def _joined(one: Series, other: Series) -> Series:
    """Both; where one ended and the other goes on, it goes on."""
    times, values = np.concatenate([one.times, other.times]), np.concatenate([one.values, other.values])
    order = np.lexsort((is_stale(values), times))
    times, values = times[order], values[order]
    first = np.ones(len(times), dtype=np.bool_)
    first[1:] = times[1:] != times[:-1]
    return Series(one.labels, times[first], values[first])
