"""A small world with one namespace, and ways to ask its API."""

import json

import pytest
from api_world import RECORDINGS, new_world

from aiops_gym.sim import kube_api
from aiops_gym.types import Request


@pytest.fixture
def world():
    return new_world()


@pytest.fixture
def ask(world):
    """Ask the API: verb, resource, name, then whatever else a Request has."""

    def ask(verb, resource, name="", *, namespace="t", **rest):
        return kube_api.handle(world, Request(verb, resource, namespace, name, **rest))

    return ask


@pytest.fixture
def recorded():
    """Objects that a real 1.32 cluster gave."""
    return lambda name: json.loads((RECORDINGS / f"{name}.json").read_text())
