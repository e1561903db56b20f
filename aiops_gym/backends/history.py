"""The hours before an incident of tier `hard`: what people and their programs did to the app, and who says so.

Rollouts, one taken back, Helm upgrades, scaling, jobs run by hand, edits of settings: all went well, and half of it is
signed. An incident and its healthy twin have the same hours, those of the world that both begin with.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from aiops_gym.backends import releases, upkeep
from aiops_gym.backends.baseline import is_rolled_out, request
from aiops_gym.catalog.model import App
from aiops_gym.catalog.upkeep import CAUSE, tell_reason
from aiops_gym.sim.kernel import draws
from aiops_gym.sim.kernel.times import HOUR, MINUTE, SECOND
from aiops_gym.sim.kernel.world import World
from aiops_gym.types import Json

Act = Callable[[World, App, int], None]

FEWEST, MOST = 6, 14
"""How many of them there were."""

MERGE, STRATEGIC = "application/merge-patch+json", "application/strategic-merge-patch+json"

SIGNED = 0.5
"""Share of them that say by whom and why."""


def pass_hours(world: World, app: App, seed: int, wait: int) -> None:
    """Let hours pass in which things are done at moments that are drawn.

    Args:
        world: where.
        app: to which they are done.
        seed: of all draws.
        wait: ms that pass.
    """
    count = FEWEST + draws.pick(MOST - FEWEST + 1, seed, "history", "how many")
    begin, end = world.now, world.now + wait
    moments = sorted(begin + round(0.95 * wait * draws.draw(seed, "history moment", "", n)) for n in range(count))
    for number, at in enumerate(moments):
        world.run_until(max(world.now, at))
        own = draws.bits(seed, "history", "", number)
        ACTS[draws.pick(len(ACTS), own, "history", "act")](world, app, own)
    world.run_until(max(world.now, end))


def upgrade(world: World, app: App, seed: int) -> None:
    """Upgrade the app's release once or more, before people decide things by hand that an upgrade would undo."""
    if not app.releases:
        return
    for number in range(1 + draws.pick(3, seed, "history", "upgrades")):
        signed = draws.draw(seed, "history", "upgrade signed", number) < SIGNED
        word = tell_reason(draws.bits(seed, "history", "upgrade", number)) if signed else ""
        releases.upgrade_release(world, app, app.releases[0].name, (), word)
        world.run(int(draws.between(4 * MINUTE, 3 * HOUR, seed, "history", "after an upgrade", number)))


def _sign(seed: int) -> Mapping[str, Json]:
    """Annotations that say by whom and why, or none."""
    signed = draws.draw(seed, "history", "signed") < SIGNED
    return {"annotations": {CAUSE: tell_reason(seed)}} if signed else {}


def _choose(world: World, app: App, seed: int) -> str:
    """A component without data of its own that others do not have to follow when it is started anew; "" for none."""
    names = [name for name in app.components if _is_plain(world, app, name)]
    name = names[draws.pick(len(names), seed, "history", "whose")] if names else ""
    return name if name and is_rolled_out(world, app, [name]) else ""


def _is_plain(world: World, app: App, name: str) -> bool:
    parameters = app.parameters.get(name, {})
    deployment = world.store.get("deployments.apps", app.namespace, name)
    if deployment is None or "restart" in parameters or "login" in parameters or parameters.get("database"):
        return False
    volumes = deployment["spec"]["template"]["spec"].get("volumes") or ()
    return all("configMap" in volume for volume in volumes)


def _patch(world: World, app: App, name: str, body: Json) -> None:
    request(world, "patch", "deployments.apps", app.namespace, name, body=body, content_type=STRATEGIC)
    world.run(30 * SECOND)


def _build(world: World, seed: int) -> str:
    return f"{2026_000 + draws.pick(900, seed, 'history', 'build')}"


def _release(world: World, app: App, seed: int) -> None:
    """A component is built and rolled out anew."""
    if name := _choose(world, app, seed):
        template = {"metadata": {"annotations": {"build": _build(world, seed)}}}
        _patch(world, app, name, {"metadata": _sign(seed), "spec": {"template": template}})


def _take_back(world: World, app: App, seed: int) -> None:
    """The same, and a few minutes later it is as it was."""
    if not (name := _choose(world, app, seed)):
        return
    old = world.store.get("deployments.apps", app.namespace, name)
    assert old is not None
    was = (old["spec"]["template"]["metadata"].get("annotations") or {}).get("build")
    for build in (_build(world, seed), was):
        template = {"metadata": {"annotations": {"build": build}}}
        _patch(world, app, name, {"metadata": _sign(seed), "spec": {"template": template}})
        world.run(2 * MINUTE)


def _scale(world: World, app: App, seed: int) -> None:
    """A component has more pods for some minutes."""
    if not (name := _choose(world, app, seed)):
        return
    deployment = world.store.get("deployments.apps", app.namespace, name)
    assert deployment is not None
    usual = deployment["spec"].get("replicas", 1)
    for count in (usual + 1 + draws.pick(2, seed, "history", "how many more"), usual):
        _patch(world, app, name, {"metadata": _sign(seed), "spec": {"replicas": count}})
        world.run(2 * MINUTE)


def _run_job(world: World, app: App, seed: int) -> None:
    """A job that recurs is run by hand."""
    recurring = world.store.get("cronjobs.batch", app.namespace, "usage-report")
    if recurring is None:
        return
    name = f"usage-report-manual-{draws.suffix(3, seed, 'history', 'job')}"
    meta = {"name": name, **_sign(seed)}
    spec: Mapping[str, Any] = recurring["spec"]["jobTemplate"]["spec"]
    body = {"apiVersion": "batch/v1", "kind": "Job", "metadata": meta, "spec": spec}
    request(world, "create", "jobs.batch", app.namespace, body=body)


def _edit(world: World, app: App, seed: int) -> None:
    """A setting of the platform is another one."""
    upkeep.edit_any(world, app, seed, told=draws.draw(seed, "history", "signed") < SIGNED)


ACTS: Sequence[Act] = (_release, _release, _take_back, _scale, _run_job, _edit, _edit, _edit)
"""What is done; what stands here twice is done as often."""
