"""`kubectl explain` prints what the real one makes of the served documents, for any field of any kind."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
import recording
from sides import EMULATED, Case, Real, kubectl, ours

from aiops_gym.serve import door
from aiops_gym.sim.kube_api.resources import RESOURCES
from aiops_gym.sim.kube_api.schema import fields, type_of

FIXED = (
    "pods",
    "deployments.apps.spec.template.spec.containers.livenessProbe.httpGet.port",
    "pods.spec.containers.resources.limits",
    "persistentvolumes.spec.rbd",
    "hpa --recursive",
    "crd.spec.versions.schema.openAPIV3Schema",
    "pods.spec.containers.nonsense",
)
"""An object, a nested value, a map, fields without texts, all below, a type inside itself, and what is not there."""

DRAWN = 300


def drawn(count: int, seed: int) -> Iterator[str]:
    """Kinds with a way into their fields, some with all that is below."""
    chance = random.Random(seed)
    for resource in chance.choices(list(RESOURCES.values()), k=count):
        words, kind = [resource.name], type_of(resource.api_version, resource.kind)
        while (known := fields(kind)) and chance.random() < 0.8:
            words.append(chance.choice(sorted(known)))
            kind = known[words[-1]].type
        yield ".".join(words) + chance.choice(("", "", "", " --recursive"))


def agrees(home: Path, lines: Sequence[str]) -> None:
    program = kubectl()
    if program is None or program.version != EMULATED:
        pytest.skip("no kubectl of 1.32 here")
    world = recording.read("healthy").world
    with door(world.fork()) as opened:
        real = Real(opened, home)
        for line in lines:
            case = Case(line, "healthy", ["explain", *line.split()])
            left, began, _ = real(case)
            assert ours(case, world, began) == left, line


def test_some_fields_of_each_sort_are_explained_alike(tmp_path: Path) -> None:
    agrees(tmp_path, FIXED)


@pytest.mark.full
def test_fields_drawn_from_all_kinds_are_explained_alike(tmp_path: Path) -> None:
    agrees(tmp_path, list(drawn(DRAWN, 20261126)))
