"""Shadows of faults: the same objects are written in the same way, and nothing breaks.

What an incident leaves behind beside its symptoms (something young, a pod that was replaced, a new policy) says nothing
where as much of it happens all the time: before an incident, while it unfolds, and in its place where nothing is wrong.
A shadow is drawn as an incident is: first the fault, then whom it befalls.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import singledispatch
from math import log
from typing import Any

from aiops_gym import caches
from aiops_gym.backends import leftovers, upkeep
from aiops_gym.backends.baseline import is_furnished, request
from aiops_gym.backends.inject import apply_change, find_concerned, find_place, roll_out
from aiops_gym.catalog import names, registry
from aiops_gym.catalog.model import App, Change, Create, Fault, Manifest, Patch, Problem, Restart, Rollout, Script
from aiops_gym.catalog.splits import SPLITS
from aiops_gym.sim.kernel import draws
from aiops_gym.sim.kernel.times import MINUTE, SECOND
from aiops_gym.sim.kernel.world import World
from aiops_gym.sim.traffic import load

RATE = 1.0
"""Shadows in a minute, before an incident and while it unfolds; what they need not do is done in `backends.regular`."""

PAPER = 0.94
"""Share of those that only create something beside pods: they cost little, and are told by nothing but their age."""

UPKEEP = 0.4
"""Share of these, beside a platform, that are somebody's edit of it."""

MORE = 1.3
"""How many times as much there is before an incident, which costs only once."""

BEFORE = 6 * MINUTE
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

CANARY = ("canary", "preview", "next")
"""Values of the label `track` that no pod has."""

CONTACTS = ("team-blue", "team-green", "on-call", "platform")


def find_live_fault(world: World, app: App, problem: Problem, seed: int | None, *, bare: bool = False) -> Fault | None:
    """The fault of a problem as it befalls a world, and the repairs that put back what is there now, unless `bare`."""
    if not problem.fault:
        return None
    return registry.find_fault(problem, list_live(world, app, problem), seed, bare=bare)


def list_live(world: World, app: App, problem: Problem) -> list[Manifest]:
    """The objects of a world that a problem's faults and their repairs may be about."""
    whom = (*(tuple(target for _, target in problem.causes) or (problem.target,)), names.FLAGS_SERVER)
    return [
        *(
            each
            for resource in LIVE
            for each in world.store.all(resource, app.namespace)
            if resource == "resourcequotas" or each["metadata"]["name"].startswith(whom)
        ),
        *world.store.all("nodes"),
        {"kind": "Load", "metadata": {"name": names.USERS}, "rate": load.rate(world)},
    ]


def draw_shadow(world: World, app: App, seed: int) -> Fault:
    """A fault that might befall a world now; beside a platform one of a hard incident, or several."""
    pairs = _list_pairs(app.id)
    if is_furnished(world):
        blamed = draws.draw(seed, "shadow", "blamed") >= registry.BLAMELESS
        pairs = _list_hard(app.id)[blamed]
    return _draw(world, app, seed, pairs)


def draw_mendable(world: World, app: App, seed: int) -> Fault:
    """The same, with repairs that put back what is there now."""
    return _draw(world, app, seed, _list_mendable(app.id), bare=False)


def _draw(world: World, app: App, seed: int, pairs: Mapping[str, tuple[Problem, ...]], *, bare: bool = True) -> Fault:
    """A fault: first of which sort, then which."""
    sorts = sorted(pairs)
    problems = pairs[sorts[draws.pick(len(sorts), seed, "shadow", "sort")]]
    found = find_live_fault(world, app, problems[draws.pick(len(problems), seed, "shadow", "which")], seed, bare=bare)
    assert found is not None
    return found


@caches.function(2 * len(registry.apps()), "which faults may befall an app, and whom")
def _list_pairs(app_id: str, hard: bool = False) -> Mapping[str, tuple[Problem, ...]]:
    """Problems by their fault, or the first of their faults: the hard ones or all others."""
    found: dict[str, list[Problem]] = {}
    tier = "hard" if hard else None
    for problem in (p for split in SPLITS for p in registry.problems("detection", app_id, split, tier)):
        if problem.fault and registry.is_lived_in(problem):
            found.setdefault(problem.fault, []).append(problem)
    return {fault: tuple(problems) for fault, problems in found.items()}


@caches.function(len(registry.apps()), "which hard incidents may befall an app, by whether a change is to blame")
def _list_hard(app_id: str) -> tuple[Mapping[str, tuple[Problem, ...]], Mapping[str, tuple[Problem, ...]]]:
    """Those in which none is, and those in which one is, as by `_list_pairs`."""
    found: tuple[dict[str, tuple[Problem, ...]], ...] = ({}, {})
    for fault, problems in _list_pairs(app_id, hard=True).items():
        for blamed in (False, True):
            kept = tuple(each for each in problems if registry.blames_any(each) == blamed)
            if kept:
                found[blamed][fault] = kept
    return found[0], found[1]


def _list_mendable(app_id: str) -> Mapping[str, tuple[Problem, ...]]:
    """The same of those that have a repair."""
    return {fault: pairs for fault, pairs in _list_pairs(app_id).items() if registry.faults()[fault].fixes}


SORTS = {"NetworkPolicy": "policies", "ResourceQuota": "quotas", "ConfigMap": "settings"}
"""Sorts of what is created beside pods, each as likely, by kind."""


