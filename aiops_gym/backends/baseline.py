"""Healthy worlds to start from: simulated once per (app, variant), kept (`shelf`), then forked.

A baseline is a pure function of (app, variant, package version): which environment asked first never matters.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from aiops_gym import caches
from aiops_gym.backends import releases, shelf
from aiops_gym.backends.in_cluster import CLIENTS
from aiops_gym.catalog import cluster, kubeadm, platform, registry, upkeep
from aiops_gym.catalog.model import App, Manifest
from aiops_gym.errors import BackendError
from aiops_gym.shell.inside import run_utility
from aiops_gym.sim.docker_host import projects
from aiops_gym.sim.dynamics import make_dynamics
from aiops_gym.sim.kernel import draws
from aiops_gym.sim.kernel.blueprint import Binary, Blueprint, Image, Operation
from aiops_gym.sim.kernel.times import HOUR, MINUTE, SECOND, millis
from aiops_gym.sim.kernel.world import World
from aiops_gym.sim.kube_api import bootstrap, find_by_kind, handle
from aiops_gym.sim.kube_control.controllers.serviceaccount import make_certificate
from aiops_gym.types import Request, Response

VARIANTS = 16
"""Healthy worlds of an app: other names, placement and ages."""

BIRTH = millis("2026-03-02T06:00:00Z")
"""When the first variant's cluster is created."""


def make_baseline(app_id: str, variant: int, shift: int = 0) -> World:
    """A healthy world with the app deployed and settled. Fork it, never change it.

    Args:
        app_id: of the app.
        variant: which of its healthy worlds.
        shift: milliseconds by which everything in it lies later.
    """
    return _booted(app_id, variant, shift)


@caches.function(VARIANTS * len(registry.apps()), "the hours in which a cluster is set up and the app deployed")
def _booted(app_id: str, variant: int, shift: int) -> World:
    app = registry.find_app(app_id)
    name = f"{app_id}-{variant}"
    return shelf.get(name, shift, lambda: _make_empty(app, variant, shift), lambda: _boot(app, variant, shift))


def _boot(app: App, variant: int, shift: int) -> World:
    world = boot_cluster(app, variant, shift)
    deploy(world, app)
    _until_ready(world, app, 20 * MINUTE)
    world.run(int(draws.between(12 * MINUTE, 100 * MINUTE, world.seed, "age")))
    world.store.history.clear()  # no watch begins before an incident, and old objects are most of what a world weighs
    return world


def boot_cluster(app: App, variant: int, shift: int = 0) -> World:
    """A cluster with its own equipment, which knows an app's images and users and does not have the app yet."""
    world = _make_empty(app, variant, shift)
    for manifest in cluster.NAMESPACES:
        apply(world, manifest)
    bootstrap.begin(world, cluster.CONTROL_PLANE, make_certificate())
    for manifest in kubeadm.make_all(make_certificate()):
        bootstrap.plant(world, manifest)
    for manifest in cluster.NODES:
        apply(world, manifest)
    world.run(MINUTE)
    for manifests, pause in ((cluster.MANIFESTS, 2 * MINUTE), (cluster.ADDONS, 4 * MINUTE)):
        for manifest in manifests:
            apply(world, manifest)
        world.run(pause)
    return world


def _make_empty(app: App, variant: int, shift: int) -> World:
    """A world before its first object."""
    seed = draws.bits(0, "baseline", f"{app.id} {variant}")
    blueprint = make_blueprint(app, variant, seed)
    return World(replace(blueprint, start=blueprint.start + shift), make_dynamics(run_utility, CLIENTS), seed)


def make_blueprint(app: App, variant: int, seed: int) -> Blueprint:
    """What never changes about a world of an app."""
    start = BIRTH + variant * 7 * HOUR + draws.pick(HOUR, seed, "start")
    known = {**cluster.IMAGES, **app.images}
    return Blueprint(
        app=app.id,
        namespace=app.namespace,
        variant=variant,
        start=start,
        images={name: _image(name, data) for name, data in known.items()},
        operations=tuple(Operation(**operation) for operation in app.operations),
        rate=app.rate,
    )


def know_platform(world: World, app: App) -> None:
    """Let the nodes find the images of what a platform team runs beside an app."""
    images = {name: _image(name, data) for name, data in platform.list_images(app).items()}
    world.blueprint = replace(world.blueprint, images={**world.blueprint.images, **images})


