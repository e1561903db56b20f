"""What people have decided about an app since it was deployed, and no manifest says: it is right, and must stay so.

Each file here is a subject, and its `decisions` are found by being there. A decision is made about one component or the
whole namespace, leaves the app as well as it was, and is none of the incident's: which ones were made, and about whom,
is drawn before anybody knows of a fault.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cache

from aiops_gym import caches
from aiops_gym.backends.baseline import is_rolled_out, make_baseline
from aiops_gym.backends.decisions.site import ALL, Decision, Site
from aiops_gym.backends.inject import roll_out
from aiops_gym.catalog import registry
from aiops_gym.catalog.model import App
from aiops_gym.scan import scan
from aiops_gym.sim.kernel import draws
from aiops_gym.sim.kernel.objects import uid_of
from aiops_gym.sim.kernel.times import MINUTE, SECOND
from aiops_gym.sim.kernel.world import World

FEWEST, MOST = 8, 20
"""How many were made in one namespace."""

REPLACING = 3
"""Of these so many contradict the manifests, each about another component, and perhaps more: an incident is about one
component, and who applies manifests without a question undoes what was decided about the others."""

CONTRARY: Mapping[str, tuple[str, ...]] = {
    "blocking_network_policy": ("policy for everybody", "policy for the namespace", "policy for its callers"),
    "forgotten_dns": ("policy of its own calls",),
    "stray_pod": ("named port",),
    "wrong_upstream_port": ("copy of the settings",),
    "empty_pool": ("copy of the settings",),
    "unexpected_password": ("copy of the settings",),
    "wrong_listen_port": ("liveness probe", "readiness probe", "startup probe", "copy of the settings"),
}
"""By fault, what would make another one of it, or none. Policies add up: one that forbids does not hurt where another
one admits all the same. A pod without the name of a port is not sent what goes to that name. A probe of a port turns
settings that name another one into a container that is killed."""

Made = tuple[str, str]
"""(name of the decision, component, `ALL` for the namespace)."""


@cache
def all_decisions() -> Mapping[str, Decision]:
    """Every decision that may be made, by its name."""
    found = [each for rows in scan(__name__, "decisions").values() for each in rows]
    return {each.name: each for each in found}


def draw_decisions(app: App, seed: int) -> tuple[Made, ...]:
    """Which decisions were made, and about whom, in order; none is made twice."""
    possible, replacing = list_possible(app.id), list_replacing(app.id)
    wanted = FEWEST + draws.pick(MOST - FEWEST + 1, seed, "decisions", "how many")
    order = sorted(possible, key=lambda made: draws.bits(seed, "decision", " ".join(made)) / possible[made])
    certain = _list_first_about_each(made for made in order if made in replacing)[:REPLACING]
    others = [made for made in order if made not in certain]
    return tuple(sorted([*certain, *others][:wanted], key=order.index))


def _list_first_about_each(chosen: Iterable[Made]) -> list[Made]:
    """Of some decisions in their order the first one about each component."""
    found: dict[str, Made] = {}
    for made in chosen:
        found.setdefault(made[1], made)
    return list(found.values())


@caches.function(len(registry.apps()), "who each decision can be about")
def list_possible(app_id: str) -> Mapping[Made, float]:
    """Every decision with everybody it can be about, and its weight: that of a decision is shared by them."""
    app, world = registry.find_app(app_id), make_baseline(app_id, 0)
    found: dict[Made, float] = {}
    for decision in all_decisions().values():
        names = (ALL,) if decision.wide else app.components
        fitting = [name for name in names if decision.fits(Site(world, app, name, 0))]
        found |= {(decision.name, name): decision.weight / len(fitting) for name in fitting}
    return found


@caches.function(len(registry.apps()), "which decisions contradict the manifests of an app")
def list_replacing(app_id: str) -> frozenset[Made]:
    """Those decisions that whoever applies the manifests undoes, with everybody they can be about."""
    app, world = registry.find_app(app_id), make_baseline(app_id, 0)
    rows = all_decisions()
    return frozenset(made for made in list_possible(app_id) if rows[made[0]].replaces(Site(world, app, made[1], 0)))


def make_decisions(world: World, app: App, seed: int, chosen: Iterable[Made]) -> None:
    """Make decisions one after another, with time between them and after."""
    for name, whom in chosen:
        site = Site(world, app, whom, draws.bits(seed, "decide", f"{name} {whom}"))
        before = _find_registries(world, app)
        all_decisions()[name].decide(site)
        if _find_registries(world, app) != before or not is_rolled_out(world, app, _list_registries(app)):
            _start_anew(world, app)
        world.run(int(draws.between(20 * SECOND, 9 * MINUTE, site.seed, "decisions", "pause")))


def _list_registries(app: App) -> tuple[str, ...]:
    """Components that forget who is there when they start."""
    return tuple(name for name in app.components if "restart" in app.parameters.get(name, {}))


def _find_registries(world: World, app: App) -> list[str]:
    """Their pods."""
    pods = (world.store.labelled("pods", app.namespace, app.select(name)) for name in _list_registries(app))
    return [uid_of(pod) for each in pods for pod in each]


def _start_anew(world: World, app: App) -> None:
    """Those who tell a registry that they are there do so when they start: after it they are started, too."""
    world.run(MINUTE)
    for client in (each for each in app.components if "settings" in app.parameters.get(each, {})):
        roll_out(world, app.namespace, client)
