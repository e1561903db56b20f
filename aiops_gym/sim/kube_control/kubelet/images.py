"""Images on nodes: what is there, what must be pulled, how long that takes and how it fails.

>>> check_name("Bad//Name")
'invalid reference format: repository name (/Name) must be lowercase'
"""

from __future__ import annotations

import re

from aiops_gym.sim.kernel import draws
from aiops_gym.sim.kernel.times import SECOND
from aiops_gym.sim.kernel.world import World
from aiops_gym.sim.machine.images import canonical, find_image, find_tagged, make_image_id, repository_of, split

__all__ = ["canonical", "check_name", "find_failure", "is_present", "make_image_id", "note_pulled", "pull", "split"]

PART = r"[a-z0-9]+(?:(?:\.|_|__|-+)[a-z0-9]+)*"
NAME = re.compile(rf"{PART}(?:/{PART})*(?::[\w][\w.-]{{0,127}})?")
DIGEST = re.compile(r"(?:[A-Za-z]\w*(?:[-_+.][A-Za-z]\w*)*):[0-9a-fA-F]{32,}")
DIGITS = {"sha256": 64, "sha384": 96, "sha512": 128}
"""Digest algorithms, and how many digits each has."""

DNS = "172.18.0.1:53"
NO_SUCH_HOST_TIME = 10 * SECOND


def check_name(name: str) -> str:
    """What is wrong with the form of an image name, "" if nothing is."""
    _, rest = split(name)
    repository = rest.partition("@")[0]
    path, colon, tag = repository.rpartition(":")
    repository = path if colon and "/" not in tag else repository
    if repository != repository.lower():
        return f"invalid reference format: repository name ({repository}) must be lowercase"
    head, at, digest = rest.partition("@")
    if not NAME.fullmatch(head) or (at and not DIGEST.fullmatch(digest)):
        return "invalid reference format"
    return _check_digest(digest) if at else ""


def _check_digest(digest: str) -> str:
    algorithm, _, encoded = digest.partition(":")
    size = DIGITS.get(algorithm)
    if size is None:
        return "unsupported digest algorithm"
    if len(encoded) != size:
        return "invalid checksum digest length"
    return "" if encoded == encoded.lower() else "invalid checksum digest format"


def is_present(world: World, node: str, name: str) -> bool:
    """Whether a node has the image."""
    image, pulled = find_image(world, name), world.table("pulled")
    if (image is not None and image.cached) or f"{node} {canonical(name)}" in pulled:
        return True
    return "@" in name and f"{node} {find_tagged(world, name)}" in pulled


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
        repository, tag = repository_of(path), path.removeprefix(repository_of(path))[1:]
        request = f'failed to do request: Head "https://{registry}/v2/{repository}/manifests/{tag}": '
        source = f"172.18.0.2:{draws.pick(28232, world.seed, 'port', full, world.now) + 32768}"
        return f"{head}{request}dial tcp: lookup {registry} on {DNS}: read udp {source}->{DNS}: i/o timeout"
    return ""


def _unknown(world: World, registry: str, path: str) -> str:
    """How the pull of an image ends that no registry of this world has."""
    known = [split(canonical(name)) for name in world.blueprint.images]
    if any((registry, repository_of(path)) == (r, repository_of(p)) for r, p in known):
        return "not_found"
    if registry == "docker.io":
        return "denied"
    return "not_found" if any(registry == r for r, _ in known) else "no_such_host"
