"""What can be scraped: a file a kind of target, found by being here. Each offers `kind`, its metric families."""

from __future__ import annotations

from functools import cache

from aiops_gym.scan import list_modules, scan_one
from aiops_gym.sim.telemetry.families import Kind


@cache
def find_kinds() -> dict[str, Kind]:
    """All kinds by the name of their file, which is what a program's `metrics` names."""
    return {name: scan_one(__name__, name, "kind") for name in list_modules(__name__)}