@caches.function(len(registry.apps()), "which faults of an app create what is no pod")
def _list_papers(app_id: str) -> Mapping[str, tuple[Problem, ...]]:
    """Problems by the sort of what they create beside pods."""
    found: dict[str, list[Problem]] = {}
    for fault, problems in _list_pairs(app_id).items():
        for change in filter(_leaves_pods, registry.faults()[fault].changes):
            if isinstance(change, Create) and (sort := SORTS.get(change.manifest["kind"])):
                found.setdefault(sort, []).extend(problems)
    return {kind: tuple(problems) for kind, problems in found.items()}


def cast(world: World, app: App, fault: Fault, seed: int, *, paper: bool = False) -> None:
    """Write what a fault would write, so that nothing breaks; as `paper` only what replaces no pod."""
    for change in (each for each in fault.changes if not paper or _leaves_pods(each)):
        _cast(change, world, app, seed)
        world.run(3 * SECOND)
    leftovers.note_noise(world)


def _leaves_pods(change: Change) -> bool:
    """Whether a change makes no pod and replaces none."""
    if isinstance(change, Create):
        return bool(change.manifest["kind"] != "Deployment")
    if isinstance(change, Script):
        return all(resource != "deployments.apps" for resource, _ in change.writes)
    return isinstance(change, Patch) and change.resource != "deployments.apps"


def cast_many(world: World, app: App, seed: int, wait: int, spared: frozenset[str], rate: float = RATE) -> None:
    """Let time pass, and shadows fall at moments drawn for them.

    Args:
        world: where they fall.
        app: on whose objects.
        seed: of all draws.
        wait: ms that pass.
        spared: components that stay as they are; where all do, for pods could not come back, no pod is made anew.
        rate: how many in a minute.
    """
    end, at, number = world.now + wait, world.now, 0
    while (at := at + _pause(seed, number, rate)) < end:
        world.run_until(max(world.now, at))
        _cast_any(world, app, draws.bits(seed, "shadows", str(number)), spared)
        number += 1
    world.run_until(max(world.now, end))


def _pause(seed: int, number: int, rate: float) -> int:
    """Time until the next one, which does not depend on how long it has been since the last."""
    return round(-log(1.0 - draws.draw(seed, "shadow pause", "", number)) * MINUTE / rate)


def _cast_any(world: World, app: App, seed: int, spared: frozenset[str]) -> None:
    everything, furnished = len(spared) == len(app.components), is_furnished(world)
    paper = everything or draws.draw(seed, "shadow", "lot") < PAPER
    if paper and furnished and draws.draw(seed, "shadow", "upkeep") < UPKEEP:
        upkeep.edit_any(world, app, seed)
        return
    fault = _draw(world, app, seed, _list_papers(app.id) if paper else _list_pairs(app.id, furnished))
    fault = fault.each[draws.pick(len(fault.each), seed, "shadow", "part")]
    if everything or not find_concerned(app, fault) & spared:
        # Whoever needs what was written is started anew by an incident; here that is left out where something is left.
        written = tuple(each for each in fault.changes if not isinstance(each, Restart)) or fault.changes
        cast(world, app, replace(fault, changes=written), seed, paper=paper)


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
        roll_out(world, find_place(change, app), change.name)
    else:
        _write_innocently(world, app, (change.resource, find_place(change, app), change.name), seed)


@_cast.register
def _script(change: Script, world: World, app: App, seed: int) -> None:
    for resource, full in change.writes:
        space, _, name = full.rpartition("/")
        space = space or app.namespace
        if resource != "deployments.apps":
            _write_innocently(world, app, (resource, space, name), seed)
        elif world.store.get(resource, space, name) is None:
            _make_canary(world, app, change.component, name)
        else:
            roll_out(world, space, name)


def _make_canary(world: World, app: App, component: str, name: str) -> None:
    """Have one more pod of a component, of the same version, in a deployment of its own; nothing where it is gone."""
    found = world.store.get("deployments.apps", app.namespace, component)
    if found is None:
        return
    spec, label = found["spec"], {"track": CANARY[0]}
    template = spec["template"]
    labels = {**template["metadata"].get("labels", {}), **label}
    manifest = {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": name, "namespace": app.namespace},
        "spec": {
            **spec,
            "replicas": 1,
            "selector": {"matchLabels": {**spec["selector"]["matchLabels"], **label}},
            "template": {**template, "metadata": {**template["metadata"], "labels": labels}},
        },
    }
    apply_change(Create(manifest=manifest), world, app)


def _write_innocently(world: World, app: App, place: tuple[str, str, str], seed: int) -> None:
    """Write an object as people edit it from day to day, or note on it who is to be asked."""
    if is_furnished(world) and upkeep.edit(world, app, place, seed):
        return
    contact = CONTACTS[draws.pick(len(CONTACTS), seed, "shadow", "contact")]
    body = {"metadata": {"annotations": {"contact": contact}}}
    request(world, "patch", *place, body=body, content_type="application/merge-patch+json")


@_cast.register
def _create(change: Create, world: World, app: App, seed: int) -> None:
    manifest = dict(change.manifest)
    harmless = HARMLESS.get(manifest["kind"])
    if harmless is not None:
        apply_change(Create(manifest={**manifest, **harmless(manifest, seed)}), world, app)


def _policy(manifest: Mapping[str, Any], seed: int) -> dict[str, Any]:
    """A policy that admits everybody to pods of which there are none: to others it would undo what one forbids."""
    selector, direction = manifest["spec"]["podSelector"], str(manifest["spec"]["policyTypes"][0]).lower()
    track = CANARY[draws.pick(len(CANARY), seed, "shadow", "track")]
    chosen = {**selector, "matchLabels": {**selector.get("matchLabels", {}), "track": track}}
    return {"spec": {**manifest["spec"], "podSelector": chosen, direction: [{}]}}


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
