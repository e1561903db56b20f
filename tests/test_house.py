"""The laws of the house that no linter knows."""

from pathlib import Path

import pytest

import aiops_gym
from aiops_gym.catalog import cluster, registry

HOUSE = Path(aiops_gym.__file__).parent
SOURCES = sorted(HOUSE.rglob("*.py"))


def test_no_file_is_longer_than_a_reader_can_hold():
    long = {
        str(path.relative_to(HOUSE)): lines for path in SOURCES if (lines := len(path.read_text().splitlines())) > 500
    }
    assert not long


def _names():
    """What the simulation must not know by name: apps, faults, incidents, images, nodes."""
    for app in registry.apps().values():
        yield from (name for name in (app.id, app.namespace, app.selector) if name != "app")  # a word of everywhere
        yield from (name for name in app.images if name not in {"memcached:latest"})
    yield from (f"{fault}.py" for fault in registry.faults())
    yield from (fault for fault in registry.faults() if "_" in fault and fault not in EFFECTS)
    yield from (problem.id for problem in registry.problems())
    yield from (cluster.CONTROL_PLANE, cluster.WORKER)


EFFECTS = {"container_kill", "pod_failure", "network_loss", "network_delay"}
"""Faults that are one declared effect: the simulation knows the effect, by the same word."""


@pytest.mark.parametrize("name", sorted(set(_names())))
def test_the_simulation_knows_no_scenario_by_name(name):
    found = [str(path.relative_to(HOUSE)) for path in (HOUSE / "sim").rglob("*.py") if name in _code(path)]
    assert not found


def _code(path: Path) -> str:
    """A source without its comments and docstring examples, roughly: lines that do something."""
    lines = path.read_text().splitlines()
    return "\n".join(
        line for line in lines if not line.lstrip().startswith(("#", ">>>", "...", '"""')) and "`" not in line
    )
