"""Images as the daemon tells of them, and how more of them come."""

from __future__ import annotations

from aiops_gym.sim.docker_host import records, views
from aiops_gym.sim.docker_host.records import DockerError
from aiops_gym.sim.kernel import draws
from aiops_gym.sim.kernel.blueprint import Image
from aiops_gym.sim.kernel.world import World
from aiops_gym.sim.machine.images import canonical, find_image
from aiops_gym.types import Json


def list_images(world: World) -> list[dict[str, Json]]:
    """The images of the host, the newest first."""
    found = []
    for kept in records.list_rows(world, "image"):
        name, digest = kept["name"], records.digest_of(world, kept["name"])
        users = sum(records.digest_of(world, row["image"]) == digest for row in records.list_rows(world, "container"))
        manifest = f"{name.rpartition(':')[0]}@sha256:{draws.hexes(64, 0, 'docker manifest', digest)}"
        row = {"Id": digest, "RepoTags": [name], "RepoDigests": [manifest], "Created": _made(world, name) // 1000}
        found.append({**row, "Size": int((find_image(world, name) or Image()).size), "Containers": users})
    return sorted(found, key=lambda row: -int(row["Created"]))


def _made(world: World, name: str) -> int:
    days = 20 + draws.pick(60, 0, "docker image age", name)
    return world.blueprint.start - 86_400_000 * days - draws.pick(86_400_000, 0, "docker image hour", name)


def inspect_image(world: World, name: str) -> dict[str, Json]:
    """An image by name, or by the beginning of its id, as `docker image inspect` shows it. Raises DockerError."""
    word = name.removeprefix("sha256:")
    for row in list_images(world):
        tag, digest = row["RepoTags"][0], row["Id"].removeprefix("sha256:")
        if canonical(tag) == canonical(name) or name in row["RepoDigests"] or (word and digest.startswith(word)):
            layers = [f"sha256:{draws.hexes(64, n, 'docker image layer', digest)}" for n in range(4)]
            config = {**views.describe_image(world, tag, {}), "AttachStdout": False, "AttachStderr": False}
            own = {key: row[key] for key in ("Id", "RepoTags", "RepoDigests", "Size")} | {"Config": config}
            own |= {"GraphDriver": views.find_layers(digest), "RootFS": {"Type": "layers", "Layers": layers}}
            return {**views.GIVEN["Image"], **own, "Created": views.read_moment(world, _made(world, tag))}
    raise DockerError(404, f"No such image: {name if ':' in name or not name else f'{name}:latest'}")


def pull(world: World, name: str) -> None:
    """Fetch an image. Raises DockerError for one that no registry has."""
    image = find_image(world, name)
    if image is None or image.pull != "ok":
        short = canonical(name).removeprefix("docker.io/").removeprefix("library/")
        raise DockerError(404, f"manifest for {short} not found: manifest unknown: manifest unknown")
    records.put(world, "image", {"name": records.tag_of(name)})
