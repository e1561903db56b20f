"""The noisy minutes before an incident: simulated once per (app, variant, number), kept (`shelf`), then forked.

A warm-up is a pure function of (app, variant, number, shift, package version): no episode and no fault has a say in it.
What somebody decided long before (`noise.LASTING`) must not befall what a fault rewrites, and still nothing is left out
of a warm-up for a fault's sake: whoever knew all of them by heart would see from what is missing where the fault is. An
episode takes another one instead, in an order drawn by its seed, and there are always some in which nobody decided
anything.
"""

from __future__ import annotations

from typing import NamedTuple

from aiops_gym import caches
from aiops_gym.backends import clients, container_noise, decisions, history, noise, shelf, upkeep
from aiops_gym.backends.baseline import VARIANTS, furnish, is_rolled_out, know_platform, make_baseline
from aiops_gym.backends.health import Measure, measure
from aiops_gym.caches import Beside, Cache, Entry
from aiops_gym.catalog import registry
from aiops_gym.catalog.model import App, Problem
from aiops_gym.errors import BackendError
from aiops_gym.sim import traffic
from aiops_gym.sim.kernel import draws
from aiops_gym.sim.kernel.times import HOUR, MINUTE, SECOND
from aiops_gym.sim.kernel.world import World

WARMUPS = 8
"""Warm-ups of each healthy world: with its variants an app has 128 of them, ten times as many as it has components."""

TINY = 0.001
"""By how much rarer requests may succeed than in the app as it was deployed."""

LIVES = 4
"""Lived-in worlds of each healthy world: they take the longest to make."""

PLAIN = 2
"""So many of them, the first ones, in which nobody decided anything: for faults that rewrite every component."""


def make_warmed_up(app_id: str, variant: int, number: int, shift: int = 0) -> World:
    """A healthy world after some minutes with noise, at the moment before an incident. Fork it, never change it.

    Args:
        app_id: of the app.
        variant: which of its healthy worlds.
        number: which of that world's warm-ups, 0 <= number < WARMUPS.
        shift: milliseconds by which everything in it lies later.
    """
    return _warmed_up(app_id, variant, number, shift)


def choose_warmup(app: App, variant: int, seed: int, spared: frozenset[str], shift: int = 0) -> int:
    """The number of an episode's warm-up: the first, in the episode's order, in which nobody decided about `spared`."""
    order = sorted(range(WARMUPS), key=lambda number: draws.bits(seed, "past", str(number)))
    return next(number for number in order if _open(app, _decided(app.id, variant, number, shift), spared))


def make_lived_in(app_id: str, variant: int, number: int, shift: int = 0, *, furnished: bool = False) -> World:
    """The same some time after people have decided many things for good. Fork it, never change it.

    Args:
        app_id: of the app.
        variant: which of its healthy worlds.
        number: which of that world's lives, 0 <= number < LIVES.
        shift: milliseconds by which everything in it lies later.
        furnished: with a platform beside the app, see `catalog.platform`.
    """
    key = (app_id, variant, number, shift, furnished)
    return _lives.get(key, lambda: _Life(_lived_in(*key), 3 if furnished else 1)).world


class _Life(NamedTuple):
    world: World
    weight: int


_lives: Cache[_Life] = Cache(
    Entry(
        f"{__name__}.lives",
        "the hours in which people decide, and the noisy minutes after",
        key="app_id, variant, number, shift, furnished",
        bound=80,
        unit="MB, roughly: one for a world, three with a platform",
    ),
    lambda life: life.weight,
)


def keep_all() -> None:
    """Keep all of them from now on, for whoever draws from all for hours: 160 MB more, 530 with platforms."""
    _lives.bound = (1 + 3) * LIVES * VARIANTS * len(registry.apps())  # each of them, plain and with a platform


def choose_lived_in(app: App, variant: int, seed: int, problem: Problem) -> int:
    """The number of an episode's lived-in world: the first, in its order, in which no decision outdoes a fault.

    A fault that forbids nothing to those whom another policy admits would be none: see `decisions.CONTRARY`. It is a
    rare case, which of the two are met is drawn by the seed, and a healthy episode takes the first.
    """
    order = sorted(range(LIVES), key=lambda number: draws.bits(seed, "past", str(number)))
    contrary = {(name, target) for fault, target in problem.causes for name in decisions.CONTRARY.get(fault, ())}
    fitting = (n for n in order if not contrary & set(_lasting(app.id, variant, n)))
    return next(fitting, order[0])


def _lived_in(app_id: str, variant: int, number: int, shift: int, furnished: bool) -> World:
    def begin() -> World:
        world = make_baseline(app_id, variant, shift).fork()
        if furnished:
            know_platform(world, registry.find_app(app_id))
        return world

    name = f"{app_id}-{variant}-life-{number}{'-furnished' if furnished else ''}"
    return shelf.get(name, shift, begin, lambda: _live(app_id, variant, number, shift, furnished))


