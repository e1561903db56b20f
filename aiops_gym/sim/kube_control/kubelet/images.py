"""Images on nodes: what is there, what must be pulled, how long that takes and how it fails.

>>> canonical("shop:1.2"), canonical("acme/shop"), canonical("registry.local/app:1")
('docker.io/library/shop:1.2', 'docker.io/acme/shop:latest', 'registry.local/app:1')
>>> check_name("Bad//Name")
'invalid reference format: repository name (/Name) must be lowercase'
"""

from __future__ import annotations

import re
from hashlib import sha256

from aiops_gym import caches
from aiops_gym.sim.kernel import draws
from aiops_gym.sim.kernel.blueprint import Image
from aiops_gym.sim.kernel.times import SECOND
from aiops_gym.sim.kernel.world import World
from aiops_gym.sim.machine.container import find_image

PART = r"[a-z0-9]+(?:(?:\.|_|__|-+)[a-z0-9]+)*"
NAME = re.compile(rf"{PART}(?:/{PART})*(?::[\w][\w.-]{{0,127}})?(?:@sha256:[0-9a-f]{{64}})?")
DNS = "172.18.0.1:53"
NO_SUCH_HOST_TIME = 10 * SECOND


def split(name: str) -> tuple[str, str]:
    """(registry, rest) of an image name; the registry is docker.io where none is written."""
    head, slash, rest = name.partition("/")
    if not slash or not (set(".:") & set(head) or head == "localhost" or head != head.lower()):
        return "docker.io", name
    return head, rest


@caches.function(1024, "the full name of an image")
def canonical(name: str) -> str:
    """The full name, as containerd knows it."""
    registry, rest = split(name)
    if registry == "docker.io" and "/" not in rest:
        rest = f"library/{rest}"
    if "@" not in rest and ":" not in rest.rpartition("/")[2]:
        rest += ":latest"
    return f"{registry}/{rest}"


def check_name(name: str) -> str:
    """What is wrong with the form of an image name, "" if nothing is."""
    _, rest = split(name)
    repository = rest.partition("@")[0]
    path, colon, tag = repository.rpartition(":")
    repository = path if colon and "/" not in tag else repository
    if repository != repository.lower():
        return f"invalid reference format: repository name ({repository}) must be lowercase"
    return "" if NAME.fullmatch(rest) else "invalid reference format"


def make_image_id(name: str, image: Image | None) -> str:
    """The digest by which a node knows an image."""
    full = canonical(name)
    digest = image.digest if image and image.digest else sha256(full.encode()).hexdigest()
    path, colon, tag = full.partition("@")[0].rpartition(":")
    repository = path if colon and "/" not in tag else full
    return f"{repository}@sha256:{digest}"


def is_present(world: World, node: str, name: str) -> bool:
    """Whether a node has the image."""
    image = find_image(world, name)
    return (image is not None and image.cached) or f"{node} {canonical(name)}" in world.table("pulled")


def pull(world: World, node: str, name: str, uid: str) -> tuple[int, int, str]:
    """Begin a pull: (ms until it ends, of which waiting for other pulls, error text or "")."""
    image, table = find_image(world, name), world.table("pulls")
    waiting = max(0, table.get(node, 0) - world.now)
    error = find_failure(world, name)
    if error:
        took = NO_SUCH_HOST_TIME if "lookup" in error else 80
    else:
        rate = draws.between(25e6, 60e6, world.seed, "pull", f"{uid} {name}", world.now)
        size = 0 if image is None or is_present(world, node, name) else image.size
        took = round(draws.between(400, 900, world.seed, "manifest", f"{uid} {name}", world.now) + 1000 * size / rate)
    table[node] = world.now + waiting + took
    return waiting + took, waiting, error


def note_pulled(world: World, node: str, name: str) -> None:
    """Note that a node has an image now."""
    world.table("pulled")[f"{node} {canonical(name)}"] = True


def find_failure(world: World, name: str) -> str:
    """Why a registry cannot give an image, "" if it can."""
    image, full = find_image(world, name), canonical(name)
    registry, path = split(full)
    ending = image.pull if image is not None else _unknown(world, registry, path)
    head = f'failed to pull and unpack image "{full}": failed to resolve reference "{full}": '
    if ending == "not_found":
        return f"rpc error: code = NotFound desc = {head}{full}: not found"
    if ending == "denied":
        why = "pull access denied, repository does not exist or may require authorization: "
        return f"{head}{why}server message: insufficient_scope: authorization failed"
    if ending == "no_such_host":
        repository, _, tag = path.rpartition(":")
        request = f'failed to do request: Head "https://{registry}/v2/{repository}/manifests/{tag}": '
        source = f"172.18.0.2:{draws.pick(28232, world.seed, 'port', full, world.now) + 32768}"
        return f"{head}{request}dial tcp: lookup {registry} on {DNS}: read udp {source}->{DNS}: i/o timeout"
    return ""


def _unknown(world: World, registry: str, path: str) -> str:
    """How the pull of an image ends that no registry of this world has."""
    known = [split(canonical(name)) for name in world.blueprint.images]
    if any((registry, path.partition(":")[0]) == (r, p.partition(":")[0]) for r, p in known):
        return "not_found"
    if registry == "docker.io":
        return "denied"
    return "not_found" if any(registry == r for r, _ in known) else "no_such_host"
