"""Operations of JSON patches (RFC 6902) on a deployment that several faults have in common."""

from __future__ import annotations

from collections.abc import Mapping

from aiops_gym.catalog.scripts import CONTAINER
from aiops_gym.types import Json

Ops = tuple[Mapping[str, Json], ...]

PORT = "9464"
SCRAPED = {"prometheus.io/scrape": "true", "prometheus.io/port": PORT}


def set_variables(**variables: str) -> Ops:
    """Variables for the environment of the first container."""
    return tuple(
        {"op": "add", "path": f"{CONTAINER}/env/-", "value": {"name": name, "value": value}}
        for name, value in variables.items()
    )


def limit_processor(limit: str) -> Ops:
    """A limit of the first container's processor, of which hardly anything is reserved."""
    return (
        {
            "op": "add",
            "path": f"{CONTAINER}/resources",
            "value": {"limits": {"cpu": limit}, "requests": {"cpu": "10m"}},
        },
    )


UNLIMITED: Ops = ({"op": "add", "path": f"{CONTAINER}/resources", "value": {"requests": {"cpu": "5m"}}},)
"""No limit is named of the first container's processor: whoever has a say in that decides it."""
