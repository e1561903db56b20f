"""Many measurements of one kind, written as a list of names and usual levels."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any

from aiops_gym.openrca.synth.model import Kpi, Series


def family(prefix: str, names: str, **common: Any) -> tuple[Kpi, ...]:
    """Measurements that have something in common.

    Args:
        prefix: before each name.
        names: `name level` or `name low..high`, with commas between them.
        common: what `Kpi` takes, for all of them.

    >>> [(kpi.name, kpi.base) for kpi in family("Com ", "Select 120, Insert Select 2..8")]
    [('Com Select', 120.0), ('Com Insert Select', (2.0, 8.0))]
    """
    return tuple(Kpi(name=prefix + name, base=base, **common) for name, base in _parsed(names))


def decisive(kpis: Iterable[Kpi], *names: str) -> tuple[Kpi, ...]:
    """The same, those whose names end so being decisive."""
    return tuple(replace(each, decisive=True) if each.name.endswith(names) else each for each in kpis)


def of(components: Iterable[str], *kpis: Kpi) -> Iterator[Series]:
    """A series of each measurement for each component, which owns it."""
    for component in components:
        for kpi in kpis:
            yield Series(component, kpi, component)


def _parsed(names: str) -> Iterator[tuple[str, float | tuple[float, float]]]:
    for part in names.split(","):
        name, _, level = part.strip().rpartition(" ")
        low, _, high = level.partition("..")
        yield name, (float(low), float(high)) if high else float(low)
