"""The laws of the house that no linter knows."""

from functools import cache
from pathlib import Path

import pytest

import aiops_gym
from aiops_gym.catalog import cluster, registry
from aiops_gym.sim.software import programs

HOUSE = Path(aiops_gym.__file__).parent
SOURCES = sorted(HOUSE.rglob("*.py"))


def test_no_file_is_longer_than_a_reader_can_hold():
    long = {
        str(path.relative_to(HOUSE)): lines for path in SOURCES if (lines := len(path.read_text().splitlines())) > 500
    }
    assert not long


def _names():
    """What the simulation must not know by name: apps, faults, incidents, images, nodes."""
    for app in (*registry.apps().values(), *map(registry.find_app, ("astronomy_shop", "flower"))):
        words = (app.id, app.namespace, app.selector)  # without words of everywhere
        yield from (name for name in words if name not in {"app", "docker"} and "kubernetes.io/" not in name)
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


@cache
def _code(path: Path) -> str:
    """A source without its comments and docstring examples, roughly: lines that do something."""
    lines = path.read_text().splitlines()
    return "\n".join(
        line for line in lines if not line.lstrip().startswith(("#", ">>>", "...", '"""')) and "`" not in line
    )


BY_NAME = {
    "scan.py": "the one scan of folders that are registries",
    "__init__.py": "public names, loaded when first asked for",
    "openrca/__init__.py": "public names, loaded when first asked for",
    "agents/base.py": "agents of users, by module:name",
    "runs/tokenizer.py": "tokenizers of users, by module:function",
    "agents/chat/client.py": "httpx, an extra",
    "sim/software/mongo/javascript.py": "quickjs, loaded on the first use only",
    "cli/benches/readers/__main__.py": "one rival in a process of its own, without the others' packages",
}
"""Who may import by a name that is worked out, and why; import-linter sees none of these arrows."""


def test_modules_are_imported_by_a_name_that_is_worked_out_in_few_places_only():
    found = {str(path.relative_to(HOUSE)) for path in SOURCES if "import_module(" in _code(path)}
    assert found == set(BY_NAME)


LOWER = ("kernel", "network", "machine", "kube_api", "traffic", "telemetry")
GENERIC = {"sh", "idle", "pause", "git"}
"""Kinds of programs whose names are words of the machine itself."""


@pytest.mark.parametrize("kind", sorted(set(programs.list_kinds()) - GENERIC))
def test_a_room_below_the_software_knows_no_program_by_name(kind):
    """How client libraries fail is data by protocol, and a protocol may be called as its server is."""
    files = [path for room in LOWER for path in (HOUSE / "sim" / room).rglob("*.py") if path.parent.name != "clients"]
    assert not [str(path.relative_to(HOUSE)) for path in files if f'"{kind}"' in _code(path)]
