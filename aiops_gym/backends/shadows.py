"""Shadows of faults: the same objects are written in the same way, and nothing breaks.

What an incident leaves behind beside its symptoms (something young, a pod that was replaced, a new policy) says nothing
where as much of it happens all the time: before an incident, while it unfolds, and in its place where nothing is wrong.
A shadow is drawn as an incident is: first the fault, then whom it befalls.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import singledispatch
from math import log
from typing import Any

from aiops_gym import caches
from aiops_gym.backends import leftovers
from aiops_gym.backends.baseline import request
from aiops_gym.backends.inject import apply_change, find_concerned, roll_out
from aiops_gym.catalog import registry
from aiops_gym.catalog.model import App, Change, Create, Fault, Patch, Problem, Restart, Rollout
from aiops_gym.catalog.splits import SPLITS
from aiops_gym.sim.kernel import draws
from aiops_gym.sim.kernel.times import MINUTE, SECOND
from aiops_gym.sim.kernel.world import World

RATE = 0.6
"""Shadows in a minute, before an incident and while it unfolds."""

BEFORE = 9 * MINUTE
"""How long before an incident the first one may be."""

LIVE = (
    "deployments.apps",
    "services",
    "configmaps",
    "networkpolicies.networking.k8s.io",
    "resourcequotas",
    "secrets",
    "serviceaccounts",
)
"""What a fault may be about, by resource."""

CONTACTS = ("team-blue", "team-green", "on-call", "platform")


def find_live_fault(world: World, app: App, problem: Problem, seed: int | None) -> Fault | None:
    """The fault of a problem as it befalls a world, and the repairs that put back what is there now."""
    if not problem.fault:
        return None
    store = world.store
    live = [each for resource in LIVE for each in store.all(resource, app.namespace)]
    return registry.find_fault(problem, [*live, *store.all("nodes")], seed)


def draw_shadow(world: World, app: App, seed: int) -> Fault:
    """A fault that might befall a world now."""
    pairs = _list_pairs(app.id)
    families = sorted(pairs)
    problems = pairs[families[draws.pick(len(families), seed, "shadow", "fault")]]
    found = find_live_fault(world, app, problems[draws.pick(len(problems), seed, "shadow", "target")], seed)
    assert found is not None
    return found


@caches.function(len(registry.apps()), "which faults may befall an app, and whom")
def _list_pairs(app_id: str) -> Mapping[str, tuple[Problem, ...]]:
    found: dict[str, list[Problem]] = {}
    for problem in (p for split in SPLITS for p in registry.problems("detection", app_id, split)):
        if problem.fault and registry.is_lived_in(problem):
            found.setdefault(problem.fault, []).append(problem)
    return {fault: tuple(problems) for fault, problems in found.items()}


def cast(world: World, app: App, fault: Fault, seed: int, spared: frozenset[str] = frozenset()) -> None:
    """Write what a fault would write, so that nothing breaks.

    Nothing is about a component that is spared; where all are, for pods could not come back, no pod is made anew.
    """
    everything = len(spared) == len(app.components)
    if find_concerned(app, fault) & spared and not everything:
        return
    for change in (each for each in fault.changes if not everything or _leaves_pods(each)):
        _cast(change, world, app, seed)
        world.run(3 * SECOND)
    leftovers.note_noise(world)


def _leaves_pods(change: Change) -> bool:
    """Whether a change makes no pod and replaces none."""
    if isinstance(change, Create):
        return change.manifest["kind"] != "Deployment"
    return isinstance(change, Patch) and change.resource != "deployments.apps"


def cast_many(world: World, app: App, seed: int, wait: int, spared: frozenset[str] = frozenset()) -> None:
    """Let time pass, and shadows fall at moments drawn for them."""
    end, at, number = world.now + wait, world.now, 0
    while True:
        at += round(-log(1.0 - draws.draw(seed, "shadow moment", "", number)) * MINUTE / RATE)
        if at >= end:
            break
        world.run_until(max(world.now, at))
        each = draws.bits(seed, "shadows", str(number))
        cast(world, app, draw_shadow(world, app, each), each, spared)
        number += 1
    world.run_until(max(world.now, end))


@singledispatch
def _cast(change: Change, world: World, app: App, seed: int) -> None:
    """One change; what cannot be seen from outside has no shadow."""


@_cast.register
def _patch(change: Patch, world: World, app: App, seed: int) -> None:
    if not change.name:
        return
    if change.recreate:
        apply_change(Patch(resource=change.resource, name=change.name, ops=(), recreate=True), world, app)
    elif change.resource == "deployments.apps":
        roll_out(world, app, change.name)
    else:
        contact = CONTACTS[draws.pick(len(CONTACTS), seed, "shadow", "contact")]
        body = {"metadata": {"annotations": {"contact": contact}}}
        namespace = "" if change.resource == "nodes" else app.namespace
        kind = "application/merge-patch+json"
        request(world, "patch", change.resource, namespace, change.name, body=body, content_type=kind)


@_cast.register
def _create(change: Create, world: World, app: App, seed: int) -> None:
    manifest = dict(change.manifest)
    harmless = HARMLESS.get(manifest["kind"])
    if harmless is not None:
        apply_change(Create(manifest={**manifest, **harmless(manifest, seed)}), world, app)


def _policy(manifest: Mapping[str, Any], seed: int) -> dict[str, Any]:
    """A policy that admits everybody, or lets out whoever goes."""
    direction = str(manifest["spec"]["policyTypes"][0]).lower()
    return {"spec": {**manifest["spec"], direction: [{}]}}


def _quota(manifest: Mapping[str, Any], seed: int) -> dict[str, Any]:
    return {"spec": {"hard": {"pods": str(80 + 20 * draws.pick(8, seed, "shadow", "pods"))}}}


def _deployment(manifest: Mapping[str, Any], seed: int) -> dict[str, Any]:
    """The same pods, which no Service selects."""
    template = manifest["spec"]["template"]
    labels = manifest["spec"]["selector"]["matchLabels"]
    return {"spec": {**manifest["spec"], "template": {**template, "metadata": {"labels": dict(labels)}}}}


def _map(manifest: Mapping[str, Any], seed: int) -> dict[str, Any]:
    return {"data": {"config.json": '{"state": "planned"}\n'}}


HARMLESS = {"NetworkPolicy": _policy, "ResourceQuota": _quota, "Deployment": _deployment, "ConfigMap": _map}
"""What an object of a kind says that does no harm; a claim to a volume has no such form."""


@_cast.register
def _restart(change: Restart, world: World, app: App, seed: int) -> None:
    apply_change(change, world, app)


@_cast.register
def _rollout(change: Rollout, world: World, app: App, seed: int) -> None:
    apply_change(change, world, app)
