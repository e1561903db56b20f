"""A healthy application in Docker, and a shell on its host."""

import pytest

from aiops_gym.backends import Simulated
from aiops_gym.catalog import registry


@pytest.fixture(scope="session")
def incident():
    return Simulated(registry.find_problem("noop_detection_flower-1"), 7, noise=False)


@pytest.fixture
def shell(incident):
    return incident.fork().shell
