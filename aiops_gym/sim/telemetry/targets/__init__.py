"""What can be scraped: a file a kind of target, found by being here. Each offers `kind`, its metric families."""

from __future__ import annotations

from functools import cache

from aiops_gym.scan import list_modules, scan_one
from aiops_gym.sim.telemetry.families import Family, Kind, list_names


@cache
def find_kinds() -> dict[str, Kind]:
    """All kinds by the name of their file, which is what a program's `metrics` names."""
    return {name: scan_one(__name__, name, "kind") for name in list_modules(__name__)}


@cache
def index_families() -> dict[str, list[tuple[str, Family]]]:
    """Who exposes a series: kinds and their families by the names of all series, in the order of the kinds."""
    found: dict[str, list[tuple[str, Family]]] = {}
    for kind, exposed in find_kinds().items():
        for family in exposed.families:
            for name in list_names(family):
                found.setdefault(name, []).append((kind, family))
    return found
