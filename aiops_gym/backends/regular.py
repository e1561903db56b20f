"""What happens again and again in any cluster: one in each stretch of time, at a moment that is drawn.

An incident has pods made anew and writes objects; then those are the youngest, and what was written last. So it must
happen to others all the time, before an incident, while it unfolds, and where nothing is wrong. What comes by itself at
any moment must be frequent to leave no gap; with one in each stretch few are enough, and pods are the dearest part of a
reset.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple

from aiops_gym.backends import leftovers, shadows
from aiops_gym.backends.baseline import is_rolled_out, request
from aiops_gym.backends.inject import apply_change, replace_around_pods
from aiops_gym.catalog.model import App, Patch, Restart
from aiops_gym.sim.kernel import draws
from aiops_gym.sim.kernel.objects import name_of
from aiops_gym.sim.kernel.times import SECOND
from aiops_gym.sim.kernel.world import World

MERGE = "application/merge-patch+json"


class Regular(NamedTuple):
    """Something that happens again and again.

    Attributes:
        every: stretch of time (ms) in which it happens once.
        happen: lets it; (world, app, seed, components to leave alone).
        varies: some stretches of time are calm and some busy, up to twice as busy as usual: how many there have been
            since some moment then tells little of how long ago that is.
    """

    every: int
    happen: Callable[[World, App, int, frozenset[str]], None]
    varies: bool = False


def list_moments(seed: int, begin: int, end: int) -> list[tuple[int, str]]:
    """When in [begin, end) ms which of it happens."""
    found = []
    for name, each in REGULAR.items():
        pace = 2.0 * draws.draw(seed, "regular pace", name) if each.varies else 1.0
        found += [(at, name) for at in _spread(seed, name, begin, end, round(each.every / max(pace, CALM)))]
    return sorted(found)


CALM = 0.01
"""The slowest pace at which something may happen, of the usual one."""


def _spread(seed: int, name: str, begin: int, end: int, every: int) -> list[int]:
    """One moment in each stretch; the first stretch may have begun before."""
    first = begin - round(every * draws.draw(seed, "regular phase", name))
    starts = enumerate(range(first, end, every))
    found = [start + round(every * draws.draw(seed, "regular moment", name, n)) for n, start in starts]
    return [at for at in found if begin <= at < end]


def happen(name: str, world: World, app: App, seed: int, spared: frozenset[str]) -> None:
    """Let one of it happen now, and note that it did."""
    REGULAR[name].happen(world, app, seed, spared)
    leftovers.note_noise(world)


def _renew(world: World, app: App, seed: int, spared: frozenset[str]) -> None:
    """A component's pods are made anew; one that may not be restarted alone, or is not up, stays as it is."""
    names = [name for name in app.components if "restart" not in app.parameters.get(name, {}) and name not in spared]
    if not names:
        return
    name = names[draws.pick(len(names), seed, "renewal", "whose")]
    if is_rolled_out(world, app, [name]):
        WAYS[draws.pick(len(WAYS), seed, "renewal", "way")](world, app, name)


def _replace(world: World, app: App, seed: int, spared: frozenset[str]) -> None:
    """A deployment is replaced around its pods, which costs a tenth of new ones; one that rolls out is left alone."""
    names = [name for name in app.components if name not in spared]
    if names and is_rolled_out(world, app, [name := names[draws.pick(len(names), seed, "replaced", "whose")]]):
        replace_around_pods(world, app, name)


def _restart(world: World, app: App, name: str) -> None:
    apply_change(Restart(components=(name,)), world, app)


def _scale(world: World, app: App, name: str) -> None:
    """Down to nothing and up again."""
    deployment = world.store.get("deployments.apps", app.namespace, name)
    assert deployment is not None
    for replicas in (0, deployment["spec"]["replicas"]):
        body = {"spec": {"replicas": replicas}}
        request(world, "patch", "deployments.apps", app.namespace, name, body=body, content_type=MERGE)
        world.run(2 * SECOND)


def _recreate(world: World, app: App, name: str) -> None:
    apply_change(Patch(resource="deployments.apps", name=name, ops=(), recreate=True), world, app)


WAYS: tuple[Callable[[World, App, str], None], ...] = (_restart, _scale, _recreate, _recreate)
"""Ways to make a component's pods anew; the last has a young deployment, too, and is as likely as both others."""


def _annotate(world: World, app: App, seed: int, spared: frozenset[str]) -> None:
    """Somebody notes on one object of each kind who is to be asked; nobody is left alone, for it changes nothing."""
    contact = {"contact": shadows.CONTACTS[draws.pick(len(shadows.CONTACTS), seed, "note", "contact")]}
    body = {"metadata": {"annotations": contact}}
    for kind in NOTED:
        names = [name_of(obj) for obj in world.store.all(kind, app.namespace) if name_of(obj) != ROOT]
        if names:
            name = names[draws.pick(len(names), seed, "note", kind)]
            request(world, "patch", kind, app.namespace, name, body=body, content_type=MERGE)


ROOT = "kube-root-ca.crt"
"""A ConfigMap that a controller keeps."""


NOTED = (
    "services",
    "configmaps",
    "persistentvolumeclaims",
    "networkpolicies.networking.k8s.io",
    "resourcequotas",
)
"""What incidents write, and nobody else but people; who wrote a deployment last is told by controllers all the time."""

REGULAR: Mapping[str, Regular] = {
    "renewed pods": Regular(60 * SECOND, _renew, varies=True),
    "replaced deployments": Regular(60 * SECOND, _replace),
    "notes": Regular(50 * SECOND, _annotate),
}
"""By name what happens, and how often."""
