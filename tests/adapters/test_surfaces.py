"""All that an agent can see or name, of every door: nothing of it is the trainer's.

A surface is a function that lists the names which a door shows to an agent: attributes, tools and their arguments,
routes, resources. A new door is an entry in `SURFACES`.
"""

from __future__ import annotations

import re

import pytest

from aiops_gym.envs.naming import ENVS
from aiops_gym.serve.drawers import AGENTS, TRAINERS
from aiops_gym.serve.service import ROUTES
from aiops_gym.sessions import Sessions
from aiops_gym.tools.schemas import SHAPES, get_schemas

HIDDEN = ("reset", "score", "seed", "solution", "info", "problem", "reward", "snapshot", "restore", "fork", "close")


def session_surface():
    side = Sessions().create("noop_detection_hotel_reservation-1").agent
    return [name for name in dir(side) if not name.startswith("__")]


def schema_surface():
    schemas = [get_schemas(task, "all", shape) for task in ENVS for shape in SHAPES]
    return sorted({name for each in schemas for name in keys(each)})


def service_surface():
    return [path for _, path, what in ROUTES if what in AGENTS] + list(AGENTS)


SURFACES = [session_surface, schema_surface, service_surface]


def keys(schema):
    """Names of tools and arguments, and all keys, at any depth."""
    if isinstance(schema, dict):
        yield from schema
        if isinstance(schema.get("name"), str):
            yield schema["name"]
    for each in schema.values() if isinstance(schema, dict) else schema if isinstance(schema, list) else ():
        yield from keys(each)


def trainers(names):
    return [name for name in names if set(re.split(r"[^a-z]+", name.lower())) & set(HIDDEN)]


@pytest.mark.parametrize("surface", SURFACES, ids=lambda surface: surface.__name__)
def test_what_an_agent_sees_is_nothing_of_the_trainers(surface):
    names = surface()
    assert len(names) >= 4
    assert trainers(names) == []


def test_the_search_would_find_the_trainers_side():
    assert len(trainers(TRAINERS)) >= 5
    assert trainers(["get_logs", "/agent/act", "episode_seed"]) == ["episode_seed"]
