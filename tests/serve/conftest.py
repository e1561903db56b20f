"""A cluster with an application and a broken part, behind a door, and the programs that knock at it."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator

import pytest
from knocking import PROBLEM, Kubectl, Ran

from aiops_gym.backends import Simulated
from aiops_gym.catalog import registry
from aiops_gym.serve import Door, door
from aiops_gym.sim.kernel.world import World


@pytest.fixture(scope="session")
def incident() -> Simulated:
    """An incident that nobody changes."""
    return Simulated(registry.find_problem(PROBLEM), 7, noise=False)


@pytest.fixture
def world(incident: Simulated) -> World:
    """A world of one's own."""
    return incident.world.fork()


@pytest.fixture(scope="session")
def still(incident: Simulated) -> Iterator[Door]:
    """A door that all tests share which only look."""
    with door(incident.world.fork()) as opened:
        yield opened


@pytest.fixture
def opened(world: World) -> Iterator[Door]:
    """A door of one's own, where time flies."""
    with door(world, speed=20.0) as made:
        yield made


@pytest.fixture(scope="session")
def kubectl(tmp_path_factory: pytest.TempPathFactory) -> Kubectl:
    """The real kubectl, bound to nothing but the door it is given."""
    program = shutil.which("kubectl")
    if program is None or b"Client Version: v1.32" not in _version(program):
        pytest.skip("no kubectl of 1.32 here; newer ones word some answers differently")
    home = tmp_path_factory.mktemp("home")
    path = os.environ["PATH"]

    def run(place: Door, *words: str, stdin: str = "", **env: str) -> Ran:
        settings = {"PATH": path, "HOME": str(home), "KUBECONFIG": str(place), "LANG": "C", **env}
        done = subprocess.run(
            [program, *words],
            env=settings,
            input=stdin,
            capture_output=True,
            text=True,
            timeout=600,
            cwd=home,
            check=False,
        )
        return Ran(done.returncode, done.stdout, done.stderr)

    return run


def _version(program: str) -> bytes:
    return subprocess.run([program, "version", "--client"], capture_output=True, check=False).stdout
