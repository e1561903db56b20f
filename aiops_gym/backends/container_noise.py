"""Harmless things that happen to containers beside the cluster, before an incident and while it unfolds.

Somebody runs something once, and what is left of it is listed as exited; a container of the application that had
nothing to do was restarted.
"""

from __future__ import annotations

from aiops_gym.catalog.model import App
from aiops_gym.sim.docker_host import lifecycle, projects, records
from aiops_gym.sim.kernel import draws
from aiops_gym.sim.kernel.times import SECOND
from aiops_gym.sim.kernel.world import World

ONCE, RESTARTED, LATE = 0.6, 0.5, 0.5
"""Shares of warm-ups, and of episodes, in which each happens."""

LONGEST = 200
"""Seconds that somebody waits for a moment in which nothing goes on."""

NAMES = (
    "eager_noether",
    "quirky_banach",
    "sad_turing",
    "busy_hopper",
    "vibrant_gauss",
    "focused_euler",
    "calm_lovelace",
)
SCRIPTS = ("df -h / && sleep 2", "sleep 3; echo timed out; exit 1", "date; uptime", "wget -q -T 2 10.0.0.9 || exit 1")


def disturb(world: World, app: App, seed: int) -> None:
    """The minutes before an incident."""
    if app.project is None:
        return
    if draws.draw(seed, "noise", "run once") < ONCE:
        _run_once(world, seed)
    if draws.draw(seed, "noise", "restarted") < RESTARTED:
        for _ in range(LONGEST):
            if projects.is_idle(world, app.project):
                _restart(world, app, seed)
                break
            world.run(SECOND)
    world.run(int(draws.between(60 * SECOND, 180 * SECOND, seed, "noise", "containers")))


def wait_amid(world: World, app: App, seed: int, wait: int) -> None:
    """Let `wait` ms pass while an incident unfolds; it happens to nothing of the application then."""
    end = world.now + wait
    if app.project is not None and draws.draw(seed, "late noise", "run once") < LATE:
        world.run(round(draws.draw(seed, "late moment", "run once") * wait))
        _run_once(world, draws.bits(seed, "late once"))
    world.run_until(max(world.now, end))


def _run_once(world: World, seed: int) -> None:
    taken = [row["name"] for row in records.list_rows(world, "container")]
    names = [name for name in NAMES if name not in taken]
    script = SCRIPTS[draws.pick(len(SCRIPTS), seed, "noise", "which script")]
    given = {"name": names[draws.pick(len(names), seed, "noise", "which name")], "image": "busybox:1.36"}
    lifecycle.start(world, lifecycle.create(world, {**given, "network": "bridge", "args": ["sh", "-c", script]}))
    world.run(8 * SECOND)


def _restart(world: World, app: App, seed: int) -> None:
    assert app.project is not None
    names = app.project["harmless"]
    name = names[draws.pick(len(names), seed, "noise", "which container")]
    lifecycle.stop(world, records.find(world, name), then="restart")
    world.run(15 * SECOND)