def furnish(world: World, app: App, seed: int) -> None:
    """Put in what a platform team runs beside an app (`catalog.platform`), as a seed has it, and let it come up."""
    know_platform(world, app)
    for manifest in platform.furnish(app, seed):
        apply(world, manifest, force=True)
    world.run(MINUTE)
    for manifest in platform.list_webhooks(app):
        apply(world, manifest)
    for name, body in upkeep.list_counted(app).items():
        kind = "application/strategic-merge-patch+json"
        request(world, "patch", "deployments.apps", app.namespace, name, body=body, content_type=kind)
    _until_ready(world, app, 20 * MINUTE)


def is_furnished(world: World) -> bool:
    """Whether a platform runs beside the app."""
    return world.store.get("namespaces", "", platform.SPACE) is not None


def _image(name: str, data: Any) -> Image:
    binaries = {key: Binary(**value) for key, value in data.get("binaries", {}).items()}
    digest = "" if name.endswith(":*") else draws.hexes(64, 0, "image digest", name)
    return Image(**{**data, "binaries": binaries, "digest": digest})


def deploy(world: World, app: App) -> None:
    """Apply an app's manifests and install its releases; what is there already stays as it is."""
    for manifest in app.manifests:
        if not releases.is_released(app, manifest):
            apply(world, manifest)
    releases.install(world, app)
    if app.project is not None:
        projects.install(world, app.project)


def apply(world: World, manifest: Manifest, *, force: bool = False) -> None:
    """Create an object as `kubectl apply` does for one that is not there. Raises BackendError if it is refused.

    Args:
        world: where.
        manifest: of the object.
        force: put it in the place of one that is there, as `kubectl replace --force` does; else that one stays.
    """
    body = {key: value for key, value in manifest.items() if key != "status"}
    known = find_by_kind(manifest["apiVersion"], manifest["kind"])
    if known is None:
        raise BackendError(f"no resource for {manifest['apiVersion']} {manifest['kind']}")
    resource = known.name
    meta = manifest["metadata"]
    if force and world.store.get(resource, meta.get("namespace", ""), meta["name"]) is not None:
        request(world, "delete", resource, meta.get("namespace", ""), meta["name"])
    response = request(world, "create", resource, meta.get("namespace", ""), body=body)
    if response.code >= 400 and response.body.get("reason") != "AlreadyExists":
        raise BackendError(f"{manifest['kind']} {meta['name']} was refused: {response.body['message']}")
    if "status" in manifest:
        stored = world.store.get(resource, meta.get("namespace", ""), meta["name"])
        assert stored is not None
        world.store.put(resource, {**stored, "status": {**stored.get("status", {}), **manifest["status"]}})


def request(world: World, verb: str, resource: str, namespace: str, name: str = "", **rest: Any) -> Response:
    """One request to a world's API, as the cluster's administrator; beside a platform it is known who wrote what."""
    if verb in CLIENTS_OF and is_furnished(world):
        rest["query"] = {"fieldManager": CLIENTS_OF[verb], **rest.get("query", {})}
    return handle(world, Request(verb=verb, resource=resource, namespace=namespace, name=name, **rest))


CLIENTS_OF = {"create": "kubectl-create", "patch": "kubectl-patch", "update": "kubectl-replace"}
"""How kubectl calls itself when it writes, by verb."""


def is_rolled_out(world: World, app: App, wanted: Iterable[str]) -> bool:
    """Whether each of the named deployments has its pods of the newest template, ready, and no others."""
    return all(_available(world, app.namespace, name) for name in wanted)


def _available(world: World, namespace: str, name: str) -> bool:
    deployment = world.store.get("deployments.apps", namespace, name)
    if deployment is None:
        return False
    want, status = deployment["spec"].get("replicas", 1), deployment.get("status", {})
    counts = [status.get(key, 0) for key in ("replicas", "updatedReplicas", "readyReplicas", "availableReplicas")]
    seen = status.get("observedGeneration", 0) >= deployment["metadata"].get("generation", 1)
    return seen and all(count == want for count in counts)


def _until_ready(world: World, app: App, limit: int) -> None:
    """Run until all deployments have been ready for a minute."""
    end, since = world.now + limit, world.now
    while world.now < end:
        world.run(5 * SECOND)
        if not is_rolled_out(world, app, app.components):
            since = world.now
        elif world.now - since >= MINUTE:
            return
    raise BackendError(f"the app {app.id!r} did not become healthy")
