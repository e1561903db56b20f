"""What is particular to each kind: one or several to a file, in `KINDS`; the folder is the registry."""

from __future__ import annotations

from functools import cache

from aiops_gym.scan import scan
from aiops_gym.sim.kube_api.kind import Kind


@cache
def load_kinds() -> dict[str, Kind]:
    """All kinds with something particular to them, by resource."""
    return {kind.resource: kind for several in scan(__name__, "KINDS").values() for kind in several}


@cache
def kind_of(resource: str) -> Kind:
    """How a resource's objects are treated."""
    return load_kinds().get(resource) or Kind(resource=resource)
