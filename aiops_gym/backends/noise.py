"""Harmless things that happen in any cluster, drawn by the seed: they never change a verdict.

Each kind is a function; which of them happen, to what and when, are draws of the episode's seed.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from aiops_gym.backends.baseline import request
from aiops_gym.catalog.model import App
from aiops_gym.sim import draws, runtime
from aiops_gym.sim.objects import uid_of
from aiops_gym.sim.times import MINUTE, SECOND, iso
from aiops_gym.sim.world import World

Noise = Callable[[World, App, int], None]


def disturb(world: World, app: App, seed: int) -> None:
    """Let some of it happen, and some minutes pass."""
    for name, (share, noise) in KINDS.items():
        if draws.draw(seed, "noise", name) < share:
            noise(world, app, seed)
        world.run(int(draws.between(5 * SECOND, 40 * SECOND, seed, "noise pause", name)))
    world.run(int(draws.between(1 * MINUTE, 4 * MINUTE, seed, "noise end")))


def _restarted_container(world: World, app: App, seed: int) -> None:
    """One container is killed, as by a node that ran short of memory, and comes back."""
    pods = world.store.labelled("pods", app.namespace, {app.selector: _harmless(app, seed, "which container")})
    pod = pods[0]
    key = f"{uid_of(pod)}/{pod['spec']['containers'][0]['name']}"
    if key in world.table("processes"):
        runtime.signal(world, key, "KILL")


def _harmless(app: App, seed: int, key: str) -> str:
    """A component that may be restarted without breaking the others."""
    names = [name for name in app.components if "restart" not in app.parameters[name]]
    return names[draws.pick(len(names), seed, "noise", key)]


def _finished_rollout(world: World, app: App, seed: int) -> None:
    """Somebody restarted a deployment a few minutes ago, and it is done."""
    name = _harmless(app, seed, "which rollout")
    annotation = {"kubectl.kubernetes.io/restartedAt": iso(world.now)}
    body = {"spec": {"template": {"metadata": {"annotations": annotation}}}}
    kind = "application/strategic-merge-patch+json"
    request(world, "patch", "deployments.apps", app.namespace, name, body=body, content_type=kind)
    world.run(90 * SECOND)


def _second_replica(world: World, app: App, seed: int) -> None:
    """A deployment without data of its own ran two pods for a while, and is back at one."""
    stateless = [name for name in app.components if _stateless(world, app, name)]
    name = stateless[draws.pick(len(stateless), seed, "noise", "which replica")]
    kind = "application/merge-patch+json"
    for replicas in (2, 1):
        body = {"spec": {"replicas": replicas}}
        request(world, "patch", "deployments.apps", app.namespace, name, body=body, content_type=kind)
        world.run(45 * SECOND)


def _stateless(world: World, app: App, name: str) -> bool:
    deployment = world.store.get("deployments.apps", app.namespace, name)
    if deployment is None:
        return False
    spec = deployment["spec"]["template"]["spec"]
    return not spec.get("volumes") and any(c.get("command") for c in spec["containers"])


def _finished_job(world: World, app: App, seed: int) -> None:
    """A one-off job ran, perhaps failed first, and its pods are still listed."""
    name = ("smoke-test", "cache-warmup", "report-export")[draws.pick(3, seed, "noise", "which job")]
    fails = draws.draw(seed, "noise", "job fails") < 0.5
    script = "echo started; sleep 4; echo timed out; exit 1" if fails else "echo started; sleep 6; echo done"
    container = {"name": "job", "image": "busybox:1.36", "command": ["/bin/sh", "-c", script]}
    pod = {"restartPolicy": "Never", "containers": [container]}
    job: dict[str, Any] = {"apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": name}}
    job["metadata"]["namespace"] = app.namespace
    job["spec"] = {"backoffLimit": 0, "template": {"spec": pod}}
    request(world, "create", "jobs.batch", app.namespace, body=job)
    world.run(30 * SECOND)


KINDS: dict[str, tuple[float, Noise]] = {
    "restarted container": (0.5, _restarted_container),
    "finished rollout": (0.35, _finished_rollout),
    "second replica": (0.2, _second_replica),
    "finished job": (0.6, _finished_job),
}
"""Kinds of noise, with the share of episodes in which each happens."""
