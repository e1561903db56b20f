"""Metric families: what a scrape target exposes, as data, and what it is worked out from."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from aiops_gym.sim.kernel import draws
from aiops_gym.sim.kernel.times import MINUTE
from aiops_gym.sim.kernel.world import World
from aiops_gym.sim.telemetry import journal
from aiops_gym.sim.telemetry.courses import Floats
from aiops_gym.sim.telemetry.lives import Life
from aiops_gym.types import Json

Labels = Mapping[str, str]
Column = tuple[Labels, Floats]
"""Labels and a value for each time of a scrape, NaN where there is none; a label `__name__` is another name than the
family's, as of the parts of a histogram."""

Rows = Iterable[tuple[Labels, float]]
Tell = Callable[[Mapping[str, Json]], Rows]
"""What an object says of itself."""

MIB = 2.0**20


class Scrape(NamedTuple):
    """What is asked of a target.

    Attributes:
        world: where.
        node: on which the target is, or of which it tells.
        life: the process that answers; None where that is no container.
        times: ms, increasing.
        seen: up to when it knows the objects, for each of the times.
        namespace: the only one of which the series are wanted; "" for all.
    """

    world: World
    node: str
    life: Life | None
    times: NDArray[np.int64]
    seen: NDArray[np.int64]
    namespace: str = ""

    @property
    def seconds(self) -> Floats:
        """The times in seconds."""
        found: Floats = self.times / 1000.0
        return found

    @property
    def started(self) -> int:
        """When what answers began, ms."""
        return self.life.started if self.life is not None else self.world.blueprint.start

    def constant(self, value: float) -> Floats:
        """The same value at each time."""
        return np.full(len(self.times), float(value))


class Family(NamedTuple):
    """One family: name, type as in the text format, help, and the series of a scrape."""

    name: str
    kind: str
    help: str
    read: Callable[[Scrape], Iterable[Column]]


class Kind(NamedTuple):
    """What targets of one kind expose.

    Attributes:
        families: in the order of their names.
        seconds: how long a scrape takes without any sample.
    """

    families: tuple[Family, ...]
    seconds: float = 0.003

    def named(self) -> dict[str, Family]:
        """The families by the names of all their series."""
        return {name: family for family in self.families for name in list_names(family)}


def list_names(family: Family) -> tuple[str, ...]:
    """The names of a family's series."""
    if family.kind == "histogram":
        return tuple(f"{family.name}{part}" for part in ("_bucket", "_count", "_sum"))
    return (family.name, f"{family.name}_count", f"{family.name}_sum") if family.kind == "summary" else (family.name,)


def constant(name: str, help_: str, value: float = 1.0, /, **labels: str) -> Family:
    """A gauge that never changes."""
    return Family(name, "gauge", help_, lambda scrape: [(labels, scrape.constant(value))])


def never(name: str, help_: str, /, **labels: str) -> Family:
    """A counter of what does not happen."""
    return constant(name, help_, 0.0, **labels)._replace(kind="counter")


def tell(name: str, help_: str, resource: str, rows: Tell, kind: str = "gauge") -> Family:
    """What the objects of a resource say of themselves."""
    return Family(name, kind, help_, lambda scrape: _told(scrape, resource, rows))


def _told(scrape: Scrape, resource: str, rows: Tell) -> Iterator[Column]:
    namespaced = resource not in ("nodes", "namespaces", "persistentvolumes")
    for versions in journal.list_versions(scrape.world, resource, scrape.namespace if namespaced else ""):
        found: dict[tuple[tuple[str, str], ...], Column] = {}
        for obj, where in journal.pick(versions, scrape.seen):
            for labels, value in rows(obj):
                column = found.setdefault(tuple(labels.items()), (labels, scrape.constant(np.nan)))
                column[1][where] = value
        yield from found.values()


def steady(name: str, help_: str, per_second: float, *rows: tuple[Labels, float]) -> Family:
    """Counters of what goes on at much the same pace: labels and the share of each."""
    shares: tuple[tuple[Labels, float], ...] = rows or (({}, 1.0),)

    def read(scrape: Scrape) -> Iterator[Column]:
        for labels, share in shares:
            yield labels, np.floor(grow(scrape, f"{name} {share} {sorted(labels.items())}") * per_second * share)

    return Family(name, "counter", help_, read)


Read = Callable[[Scrape], Floats]


def count_more(family: Family, more: Read, *shares: tuple[Labels, float]) -> Family:
    """The same counters, in which something else is counted as well: labels, and the share of it that they have."""

    def read(scrape: Scrape) -> Iterator[Column]:
        amount = more(scrape)
        for labels, values in family.read(scrape):
            share = sum(part for wanted, part in shares if wanted.items() <= labels.items())
            yield labels, values + np.floor(amount * share) if share else values

    return family._replace(read=read)


def histogram(
    name: str,
    help_: str,
    bounds: str,
    per_second: float,
    median: float,
    *rows: Labels,
    more: Read | None = None,
) -> Family:
    """How long something takes that goes on at much the same pace: half of it below `median`, in the unit of `bounds`.

    Args:
        name: without `_bucket`.
        help_: of the family.
        bounds: upper ones of the buckets but the last, between blanks.
        per_second: how often, for each of the rows.
        median: time.
        rows: labels of the series.
        more: how often it went on besides, since the start of what answers.
    """

    def read(scrape: Scrape) -> Iterator[Column]:
        for labels in rows or ({},):
            usual = grow(scrape, f"{name} {sorted(labels.items())}") * per_second
            yield from spread(name, labels, bounds, np.floor(usual if more is None else usual + more(scrape)), median)

    return Family(name, "histogram", help_, read)


def spread(name: str, labels: Labels, bounds: str, count: Floats, median: float) -> Iterator[Column]:
    """The series of one histogram: how often something had taken how long, half of it below `median`."""
    uppers = bounds.split()
    for upper, share in zip((*uppers, "+Inf"), (*(_below(float(u) / median) for u in uppers), 1.0), strict=True):
        yield {**labels, "__name__": f"{name}_bucket", "le": upper}, np.floor(count * share)
    yield {**labels, "__name__": f"{name}_count"}, count
    yield {**labels, "__name__": f"{name}_sum"}, np.round(count * median * 1.4, 9)


def _below(ratio: float) -> float:
    """The share of times below so many medians: a log-logistic distribution."""
    return ratio * ratio / (1.0 + ratio * ratio)


def grow(scrape: Scrape, purpose: str) -> Floats:
    """Seconds since the start of what answers, of which each minute counts a little more or less."""
    since = np.maximum(scrape.times - scrape.started, 0)
    minutes = since // MINUTE
    key = scrape.life.id if scrape.life is not None else scrape.node
    many = -(-int(minutes.max(initial=0) + 1) // 64) * 64
    factors = 0.9 + 0.2 * draws.uniforms(many, scrape.world.seed, "pace", f"{key} {purpose}")
    whole = np.concatenate([[0.0], np.cumsum(factors) * 60.0])
    found: Floats = whole[minutes] + factors[minutes] * (since % MINUTE) / 1000.0
    return found


def wobble(scrape: Scrape, purpose: str, spread: float) -> Floats:
    """A factor around 1 at each time: a level that breathes."""
    key = f"{scrape.life.id if scrape.life is not None else scrape.node} {purpose}"
    seed = scrape.world.seed
    return np.array([draws.between(1 - spread, 1 + spread, seed, "level", key, int(t // MINUTE)) for t in scrape.times])
