"""Greedy clients: programs that ask more often than the load balancer lets them, and are told 503 there.

Nothing of it reaches the application. It is why the error budget of an operation burns in clusters in which all is
well, for days or every half an hour, and why an alert alone tells little.

Table `clients`: name of an operation -> `share` of its answers that are refusals while the client asks, which it does
`every` so many ms for `lasts` ms, first at `phase`.
"""

from __future__ import annotations

from aiops_gym.sim.kernel import draws
from aiops_gym.sim.kernel.times import MINUTE
from aiops_gym.sim.kernel.world import World

MANY = (0, 0, 1, 1, 1, 2, 2)
"""How many operations of a world have such a client."""

ALWAYS = 0.5
"""Share of clients that never pause."""


def admit(world: World, seed: int) -> None:
    """Draw who asks for too much, for as long as the world lasts."""
    names = [operation.name for operation in world.blueprint.operations]
    order = sorted(names, key=lambda name: draws.bits(seed, "client", name))
    for name in order[: MANY[draws.pick(len(MANY), seed, "clients")]]:
        world.table("clients")[name] = _draw(seed, name)


def _draw(seed: int, name: str) -> dict[str, float | int]:
    every = int(draws.between(25 * MINUTE, 50 * MINUTE, seed, "client every", name))
    lasts = int(every * draws.between(0.3, 0.6, seed, "client lasts", name))
    if draws.draw(seed, "client always", name) < ALWAYS:
        lasts = every
    share = round(draws.between(0.15, 0.45, seed, "client share", name), 3)
    return {"share": share, "every": every, "lasts": lasts, "phase": draws.pick(every, seed, "client phase", name)}
