"""Names of images: their full form, by tag or by digest, and the image that a name means.

>>> canonical("shop:1.2"), canonical("acme/shop"), canonical("registry.local/app:1")
('docker.io/library/shop:1.2', 'docker.io/acme/shop:latest', 'registry.local/app:1')
>>> canonical("mongo:4.4@sha256:" + "0" * 64) == canonical("docker.io/library/mongo@sha256:" + "0" * 64)
True
"""

from __future__ import annotations

import re
from hashlib import sha256
from typing import TYPE_CHECKING

from aiops_gym import caches
from aiops_gym.sim.kernel.blueprint import Image

if TYPE_CHECKING:
    from aiops_gym.sim.kernel.world import World

VERSION = re.compile(
    r"latest|stable|edge|mainline|v?\d{1,4}(?:[.-][\w.-]*)?|"
    r"(?:alpine|bookworm|bullseye|glibc|jammy|musl|noble|focal|slim)[\w.-]*"
)
"""Tags that a repository of many versions has."""

HUB = "docker.io"
ALGORITHM = "@sha256:"


def split(name: str) -> tuple[str, str]:
    """(registry, rest) of an image name; the registry is docker.io where none is written."""
    head, slash, rest = name.partition("/")
    if not slash or not (set(".:") & set(head) or head == "localhost" or head != head.lower()):
        return HUB, name
    return head, rest


def repository_of(full: str) -> str:
    """A full name without its tag or digest.

    >>> repository_of("host:5000/app"), repository_of("docker.io/acme/shop:1")
    ('host:5000/app', 'docker.io/acme/shop')
    """
    path, colon, tag = full.partition("@")[0].rpartition(":")
    return path if colon and "/" not in tag else full.partition("@")[0]


@caches.function(1024, "the full name of an image")
def canonical(name: str) -> str:
    """The full name, as containerd knows it: with a tag, or with a digest, before which a tag says nothing."""
    registry, rest = split(name)
    if registry == HUB and "/" not in rest.partition("@")[0]:
        rest = f"library/{rest}"
    head, at, digest = rest.partition("@")
    if at:
        return f"{repository_of(f'{registry}/{head}')}@{digest}"
    return f"{registry}/{rest}" if ":" in rest.rpartition("/")[2] else f"{registry}/{rest}:latest"


def find_image(world: World, name: str) -> Image | None:
    """The image that a container's `image` names; a missing tag is `latest`, `*` is all that looks like a version."""
    tagged = find_tagged(world, name) if "@" in name else name
    return _named(world, tagged) if tagged else None


def find_tagged(world: World, name: str) -> str:
    """The name with a tag of the image that a digest means, "" where none is known here that has it."""
    full = canonical(name)
    repository = repository_of(full)
    for candidate in _known(world, repository):
        if make_image_id(candidate, _named(world, candidate)) == full:
            return candidate
    return ""


def _known(world: World, repository: str) -> list[str]:
    """Full names with a tag, of a repository, that the blueprint has or a node has pulled."""
    pulled = {key.partition(" ")[2] for key in world.table("pulled")}
    full = {canonical(name) for name in world.blueprint.images} | pulled
    return sorted(name for name in full if "@" not in name and repository_of(name) == repository)


def _named(world: World, name: str) -> Image | None:
    images = world.blueprint.images
    short = name.removeprefix(f"{HUB}/").removeprefix("library/")
    for candidate in (name, short, f"{short}:latest", short.removesuffix(":latest")):
        if candidate in images:
            return images[candidate]
    repository, colon, tag = short.rpartition(":")
    if not colon or "/" in tag:
        repository, tag = short, "latest"
    return images.get(f"{repository}:*") if VERSION.fullmatch(tag) else None


def make_image_id(name: str, image: Image | None) -> str:
    """The name with a digest by which a node knows an image; of a name with a digest that very one."""
    full = canonical(name)
    if "@" in full:
        return full
    digest = image.digest if image and image.digest else _digest(full)
    return f"{repository_of(full)}{ALGORITHM}{digest}"


def identify(world: World, name: str) -> str:
    """The name with a digest that every spelling of an image has: by tag, by digest, with or without its registry."""
    return make_image_id(name, find_image(world, name))


def _digest(full: str) -> str:
    return sha256(full.encode()).hexdigest()


def find_shown_name(world: World, node: str, name: str) -> str:
    """What a container's status calls its image: a tag by which the node has it, or the digest of its configuration.

    The runtime starts containers by that digest, and knows them by it where the image has no tag.
    """
    full = canonical(name)
    if "@" not in full:
        return full
    tagged = find_tagged(world, name)
    image = _named(world, tagged) if tagged else None
    if tagged and ((image is not None and image.cached) or f"{node} {tagged}" in world.table("pulled")):
        return tagged
    return f"sha256:{_digest(f'configuration of {full}')}"