def _live(app_id: str, variant: int, number: int, shift: int, furnished: bool) -> World:
    app, seed = registry.find_app(app_id), _lived_in_seed(app_id, variant, number)
    world = _asked(app_id, variant, shift, noise.draw_rate(seed), seed)
    clients.admit(world, seed)
    if furnished:
        furnish(world, app, seed)
        history.upgrade(world, app, seed)
    decisions.make_decisions(world, app, seed, _lasting(app_id, variant, number))
    since = int(draws.between(20 * MINUTE, 30 * HOUR, seed, "since"))
    if furnished:
        history.pass_hours(world, app, seed, since)
    else:
        world.run(since)
    noise.precede(world, app, seed)
    _wait_until_well(world, app, make_baseline(app_id, variant, shift))
    return _sealed(world)


def _wait_until_well(world: World, app: App, usual: World) -> None:
    """Let what was made anew last come up: an incident is measured against what was just before it."""
    wanted = traffic.compute_success(usual)
    for _ in range(150):
        served = traffic.compute_success(world)
        if is_rolled_out(world, app, app.components) and all(served[key] >= wanted[key] - TINY for key in wanted):
            return
        world.run(2 * SECOND)
    raise BackendError(f"a world of {app.id!r} in which people have decided things is not well")


@caches.function(LIVES * VARIANTS * len(registry.apps()), "drawing what people decide in a lived-in world")
def _lasting(app_id: str, variant: int, number: int) -> tuple[decisions.Made, ...]:
    return decisions.draw_decisions(registry.find_app(app_id), _lived_in_seed(app_id, variant, number))


def _lived_in_seed(app_id: str, variant: int, number: int) -> int:
    return draws.bits(0, "lived in", f"{app_id} {variant} {number}")


def run_undisturbed(app_id: str, variant: int, rate: float, shift: int = 0, *, furnished: bool = False) -> World:
    """A healthy world in which nothing happened but that users ask so many times a second. Fork it, never change it."""
    return _undisturbed(app_id, variant, rate, shift, furnished)


def measure_after(world: World, app: App) -> Measure:
    """What is needed to measure an incident that follows on a warm-up."""
    found = _measures.get(world, lambda: measure(world, app))
    return Measure(found.edges, found.slots, found.usual)


_measures: Beside[Measure] = Beside(
    Entry(
        f"{__name__}.measures",
        "measuring how an app does before an incident",
        key="a warm-up",
        bound=0,
        ends=caches.SEALED,
    )
)


def _open(app: App, decided: frozenset[str], spared: frozenset[str]) -> bool:
    """Whether nothing that was decided is about one of `spared`, or about the namespace where all of it is spared."""
    return not decided & spared and not (decided and len(spared) == len(app.components))


@caches.function(WARMUPS * VARIANTS * len(registry.apps()), "the noisy minutes before an incident")
def _warmed_up(app_id: str, variant: int, number: int, shift: int) -> World:
    return shelf.get(
        f"{app_id}-{variant}-{number}",
        shift,
        lambda: make_baseline(app_id, variant, shift).fork(),
        lambda: _warm_up(app_id, variant, number, shift),
    )


def _warm_up(app_id: str, variant: int, number: int, shift: int) -> World:
    app, seed = registry.find_app(app_id), _seed(app_id, variant, number)
    world = _asked(app_id, variant, shift, noise.draw_rate(seed), seed)
    clients.admit(world, seed)
    noise.disturb(world, app, seed, noise.draw_decisions(world, app, seed) if number >= PLAIN else {})
    container_noise.disturb(world, app, seed)
    return _sealed(world)


@caches.function(WARMUPS * VARIANTS * len(registry.apps()), "drawing what somebody decides in a warm-up")
def _decided(app_id: str, variant: int, number: int, shift: int) -> frozenset[str]:
    """Components about which somebody decided something in a warm-up, `noise.ALL` for the namespace."""
    world, seed = make_baseline(app_id, variant, shift), _seed(app_id, variant, number)
    return frozenset(noise.draw_decisions(world, registry.find_app(app_id), seed).values() if number >= PLAIN else ())


@caches.function(VARIANTS, "the quiet minutes before an incident without noise")
def _undisturbed(app_id: str, variant: int, rate: float, shift: int, furnished: bool) -> World:
    seed = draws.bits(0, "quiet", f"{app_id} {variant}")
    world = _asked(app_id, variant, shift, rate, seed)
    if furnished:
        furnish(world, registry.find_app(app_id), seed)
    return _sealed(world)


def _asked(app_id: str, variant: int, shift: int, rate: float, seed: int) -> World:
    world = make_baseline(app_id, variant, shift).fork(seed)
    world.table("load")["rate"] = {"value": rate}
    world.touch()
    return world


def _sealed(world: World) -> World:
    """The world with all of it noted, and without what only a watch from before would ask for."""
    world.settle()
    world.store.history.clear()
    upkeep.forget(world)
    return world


def _seed(app_id: str, variant: int, number: int) -> int:
    return draws.bits(0, "past", f"{app_id} {variant} {number}")


def find_decisions(app: App, variant: int, seed: int, problem: Problem) -> frozenset[str]:
    """The components about which people have decided something in an episode's lived-in world; none in another one."""
    if not registry.is_lived_in(problem):
        return frozenset()
    number = choose_lived_in(app, variant, seed, problem)
    return frozenset(whom for _, whom in _lasting(app.id, variant, number) if whom in app.components)
