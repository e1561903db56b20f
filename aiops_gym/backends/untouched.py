"""What nobody wrote to since before the incident: where nothing else was said, nothing else came of it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from aiops_gym import caches
from aiops_gym.catalog.model import App
from aiops_gym.sim.kernel.objects import Obj, name_of
from aiops_gym.sim.kernel.world import World
from aiops_gym.sim.machine import images, runtime
from aiops_gym.types import Json

SETTINGS = ("configmaps", "secrets")

_PLAIN = caches.slot(f"{__name__}.plain", "finding out whether a deployment's template says all that its pods run")


def has_same_settings(before: World, world: World, app: App) -> bool:
    """Whether the app's ConfigMaps and Secrets have the same names and hold the same in both worlds."""
    was, now = ([_list_contents(each, app, kind) for kind in SETTINGS] for each in (before, world))
    return was == now


def _list_contents(world: World, app: App, resource: str) -> list[tuple[str, Json]]:
    return [(name_of(each), each.get("data")) for each in world.store.all(resource, app.namespace)]


def is_untouched(before: World, world: World, app: App, name: str) -> bool:
    """Whether a deployment's pods run what they ran, told by its template alone; in doubt they do not.

    Args:
        before: the world just before the incident.
        world: the world now, which has the same settings.
        app: the application.
        name: of the deployment.
    """
    was, now = (each.store.get("deployments.apps", app.namespace, name) for each in (before, world))
    if was is None or now is None:
        return False
    return bool(was["spec"]["template"]["spec"] == now["spec"]["template"]["spec"]) and _is_plain(before, was)


def _is_plain(world: World, deployment: Obj) -> bool:
    """Whether a deployment's template and its settings say what its containers run.

    A script may look around before, and which image a digest means depends on what the nodes have pulled.
    """
    known: bool | None = deployment.memo.get(_PLAIN)
    if known is None:
        inside = list_lasting_containers(deployment["spec"]["template"]["spec"])
        known = deployment.memo[_PLAIN] = not any(_is_open(world, each) for _, each in inside)
    return known


def _is_open(world: World, container: Mapping[str, Json]) -> bool:
    """Whether it takes more than a container's own words to say what it runs."""
    name = container.get("image", "")
    image = images.find_image(world, name)
    if image is None or "@" in name:
        return True
    found = runtime.resolve(image, container, read_plain_env(container))
    return isinstance(found, runtime.StartError) or found.binary.program == runtime.SHELL


def list_lasting_containers(spec: Mapping[str, Json]) -> Iterator[tuple[str, Mapping[str, Json]]]:
    """Containers of a pod's spec by their kind. An init container that ends before the others serve is left out."""
    for kind in ("initContainers", "containers", "ephemeralContainers"):
        for container in spec.get(kind) or ():
            if kind != "initContainers" or container.get("restartPolicy") == "Always":
                yield kind, container


def read_plain_env(container: Mapping[str, Json]) -> dict[str, str]:
    """Of a container's environment, what its template says in so many words."""
    return {entry["name"]: entry["value"] for entry in container.get("env") or () if "value" in entry}
