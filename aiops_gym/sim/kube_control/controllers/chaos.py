"""Effects: what is done to pods from outside Kubernetes, and leaves nothing to be seen in the API but its consequences.

Each effect of table `effects` holds one running pod that its labels select, and takes another when that one is gone.
Effects on the network are read by `sim.network.routes`; here pods are chosen, containers killed and images exchanged.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, cast

from aiops_gym.sim.kernel import draws
from aiops_gym.sim.kernel.objects import Obj, assoc, labels_of, namespace_of, uid_of
from aiops_gym.sim.kernel.tables import Effect
from aiops_gym.sim.kernel.times import SECOND
from aiops_gym.sim.kernel.world import Handler, World
from aiops_gym.sim.kube_control import pods as pods_of
from aiops_gym.sim.machine import program, runtime, system_calls
from aiops_gym.sim.machine.container import Container


class ChaosController:
    """Keeps each effect on a pod."""

    name = "chaos"
    watches = ("pods",)

    def keys(self, world: World, resource: str, old: Obj | None, new: Obj | None) -> Iterable[str]:
        """The effects whose labels select a pod that came, ran or went."""
        effects = world.table("effects")
        if not effects or (pod := new if new is not None else old) is None:
            return
        for id_, effect in effects.items():
            if effect["namespace"] == namespace_of(pod) and effect["labels"].items() <= labels_of(pod).items():
                yield id_

    def reconcile(self, world: World, key: str) -> None:
        """Let the effect have a running pod."""
        effect = world.table("effects").get(key)
        if effect is None or effect.get("rests") or _victim(world, effect) is not None:
            return
        pods = [pod for pod in _candidates(world, effect) if pods_of.phase(pod) == "Running"]
        if not pods:
            if effect["pod"]:
                world.table("effects")[key] = {**effect, "pod": ""}
                world.touch()
            return
        pod = pods[draws.pick(len(pods), world.seed, "victim", key, world.now)]
        kills = effect["kind"] == "container_kill"
        world.table("effects")[key] = {**effect, "pod": uid_of(pod), "armed": kills}
        world.touch()
        if effect["kind"] == "pod_failure":
            _exchange_images(world, pod, str(effect["params"]["image"]))
        elif effect["kind"] == system_calls.KIND:
            _begin_to_fail(world, pod, str(effect["params"]["call"]))
        elif kills and not effect.get("armed"):
            world.schedule(0, "chaos.kill", key)


def add(world: World, id_: str, effect: Mapping[str, Any]) -> None:
    """Begin an effect: `kind`, `namespace`, `labels`, `params`."""
    begun = {"params": {}, **effect, "pod": "", "since": world.now}
    world.table("effects")[id_] = cast("Effect", begun)
    world.enqueue("chaos", id_, 0)


def add_recurring(world: World, id_: str, effect: Mapping[str, Any], every: int, lasts: int) -> None:
    """Begin an effect that holds for `lasts` of each `every` ms, more or less, until it is removed."""
    add(world, id_, effect)
    world.schedule(lasts, "chaos.rest", id_, world.now, every, lasts)


def _rest(world: World, id_: str, since: int, every: int, lasts: int) -> None:
    """The effect pauses: its row stays, so that whoever removes it now removes what would return."""
    effect = world.table("effects").get(id_)
    if effect is None or effect["since"] != since:
        return
    world.table("effects")[id_] = {**effect, "pod": "", "rests": True}
    world.touch()
    pause = draws.between(0.7, 1.3, world.seed, "pause", id_, world.now) * (every - lasts)
    world.schedule(int(pause), "chaos.return", id_, since, every, lasts)


def _return(world: World, id_: str, since: int, every: int, lasts: int) -> None:
    """It goes on, unless it was removed meanwhile, or another one has begun in its name."""
    effect = world.table("effects").get(id_)
    if effect is not None and effect["since"] == since:
        world.table("effects")[id_] = {**effect, "rests": False}
        world.enqueue("chaos", id_, 0)
        world.schedule(lasts, "chaos.rest", id_, since, every, lasts)


def remove(world: World, id_: str) -> None:
    """End an effect; what it has done stays done."""
    world.table("effects").pop(id_, None)
    world.touch()


def kill(world: World, id_: str) -> None:
    """Kill the containers of the effect's pod, and again after its period."""
    effect = world.table("effects").get(id_)
    if effect is None:
        return
    pod = _victim(world, effect)
    if pod is None:
        world.table("effects")[id_] = {**effect, "pod": "", "armed": False}
        world.enqueue("chaos", id_)
        return
    wanted = effect["params"].get("containers")
    for container in pod["spec"]["containers"]:
        if not wanted or container["name"] in wanted:
            runtime.signal(world, f"{uid_of(pod)}/{container['name']}", "KILL")
    world.schedule(round(float(effect["params"].get("every", 60)) * SECOND), "chaos.kill", id_)


def _begin_to_fail(world: World, pod: Obj, call: str) -> None:
    """Tell what runs in a pod that a system call fails from now on; what starts there later sees for itself."""
    error = system_calls.find_failure(world, uid_of(pod), call)
    for container in pod["spec"]["containers"]:
        process = world.table("processes").get(key := f"{uid_of(pod)}/{container['name']}")
        if process is not None and process["running"]:
            program.program_of(world, process).failing(Container(world, key), call, error)


def _candidates(world: World, effect: Effect) -> list[Obj]:
    return [
        pod for pod in world.store.labelled("pods", effect["namespace"], effect["labels"]) if pods_of.is_active(pod)
    ]


def _victim(world: World, effect: Effect) -> Obj | None:
    """The pod that the effect holds, if it is still there."""
    return next((pod for pod in _candidates(world, effect) if uid_of(pod) == effect["pod"]), None)


def _exchange_images(world: World, pod: Obj, image: str) -> None:
    containers = [{**container, "image": image} for container in pod["spec"]["containers"]]
    world.store.put("pods", assoc(pod, ("spec", "containers"), containers))


controller = ChaosController()
HANDLERS: dict[str, Handler] = {
    "chaos.kill": kill,
    "chaos.end": remove,
    "chaos.rest": _rest,
    "chaos.return": _return,
}
